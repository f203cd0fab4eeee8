"""Tests that marks of intact messages only save work: without marks, the steps make the same changes."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sanitizers import Profile, Unrepairable, find_violations, sanitize
from sanitizers.gemini_profiles import GEMINI_3
from sanitizers.marking import mark_entries
from sanitizers.messages import Entries, Entry, Messages, open_places
from sanitizers.outline import Outline
from sanitizers.pipeline import run_steps_on
from sanitizers.profiles import OPENAI
from sanitizers.provider_profiles import DEEPSEEK
from sanitizers.synthetic import DerivedIds
from sanitizers.validation import read_history, validate_messages
from tests.sanitizers.test_pipeline_properties import PROFILES
from tests.support.builders import assistant, call, legacy_call, system, tool, user, without
from tests.support.strategies import any_histories, damaged_histories, legal_histories, media_histories

History = list[dict[str, Any]]

profiles = st.sampled_from(PROFILES)

USUAL_IDS = tuple(f"c{number}" for number in range(1, 13))
IDS = (*USUAL_IDS * 2, "c1__thought__QUJD", "c2__thought__?", "c3_TSIG_QUJD", "abcdefghi", "123456789", "")
NAMES = ("f",) * 18 + ("g", "not a name")
FORMS: tuple[dict[str, Any], ...] = (
    *({"type": "function"},) * 20,
    {},
    {"type": None},
    {"type": "call"},
    {"type": "function", "custom": {"name": "not a name", "input": "x"}},
    {"type": "custom", "custom": {"name": "not a name", "input": "x"}},
)
DRIFTS = ("none",) * 8 + ("missing", "missing", "foreign", "reversed")
ODD_MESSAGES: History = [
    assistant("", refusal="I will not."),
    assistant("words"),
    legacy_call(),
    {"role": "function", "name": "f", "content": "ok"},
    system("late"),
    user("next"),
    user(""),
    tool(None, name="f"),
]

_calls = st.tuples(st.sampled_from(IDS), st.sampled_from(NAMES), st.sampled_from(FORMS))


@st.composite
def rounds(draw: st.DrawFn) -> History:
    """Draw a round of calls with their results. In some rounds a result is missing, foreign or out of order."""
    drawn = draw(st.lists(_calls, min_size=1, max_size=3, unique_by=lambda held: held[0]))
    made = [{**without(call(call_id, name), "type"), **form} for call_id, name, form in drawn]
    results = [tool(call_id) for call_id, _, _ in drawn]
    drift = draw(st.sampled_from(DRIFTS))
    if drift == "missing":
        results.pop()
    elif drift == "foreign":
        results.append(tool(draw(st.sampled_from(IDS))))
    elif drift == "reversed":
        results.reverse()
    turn = assistant(draw(st.sampled_from([None, None, "words", ""])), calls=made)
    if draw(st.integers(0, 15)) == 15:
        turn["function_call"] = {"name": "f", "arguments": "{}"}
    return [turn, *results]


def joined(pieces: list[History]) -> History:
    """Return the messages of all pieces in order."""
    return [message for piece in pieces for message in piece]


pieces = st.one_of(rounds(), rounds(), st.sampled_from(ODD_MESSAGES).map(lambda message: [message]))
long_histories = st.lists(pieces, min_size=2, max_size=12).map(lambda drawn: [user("go"), *joined(drawn)])
mixtures = st.lists(
    st.one_of(legal_histories(), legal_histories(id_style="mixed"), any_histories(max_messages=4), pieces),
    min_size=2,
    max_size=4,
).map(joined)
histories = st.one_of(long_histories, mixtures, damaged_histories(), any_histories(), media_histories())


def plain(messages: Messages) -> Entries:
    """Return *messages* as entries without marks."""
    return tuple(Entry(message, at) for at, message in enumerate(messages))


def outcome(entries: Entries, profile: Profile) -> tuple[object, ...]:
    """Return the history, the origins and the changes that the steps make, or the refusal."""
    try:
        after, changes = run_steps_on(entries, profile)
    except Unrepairable as error:
        return error.message, error.param, error.rule, error.index
    return json.dumps([entry.message for entry in after]), [entry.origin for entry in after], changes


@given(histories, profiles)
@example([user("a"), assistant(calls=[without(call("c1"), "type")]), tool("c1"), tool("c2")], OPENAI)
@example([user("a"), assistant("", refusal="No."), user("b"), tool("c2")], DEEPSEEK)
@example(
    [
        user("a"),
        assistant(calls=[call("c1")]),
        tool("c1", "old"),
        tool("c1", "new", tool_calls=[call("c2")]),
    ],
    OPENAI,
)
@example([user("a"), assistant(calls=[call("c1")]), tool("c1"), user("b"), tool("c1", "late")], GEMINI_3)
@example(
    [
        user("a"),
        assistant(calls=[call("c1"), call("c2")]),
        tool("c1"),
        tool("c2"),
        user("b"),
        assistant(calls=[call("c2"), call("c3")]),
        tool("c2"),
        tool("c3"),
        tool("c1", "late"),
    ],
    OPENAI,
)
@example(
    [
        user("a"),
        assistant(calls=[call("c1"), call("c1__thought__QUJD")]),
        tool("c1__thought__QUJD"),
        tool("c1"),
        tool("c2"),
    ],
    OPENAI,
)
@example(
    [user("a"), assistant(calls=[call("c1")]), assistant(calls=[call("c2")]), tool("c2"), user("b")], OPENAI
)
@example(
    [
        user("a"),
        assistant(calls=[call("c1")]),
        assistant(calls=[call("c2")]),
        tool("c2"),
        assistant(calls=[call("c1")]),
        tool("c1"),
    ],
    OPENAI,
)
@example(
    [
        user("a"),
        assistant(calls=[call(None)]),
        tool(None),
        assistant(calls=[call(DerivedIds(set()).derive(1, 0, ""))]),
        tool(DerivedIds(set()).derive(1, 0, "")),
    ],
    OPENAI,
)
def test_marks_never_change_the_repaired_history(history: History, profile: Profile) -> None:
    """Bytes, changes and refusals are those of a run without marks."""
    try:
        validate_messages(history)
    except Unrepairable:
        return
    marked = mark_entries(history, find_violations(history, profile))

    assert [(entry.message, entry.origin) for entry in marked] == [(m, at) for at, m in enumerate(history)]
    assert outcome(marked, profile) == outcome(plain(history), profile)


@given(histories, profiles)
@example([user("a"), assistant(calls=[call("c1")]), tool("c1"), user("b"), tool("c1", "late")], OPENAI)
@example(
    [user("a"), assistant(calls=[call("c1")]), tool("c1"), user("b"), tool("c1__thought__QUJD")], GEMINI_3
)
@example(
    [
        user("a"),
        assistant(calls=[call("c1")]),
        tool("c1"),
        assistant(calls=[without(call("c1"), "type")]),
        tool("c1"),
        user(""),
    ],
    DEEPSEEK,
)
def test_an_outline_leaves_the_same_marks(history: History, profile: Profile) -> None:
    """The marks are the same with an outline, which saves reading the plain messages again."""
    try:
        outline = read_history(history)
    except Unrepairable:
        return
    found = find_violations(history, profile)
    marked = mark_entries(history, found, outline)

    assert marked == mark_entries(history, found)
    assert open_places(marked) == open_places(tuple(marked))


def test_legal_rounds_are_marked_clean() -> None:
    """Only the orphaned result is left for the steps."""
    history = [
        user("a"),
        assistant(calls=[call("c1"), call("c2")]),
        tool("c2"),
        tool("c1"),
        tool("gone"),
        assistant("b"),
    ]
    marked = mark_entries(history, find_violations(history, OPENAI))

    assert open_places(marked) == [4]


@pytest.mark.parametrize("shared", ["c1", "c1__thought__QUJD"])
def test_a_round_that_shares_an_id_with_an_orphan_is_not_marked(shared: str) -> None:
    """The orphan may be a later result of the round's call.

    Rounds that share another id with this round stay open too.
    """
    history = [
        user("a"),
        assistant(calls=[call("c1"), call("c2")]),
        tool("c1"),
        tool("c2"),
        assistant(calls=[call("c2")]),
        tool("c2"),
        assistant(calls=[call("c3")]),
        tool("c3"),
        user("b"),
        tool(shared),
    ]
    marked = mark_entries(history, find_violations(history, GEMINI_3))

    assert open_places(marked) == [1, 2, 3, 4, 5, 9]


def test_a_wrong_mark_is_found_by_the_second_check(monkeypatch: pytest.MonkeyPatch) -> None:
    """After the second check has found a wrong mark, the steps run again without marks."""
    history = [
        user("a"),
        assistant(calls=[call("c1")]),
        user("b"),
        tool("gone"),
        assistant(calls=[call("c2")]),
    ]
    expected = sanitize(history, GEMINI_3)

    def mark_all(messages: Messages, found: object, outline: Outline | None) -> Entries:
        return tuple(Entry(message, at, clean=True) for at, message in enumerate(messages))

    monkeypatch.setattr("sanitizers.pipeline.mark_entries", mark_all)

    assert sanitize(history, GEMINI_3) == expected
    assert expected.violations == ()
