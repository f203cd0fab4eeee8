"""Names of tools: legal afterwards, no two the same, everywhere alike, and undone by the map that comes along."""

from __future__ import annotations

import copy
import json
import re
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sanitizers import find_violations
from sanitizers.name_rules import GEMINI_NAMES, OPENAI_NAMES, NameRule
from sanitizers.profiles import GEMINI_3, GEMINI_3_STRICT, OPENAI
from sanitizers.tool_names import choose_names, rename_tools, spell_legal
from tests.support.builders import assistant, call, legacy_call, legacy_result, tool, user

RULES = [GEMINI_NAMES, OPENAI_NAMES, NameRule("[a-zA-Z0-9_-]+", 128)]
SAFEST = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}")

AWKWARD = (
    "mcp.server/tool:do it",
    "21st_magic",
    "x" * 100,
    "工具",
    "a b",
    "a/b",
    "a_b",
    "-",
    "a\n",
    "é",
    "e\u0301",
    "\ud800",
    "default_api:f",
)

names = st.one_of(
    st.sampled_from(AWKWARD),
    st.sampled_from(AWKWARD).map(spell_legal),
    st.text("ab.:/ -_1é工", min_size=1, max_size=6),
    st.text(min_size=1, max_size=140),
)
rules = st.sampled_from(RULES)


def declare(*given: str) -> dict[str, Any]:
    """Return the parameters that declare tools of these names."""
    return {"tools": [{"type": "function", "function": {"name": name, "description": "d"}} for name in given]}


def names_of(parameters: Any) -> list[str]:
    """Return the names that parameters declare, in order."""
    return [entry["function"]["name"] for entry in parameters["tools"]]


@given(st.lists(names, min_size=1, max_size=12), rules)
def test_every_declared_name_is_legal_its_own_and_undone(given: list[str], rule: NameRule) -> None:
    """Whatever they are called: what goes out follows the rule, tells the tools apart, and leads back."""
    done = rename_tools([user()], declare(*given), rule)
    sent = names_of(done.parameters)

    assert all(re.fullmatch(rule.pattern, name) and len(name) <= rule.max_length for name in sent)
    assert [done.back.get(name, name) for name in sent] == given
    assert len(set(sent)) == len(set(given))
    assert all(SAFEST.fullmatch(new) for new in done.back)


@given(st.lists(names, min_size=1, max_size=8), rules, st.randoms())
def test_names_do_not_depend_on_the_order(given: list[str], rule: NameRule, shuffling: Any) -> None:
    """The same set of tools gets the same names, however it is listed."""
    shuffled = list(given)
    shuffling.shuffle(shuffled)

    assert rename_tools([], declare(*given), rule).back == rename_tools([], declare(*shuffled), rule).back


@given(st.lists(st.text("ab.:/ -_1é工", min_size=1, max_size=6), min_size=1, max_size=8), rules)
def test_a_name_depends_on_itself_alone(given: list[str], rule: NameRule) -> None:
    """Other tools and other providers do not change it, so that a cached prefix stays valid."""
    together = rename_tools([], declare(*given), rule)

    for new, old in together.back.items():
        assert rename_tools([], declare(old), rule).back == {new: old}
        assert new == spell_legal(old)


@given(st.lists(names, min_size=1, max_size=8), rules)
def test_renamed_names_are_legal_everywhere(given: list[str], rule: NameRule) -> None:
    """A second pass changes nothing, at this provider and at any other."""
    once = rename_tools([], declare(*given), rule)

    for other in RULES:
        legal = {
            "tools": [entry for entry in once.parameters["tools"] if entry["function"]["name"] in once.back]
        }
        again = rename_tools([], legal, other)
        assert again.parameters is legal
        assert (again.back, again.changes) == ({}, ())


def test_new_names_are_pinned() -> None:
    """Another spelling would move every cached prefix."""
    assert {name: spell_legal(name) for name in AWKWARD[:6]} == {
        "mcp.server/tool:do it": "mcp_server_tool_do_it_f2569246",
        "21st_magic": "_21st_magic_223895e4",
        "x" * 100: "x" * 55 + "_09ecb6eb",
        "工具": "tool_5ca6730d",
        "a b": "a_b_c8687a08",
        "a/b": "a_b_c14cddc0",
    }


def test_a_tool_that_has_the_new_name_already_keeps_it() -> None:
    """A legal name is never taken from its tool, declared or called long ago. The other one gets a further spelling."""
    taken = spell_legal("a b")

    declared = rename_tools([], declare("a b", taken), OPENAI_NAMES)
    called = rename_tools(
        [user(), assistant(calls=[call("c", taken)]), tool("c")], declare("a b"), OPENAI_NAMES
    )

    for done in (declared, called):
        assert done.back == {spell_legal("a b", 1): "a b"}
    assert names_of(declared.parameters)[1] == taken


def test_spellings_that_are_the_same_are_shared_out_in_the_names_order(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Were two digests the same, the outcome would still not hang on how a set is iterated."""
    monkeypatch.setattr("sanitizers.tool_names.choosing.spell_legal", lambda _, attempt: f"x_{attempt}")
    given = [f"{letter} " for letter in "hgfedcba"]

    assert choose_names(given, OPENAI_NAMES) == {name: f"x_{at}" for at, name in enumerate(sorted(given))}


HISTORY = [
    user("Call a.b for me, or a b."),
    assistant("yes", calls=[call("c1", "a b"), call("c2", "ok"), call("c3", "a b")]),
    tool("c1", name="a b"),
    tool("c2", name="ok"),
    tool("c3"),
    legacy_call("a/b"),
    legacy_result("a/b"),
    assistant(calls=[{"id": "c4", "type": "custom", "custom": {"name": "工具", "input": "x"}}]),
    tool("c4", name="工具"),
    user("thanks", name="a b"),
]
PARAMETERS = {
    "temperature": 0.5,
    "tools": [
        {"type": "function", "function": {"name": "ok"}},
        {"type": "function", "function": {"name": "a b", "description": "Does a b."}},
        {"type": "function", "function": {"name": "工具"}},
    ],
    "functions": [{"name": "a/b"}],
    "tool_choice": {"type": "function", "function": {"name": "a b"}},
    "function_call": {"name": "a/b"},
}


def test_a_tool_is_renamed_in_all_places() -> None:
    """Texts and the user's own name stay."""
    before = copy.deepcopy((HISTORY, PARAMETERS))
    ab, slash, word = (spell_legal(name) for name in ("a b", "a/b", "工具"))

    done = rename_tools(HISTORY, PARAMETERS, OPENAI_NAMES)

    written = json.dumps([list(done.messages), dict(done.parameters)], ensure_ascii=False)
    expected = json.dumps([HISTORY, PARAMETERS], ensure_ascii=False)
    for old, new in (("a b", ab), ("a/b", slash), ("工具", word)):
        expected = expected.replace(f'"name": "{old}"', f'"name": "{new}"')
    expected = expected.replace(f'"thanks", "name": "{ab}"', '"thanks", "name": "a b"')
    expected = expected.replace(f'{{"name": "{word}"}}', f'{{"name": "{word}", "description": "工具"}}')
    assert json.loads(written) == json.loads(expected)
    assert done.back == {ab: "a b", slash: "a/b", word: "工具"}
    assert [(c.index, c.reason, c.detail) for c in done.changes] == [
        (1, "tool_name", ab),
        (2, "tool_name", word),
        (0, "tool_name", slash),
        (0, "tool_choice", ab),
        (0, "function_call", slash),
        (1, "call_name", ab),
        (2, "call_name", ab),
        (5, "call_name", slash),
        (6, "call_name", slash),
        (7, "call_name", word),
        (8, "call_name", word),
    ]
    assert {(change.step, change.kind) for change in done.changes} == {("tools", "replaced")}
    assert (HISTORY, PARAMETERS) == before
    assert all(new is old for new, old in zip(done.messages, HISTORY, strict=True) if "thanks" in str(old))


@pytest.mark.parametrize("rule", RULES)
def test_legal_names_come_back_as_the_same_objects(rule: NameRule) -> None:
    """Nothing is touched where nothing is illegal."""
    history = [user(), assistant(calls=[call("c", "read_file-2")]), tool("c", name="read_file-2")]
    parameters = declare("read_file-2", "_x", "A" * 64)

    done = rename_tools(history, parameters, rule)

    assert done.messages is history
    assert done.parameters is parameters
    assert (done.back, done.changes) == ({}, ())


def test_only_what_is_touched_is_new() -> None:
    """A history whose names are legal is the same object, whatever the declarations are called, and the other way."""
    history = [user(), assistant(calls=[call("c", "ok")]), tool("c")]
    declared, called = declare("a b"), declare("ok")

    assert rename_tools(history, declared, OPENAI_NAMES).messages is history
    assert rename_tools([user(), legacy_call("a b")], called, OPENAI_NAMES).parameters is called


def test_gemini_takes_dots_and_colons_and_openai_does_not() -> None:
    """Each provider's own rule: a name is left alone where it can be."""
    for name in ("mcp.read", "mcp:read", "_"):
        assert rename_tools([], declare(name), GEMINI_NAMES).back == {}
    assert set(rename_tools([], declare("mcp.read", "mcp:read"), OPENAI_NAMES).back.values()) == {
        "mcp.read",
        "mcp:read",
    }
    assert rename_tools([], declare("1st"), OPENAI_NAMES).back == {}
    assert list(rename_tools([], declare("1st", "-x"), GEMINI_NAMES).back.values()) == ["-x", "1st"]


@pytest.mark.parametrize(
    "parameters",
    [
        {"tools": None, "functions": "x", "tool_choice": "required", "function_call": "auto"},
        {"tools": [None, 1, {}, {"function": 1}, {"function": {"name": 7}}, {"name": ""}], "tool_choice": {}},
    ],
)
def test_empty_and_unreadable_names_are_left_alone(parameters: dict[str, Any]) -> None:
    """Empty and unreadable names are not this package's affair."""
    done = rename_tools([assistant(calls=[call("c", None), call("d", "")])], parameters, GEMINI_NAMES)

    assert done.parameters is parameters
    assert done.back == {}


CALLED: tuple[Any, ...] = (
    (assistant(calls=[call("c", "a b")]), tool("c")),
    (assistant(calls=[call("c")]), tool("c", name="a b")),
    (legacy_call("a b"), legacy_result("f")),
    (legacy_call(), legacy_result("a b")),
    (assistant(calls=[{"id": "c", "type": "custom", "custom": {"name": "a b", "input": ""}}]), tool("c")),
    (assistant(calls=[call("c", "x" * 65)]), tool("c")),
)


@pytest.mark.parametrize("profile", [OPENAI, GEMINI_3, GEMINI_3_STRICT], ids=lambda p: p.name)
@pytest.mark.parametrize("turn", CALLED)
def test_the_checker_sees_each_place(turn: Any, profile: Any) -> None:
    """An illegal name in a history breaks a rule of its own, wherever it stands, and none after the rename."""
    history = [user(), *turn, user()]
    at = 1 if re.search("a b|xxx", str(turn[0])) else 2

    found = find_violations(history, profile)
    left = find_violations(rename_tools(history, {}, profile.tool_names).messages, profile)

    assert ("tool_name_illegal", at) in [(fault.rule, fault.index) for fault in found]
    assert "tool_name_illegal" not in [fault.rule for fault in left]


@given(names, rules)
@example("a\n", OPENAI_NAMES)
def test_the_checker_and_the_rename_agree(name: str, rule: NameRule) -> None:
    """Written apart, they call the same names legal."""
    profile = replace(OPENAI, tool_names=rule)
    history = [user(), assistant(calls=[call("c", name)]), tool("c")]

    assert bool(find_violations(history, profile)) == bool(rename_tools(history, {}, rule).back)
