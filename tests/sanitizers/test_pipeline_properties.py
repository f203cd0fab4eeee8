"""Properties of every history, whatever is wrong with it.

Random histories find what nobody thought of. Damaged legal ones look like what happens in the field. The checker is
the oracle, and is itself held against the emulator's judge in ``test_pipeline_agreement``.
"""

from __future__ import annotations

import copy
import json
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from sanitizers import Profile, Unrepairable, find_violations, run_steps, sanitize
from sanitizers.profiles import GEMINI_1, GEMINI_2, GEMINI_3, GEMINI_3_STRICT, GEMMA, OPENAI
from sanitizers.provider_profiles import ANTHROPIC, BEDROCK, MISTRAL, PROVIDER_PROFILES
from tests.support.builders import assistant, call, tool, user
from tests.support.strategies import (
    any_histories,
    damaged_histories,
    growth,
    indexed_texts_of,
    legal_histories,
)

PROFILES = [
    OPENAI,
    GEMINI_1,
    GEMINI_2,
    GEMINI_3,
    GEMINI_3_STRICT,
    GEMMA,
    OPENAI.merging(),
    GEMINI_2.merging(),
    *PROVIDER_PROFILES,
]
profiles = st.sampled_from(PROFILES)
broken = st.one_of(any_histories(), damaged_histories())
histories = st.one_of(broken, legal_histories())

History = list[dict[str, Any]]


def repaired(history: History, profile: Profile) -> History | None:
    """Return the sanitized history, or None when it was refused as unreadable or empty."""
    try:
        return list(sanitize(history, profile).messages)
    except Unrepairable:
        return None


def outcome(history: History, profile: Profile) -> tuple[str, object]:
    """Return everything that sanitizing says, as bytes and values."""
    try:
        done = sanitize(history, profile)
    except Unrepairable as error:
        return error.message, error.param
    return json.dumps(list(done.messages)), done.changes


@given(histories, profiles)
def test_every_output_is_legal_or_refused(history: History, profile: Profile) -> None:
    """Whatever comes in, what goes out is legal, or is refused."""
    try:
        done = sanitize(history, profile)
    except Unrepairable:
        return

    assert done.violations == ()
    assert find_violations(done.messages, profile) == ()


@given(histories, profiles)
def test_a_repaired_history_comes_back_as_the_same_object(history: History, profile: Profile) -> None:
    """A second pass has nothing to do."""
    once = repaired(history, profile)
    if once is not None:
        again = sanitize(once, profile)

        assert again.messages is once
        assert again.changes == ()


@given(histories, profiles)
def test_steps_leave_a_repaired_history_alone(history: History, profile: Profile) -> None:
    """No step finds anything to do in a history that the checker calls legal."""
    once = repaired(history, profile)
    if once is not None:
        messages, changes = run_steps(once, profile)

        assert changes == ()
        assert messages is once


@given(legal_histories(), profiles)
def test_steps_leave_a_legal_history_alone(history: History, profile: Profile) -> None:
    """No step changes a legal history, even without the checker before it."""
    if not find_violations(history, profile):
        messages, changes = run_steps(history, profile)

        assert changes == ()
        assert messages is history


@given(legal_histories(extras=False), st.sampled_from([GEMINI_3, GEMINI_3_STRICT, OPENAI]))
def test_legal_history_comes_back_as_the_same_object(history: History, profile: Profile) -> None:
    """Legal in, the same object out: the generator's legal histories are legal for these profiles."""
    done = sanitize(history, profile)

    assert done.found == ()
    assert done.messages is history


@given(histories, profiles)
def test_input_is_never_mutated(history: History, profile: Profile) -> None:
    """The client's messages are the same afterwards, down to the last field."""
    before = copy.deepcopy(history)

    repaired(history, profile)

    assert history == before


@given(histories, profiles)
def test_equal_input_gives_equal_bytes(history: History, profile: Profile) -> None:
    """Sanitizing a copy gives the same bytes and the same changes: no identity, order or clock shows through."""
    copied = copy.deepcopy(history)

    assert outcome(history, profile) == outcome(copied, profile)


@given(histories, profiles)
@example([user("a"), assistant("t1§"), assistant(None, calls=[call("x")]), tool("x", "t2§")], GEMINI_2)
def test_no_text_is_lost_unnamed(history: History, profile: Profile) -> None:
    """Each text of the input is in the output, or the change list names its message with a reason."""
    try:
        done = sanitize(history, profile)
    except Unrepairable:
        return
    named = {change.index for change in done.changes if change.kind in ("dropped", "merged", "replaced")}
    kept = json.dumps(list(done.messages), ensure_ascii=False)

    for index, text in indexed_texts_of(history):
        inside = json.dumps(text, ensure_ascii=False)[1:-1]
        nested = json.dumps(inside, ensure_ascii=False)[1:-1]
        assert inside in kept or nested in kept or index in named, (index, text, done.changes)


@given(broken, profiles)
def test_every_change_points_into_the_input(history: History, profile: Profile) -> None:
    """A change's index is a place in what the client sent, and the change is plain data."""
    try:
        done = sanitize(history, profile)
    except Unrepairable:
        return

    for change in done.changes:
        assert 0 <= change.index < len(history)
        json.dumps(change.as_dict())


@given(broken, profiles)
@example([user("a"), assistant("\n", calls=[call("x")]), tool("x")], ANTHROPIC)
def test_a_change_is_reported_exactly_when_something_changed(history: History, profile: Profile) -> None:
    """No silent change, and no report of a change that was not made."""
    try:
        done = sanitize(history, profile)
    except Unrepairable:
        return

    assert bool(done.changes) == (list(done.messages) != history)


@given(growth(legal_histories(id_style="mixed")), profiles)
def test_prefix_stays_while_a_legal_history_grows(
    grown: tuple[History, list[History]], profile: Profile
) -> None:
    """Whole rounds appended to a legal history move nothing before them, so prompt caches keep hitting.

    Legal is meant by OpenAI's rules: for the others there are ids, texts and turns to put right.
    """
    history, rounds = grown
    before = repaired(history, profile)
    for added in rounds:
        history = history + added
        after = repaired(history, profile)
        if before is None or after is None:
            return  # an image that the user asks about now, of a model that reads none
        assert after[: len(before)] == before
        before = after


@given(damaged_histories(), growth(), profiles)
def test_prefix_of_a_damaged_history_stays_while_it_grows(
    damaged: History, grown: tuple[History, list[History]], profile: Profile
) -> None:
    """Repairs of an old part do not change with what is appended, once the damaged part is closed by a user turn."""
    start = [*damaged, user("closed here"), assistant("closed"), user("go on")]
    calls = {raw.get("id") for m in start for raw in m.get("tool_calls") or () if isinstance(raw, dict)}
    more = [m for added in grown[1] for m in added]
    if any(
        m.get("tool_call_id") in calls or m.get("tool_call_id") is None for m in more if m["role"] == "tool"
    ):
        return  # a late result for the old part is allowed to move it
    before, after = repaired(start, profile), repaired([*start, *more], profile)

    if before is not None and after is not None:
        assert after[: len(before)] == before


@given(broken, profiles, profiles)
@example([user("a"), assistant("b", calls=[call("x")]), tool("x"), user("c")], BEDROCK, MISTRAL)
def test_what_one_provider_got_is_put_right_for_another(
    history: History, first: Profile, second: Profile
) -> None:
    """A conversation that moves on takes what was put in along. Each gets what it takes, and the same again."""
    once = repaired(history, first)
    if once is None:
        return
    moved = repaired(once, second)
    if moved is not None:
        assert find_violations(moved, second) == ()
        assert repaired(copy.deepcopy(moved), second) == moved
        back = repaired(moved, first)
        assert back is None or find_violations(back, first) == ()


@given(broken)
def test_a_text_never_reaches_the_change_list(history: History) -> None:
    """Changes hold places, reasons and ids. No message text."""
    try:
        done = sanitize(history, GEMINI_3_STRICT)
    except Unrepairable:
        return
    told = json.dumps([change.as_dict() for change in done.changes], ensure_ascii=False)

    for _, text in indexed_texts_of(history):
        assert "§" not in text or text not in told
