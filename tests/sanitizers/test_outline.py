"""Tests that a history's outline only saves work: checks, renaming and repairs give the same without it."""

from __future__ import annotations

from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sanitizers import Profile, Unrepairable, find_violations, sanitize, validate_messages
from sanitizers.budget.families import FAMILIES, Family
from sanitizers.budget.upper_bound import bound_of_changed, bound_of_outlined, upper_bound
from sanitizers.messages import are_objects, parse_arguments
from sanitizers.outline import DEPTH, outline_of
from sanitizers.profile_names import PROFILES
from sanitizers.tool_names import names_in_history, rename_tools
from sanitizers.validation import ROLES, read_history
from tests.support.builders import assistant, call, system, text, tool, user
from tests.support.strategies import any_histories, legal_histories

History = list[dict[str, Any]]

IDS = st.sampled_from(
    ["c1", "c2", "123456789", "c 1", "c__thought__QUJD", "c_TSIG_QUJD", "é", "", None, 7, "i" * 41]
)
NAMES = st.sampled_from(["f", "g", "9f", "f.g:h", "f\ng", "f\n", "é", "", None, 7, "n" * 65])
ARGUMENTS = st.sampled_from(["{}", '{"a": 1}', '{"a":1}', "[]", "{", "", None, {"a": 1}])
TEXTS = st.sampled_from(["a", "", " ", "é✓\n" * 9, None, 7, [], [text("b")], [{"type": "text", "text": 7}]])
FURTHER: st.SearchStrategy[dict[str, Any]] = st.sampled_from(
    [{}, {}, {}, {"name": "f"}, {"name": "9f"}, {"name": ""}, {"extra_content": {"a": []}}]
)
"""Usual values of message fields, and unusual or illegal values of every field."""

SIGNED: dict[str, Any] = {"extra_content": {"google": {"thought_signature": "c2lnbmVk"}}}
OTHERWISE_SIGNED: list[dict[str, Any]] = [
    {"extra_content": {"google": {"thought_signature": 7}}},
    {"extra_content": {"google": {"thought_signature": "c2lnbmVk", "a": 1}}},
    {"extra_content": {"google": {"a": "c2lnbmVk"}}},
    {"extra_content": {"google": ["thought_signature"]}},
    {"extra_content": {"google": "a"}},
    {"extra_content": {"google": {"thought_signature": "c2lnbmVk"}, "vertex": {}}},
    {"extra_content": {"vertex": {"thought_signature": "c2lnbmVk"}}},
    {"extra_content": ["google"]},
    {"extra_content": "a"},
    {"extra_content": None},
    {"extra_content": 7},
    {**SIGNED, "index": 0},
    {"signature": "c2lnbmVk"},
]
"""Further fields of calls that are not the usual signature."""


@st.composite
def calls(draw: st.DrawFn) -> Any:
    """Draw a call, mostly in the usual form."""
    made = call(draw(IDS), draw(NAMES), draw(ARGUMENTS))
    odd: dict[str, Any] = draw(
        st.sampled_from(
            [{}, {}, SIGNED, SIGNED, {"index": 0}, {"type": "custom"}, {"function": None}, *OTHERWISE_SIGNED]
        )
    )
    return {**made, **odd}


@st.composite
def messages(draw: st.DrawFn) -> Any:
    """Draw a message."""
    kind, content = draw(st.integers(0, 5)), draw(TEXTS)
    if kind == 0:
        return {
            "role": draw(st.sampled_from([*sorted(ROLES), "poet", 7, None, ["user"]])),
            "content": content,
        }
    if kind == 1:
        return tool(draw(IDS), content, **draw(FURTHER))
    if kind == 2:
        return {**user(content), **draw(FURTHER)}
    if kind == 3:
        return draw(st.sampled_from([7, None, [], {}, {"role": "assistant"}]))
    made: dict[str, Any] = assistant(content, **draw(FURTHER))
    made["tool_calls"] = draw(st.one_of(st.lists(calls(), max_size=3), st.sampled_from([None, {}, 7, [7]])))
    if draw(st.booleans()):
        del made["content"]
    return made


wild = st.lists(messages(), min_size=1, max_size=6)
histories = st.one_of(wild, any_histories(), legal_histories())
profiles = st.sampled_from(list(PROFILES.values()))


def readable(history: Any) -> bool:
    """Tell whether every message can be read."""
    try:
        validate_messages(history)
    except Unrepairable:
        return False
    return True


@given(histories, profiles)
def test_the_checker_finds_the_same_with_an_outline(history: History, profile: Profile) -> None:
    """The violations and their order are the same with and without an outline."""
    if readable(history):
        assert find_violations(history, profile, outline=outline_of(history)) == find_violations(
            history, profile
        )


@given(histories)
def test_plain_messages_are_readable(history: History) -> None:
    """Validation skips the messages that an outline counts as plain, so each of these messages must be readable."""
    outline = outline_of(history)
    for index in set(range(len(history))) - set(outline.odd):
        everything_is_odd = outline._replace(messages=[history[index]], odd=[0])
        read_history([history[index]], everything_is_odd)


@given(histories)
def test_the_outline_has_the_names_rounds_and_depth_of_the_messages(history: History) -> None:
    """The values in the outline equal those that are read from the messages."""
    if not readable(history):
        return
    outline = outline_of(history)
    odd = [history[index] for index in outline.odd]
    plain = [message for index, message in enumerate(history) if index not in outline.odd]

    assert outline.names == names_in_history(plain)
    assert outline.names | names_in_history(odd) == names_in_history(history)
    assert list(outline.signed) == [
        at for at in range(len(history)) if at not in outline.odd and holds(history[at])
    ]
    assert list(outline.signatures) == [
        (one["id"], "c2lnbmVk")
        for at in outline.signed
        for one in history[at]["tool_calls"]
        if "extra_content" in one
    ]
    assert outline.turns == sum(message["role"] == "assistant" for message in plain)
    assert all(depth(message) <= DEPTH for message in plain)
    assert outline.marked == any(mark in str(plain) for mark in ("__thought__", "_TSIG_"))


def holds(message: dict[str, Any]) -> bool:
    """Tell whether a call of *message* holds the usual signature."""
    return any(one.get("extra_content") == SIGNED["extra_content"] for one in message.get("tool_calls") or ())


def depth(value: Any) -> int:
    """Return the levels of nested containers."""
    if not isinstance(value, dict | list):
        return 0
    return 1 + max(map(depth, value.values() if isinstance(value, dict) else value), default=0)


@given(histories, profiles)
def test_tools_are_renamed_alike(history: History, profile: Profile) -> None:
    """The result is the same with and without the outline's names."""
    if readable(history):
        renamed = rename_tools(history, {}, profile.tool_names, outline_of(history))
        assert renamed == rename_tools(history, {}, profile.tool_names)


@given(histories, profiles)
def test_histories_are_sanitized_alike(history: History, profile: Profile) -> None:
    """The result is the same with and without an outline."""
    try:
        outline = read_history(history)
        expected = sanitize(history, profile)
    except Unrepairable:
        return
    assert sanitize(history, profile, outline) == expected


@given(histories, st.sampled_from(FAMILIES))
def test_the_bound_by_length_is_no_smaller(history: History, family: Family) -> None:
    """The bound by the JSON's length covers that of the messages, since JSON is no shorter than its texts."""
    if readable(history):
        written = orjson.dumps(history)
        assert bound_of_outlined(family, outline_of(history), len(written)) >= upper_bound(family, history)


@given(histories, profiles, st.sampled_from(FAMILIES))
def test_the_bound_holds_for_what_was_repaired(history: History, profile: Profile, family: Family) -> None:
    """The original history's bound plus that of the changed messages covers the repaired history."""
    try:
        outline = read_history(history)
        repaired = sanitize(history, profile).messages
    except Unrepairable:
        return
    same = set(map(id, history))
    changed = [message for message in repaired if id(message) not in same]
    most_bytes = len(orjson.dumps(history))
    bound = bound_of_outlined(family, outline, most_bytes) + bound_of_changed(family, changed)
    assert bound >= upper_bound(family, repaired)


def test_an_outline_of_another_history_is_ignored() -> None:
    """An equal list is another history, since the outline belongs to one object."""
    outline = outline_of([user("a")])
    profile = PROFILES["gemini-2"]
    assert find_violations([user("a"), assistant("")], profile, outline=outline)


@pytest.mark.parametrize(
    "message",
    [
        system("a"),
        user("a"),
        assistant("a"),
        assistant(None, [call("c1")]),
        assistant("", [call("c1"), call("c2")]),
        assistant(None, [{**call("c1"), **SIGNED}]),
        assistant("a", [{**call("c1"), **SIGNED}, call("c2", "g")]),
        tool("c1", "a"),
        tool("c1", "a", name="f"),
        {"role": "assistant", "tool_calls": [call("c1")]},
    ],
    ids=str,
)
def test_usual_messages_are_plain(message: dict[str, Any]) -> None:
    """If usual messages were not plain, the outline would save no work."""
    assert list(outline_of([message]).odd) == []
    assert depth(message) <= DEPTH


@pytest.mark.parametrize("fields", OTHERWISE_SIGNED, ids=str)
def test_call_with_another_field_is_not_plain(fields: dict[str, Any]) -> None:
    """Such a field is read where the message is read alone."""
    outline = outline_of([assistant(None, [{**call("c1"), **SIGNED}, {**call("c2", "g"), **fields}])])

    assert list(outline.odd) == [0]
    assert not any((outline.signed, outline.signatures, outline.call_ids))


@pytest.mark.parametrize("profile", PROFILES.values(), ids=list(PROFILES))
def test_signature_is_refused_alike(profile: Profile) -> None:
    """Some providers refuse the field of a signature, with an outline as without one."""
    history = [user("a"), assistant(None, [{**call("c1"), **SIGNED}]), tool("c1", "b")]

    found = find_violations(history, profile, outline=outline_of(history))
    assert found == find_violations(history, profile)
    assert any(one.rule == "unknown_field" for one in found) == profile.bare_calls


NO_OBJECTS = [
    "",
    " ",
    "[]",
    "7",
    '"}"',
    "{",
    '{"a": NaN}',
    '{"a": "\\ud83d"}',
    '{"a": "\ud83d"}',
    "{}\u2003",
    "{}}",
    "{},{}",
]
OBJECTS = ["{}", ' {"a": {}}\n', '{"a": 1, "a": 2}', '{"a": 1e5}']


@given(
    st.lists(
        st.one_of(st.sampled_from(NO_OBJECTS), st.sampled_from(OBJECTS), st.text('{}[]:"a1, \n')), max_size=3
    )
)
def test_arguments_are_objects_at_once_where_each_is_one(texts: list[str]) -> None:
    """Checking all texts at once agrees with parsing each text."""
    assert are_objects(texts) is (None not in map(parse_arguments, texts))
