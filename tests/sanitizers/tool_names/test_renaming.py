"""A request's tools are renamed in all places alike, with a map that restores their names."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

from sanitizers.name_rules import GEMINI_NAMES, OPENAI_NAMES, NameRule
from sanitizers.tool_names import rename_tools, spell_legal
from tests.support.builders import assistant, call, legacy_call, legacy_result, tool, user


def declare(*given: str) -> dict[str, Any]:
    """Return the parameters that declare tools of these names."""
    return {"tools": [{"type": "function", "function": {"name": name, "description": "d"}} for name in given]}


def names_of(parameters: Any) -> list[str]:
    """Return the names that parameters declare, in order."""
    return [entry["function"]["name"] for entry in parameters["tools"]]


def test_a_tool_that_has_the_new_name_already_keeps_it() -> None:
    """A legal name stays with its tool, declared or called. The illegal name gets a further spelling."""
    taken = spell_legal("a b")

    declared = rename_tools([], declare("a b", taken), OPENAI_NAMES)
    called = rename_tools(
        [user(), assistant(calls=[call("c", taken)]), tool("c")], declare("a b"), OPENAI_NAMES
    )

    for done in (declared, called):
        assert done.back == {spell_legal("a b", 1): "a b"}
    assert names_of(declared.parameters)[1] == taken


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
    """Texts stay, and so does the name of a user."""
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


@pytest.mark.parametrize("rule", [GEMINI_NAMES, OPENAI_NAMES])
def test_legal_names_come_back_as_the_same_objects(rule: NameRule) -> None:
    """Messages and parameters stay as they are, and the map is empty."""
    history = [user(), assistant(calls=[call("c", "read_file-2")]), tool("c", name="read_file-2")]
    parameters = declare("read_file-2", "_x", "A" * 64)

    done = rename_tools(history, parameters, rule)

    assert done.messages is history
    assert done.parameters is parameters
    assert (done.back, done.changes) == ({}, ())


def test_history_and_parameters_are_new_only_where_a_name_in_them_changed() -> None:
    """A renamed declaration leaves a legal history as the same object.

    A renamed call leaves the parameters as the same object.
    """
    history = [user(), assistant(calls=[call("c", "ok")]), tool("c")]
    declared, called = declare("a b"), declare("ok")

    assert rename_tools(history, declared, OPENAI_NAMES).messages is history
    assert rename_tools([user(), legacy_call("a b")], called, OPENAI_NAMES).parameters is called


@pytest.mark.parametrize(
    "parameters",
    [
        {"tools": None, "functions": "x", "tool_choice": "required", "function_call": "auto"},
        {"tools": [None, 1, {}, {"function": 1}, {"function": {"name": 7}}, {"name": ""}], "tool_choice": {}},
    ],
)
def test_empty_and_unreadable_names_are_left_alone(parameters: dict[str, Any]) -> None:
    """Validation and the ``shape`` step handle empty and unreadable names."""
    done = rename_tools([assistant(calls=[call("c", None), call("d", "")])], parameters, GEMINI_NAMES)

    assert done.parameters is parameters
    assert done.back == {}
