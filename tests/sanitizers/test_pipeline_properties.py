"""Tests, with random histories, what sanitizing guarantees for every legal or damaged history.

Random histories find unknown faults. Damaged legal histories resemble those of real clients. The checker is the oracle.
``test_pipeline_agreement`` compares the checker with the emulator's judge.
"""

from __future__ import annotations

import copy
import json
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from sanitizers import Profile, Unrepairable, find_violations, run_steps, sanitize
from sanitizers.gemini_profiles import GEMINI_1, GEMINI_2, GEMINI_3, GEMINI_3_STRICT, GEMMA
from sanitizers.profiles import OPENAI
from sanitizers.provider_profiles import BEDROCK, MISTRAL, PROVIDER_PROFILES
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
    """Return the sanitized history, or None if it was refused."""
    try:
        return list(sanitize(history, profile).messages)
    except Unrepairable:
        return None


def outcome(history: History, profile: Profile) -> tuple[str, object]:
    """Return the output as JSON text with the changes, or the refusal."""
    try:
        done = sanitize(history, profile)
    except Unrepairable as error:
        return error.message, error.param
    return json.dumps(list(done.messages)), done.changes


@given(histories, profiles)
def test_every_output_is_legal_and_a_second_pass_changes_nothing(history: History, profile: Profile) -> None:
    """The output is legal, and a second pass changes nothing. The input is not mutated."""
    before = copy.deepcopy(history)
    try:
        done = sanitize(history, profile)
    except Unrepairable:
        assert history == before
        return

    assert history == before
    assert find_violations(done.messages, profile) == done.violations == ()
    assert sanitize(done.messages, profile).messages is done.messages
    stepped, changes = run_steps(done.messages, profile)
    assert stepped is done.messages
    assert changes == ()


@given(histories, profiles)
def test_steps_leave_a_legal_history_alone(history: History, profile: Profile) -> None:
    """The steps change nothing in a history without violations, even without the checker before them.

    The pipeline would hide a step that changes a legal history, since it runs steps only if the checker finds a
    violation.
    """
    if not find_violations(history, profile):
        messages, changes = run_steps(history, profile)

        assert changes == ()
        assert messages is history


@given(legal_histories(extras=False), st.sampled_from([GEMINI_3, GEMINI_3_STRICT, OPENAI]))
def test_legal_history_comes_back_as_the_same_object(history: History, profile: Profile) -> None:
    """A legal history is returned as the same object."""
    done = sanitize(history, profile)

    assert done.found == ()
    assert done.messages is history


@given(histories, profiles)
def test_equal_input_gives_equal_bytes(history: History, profile: Profile) -> None:
    """Sanitizing a copy gives the same bytes and the same changes."""
    copied = copy.deepcopy(history)

    assert outcome(history, profile) == outcome(copied, profile)


@given(histories, profiles)
@example([user("a"), assistant("t1§"), assistant(None, calls=[call("x")]), tool("x", "t2§")], GEMINI_2)
def test_no_text_is_lost_unnamed(history: History, profile: Profile) -> None:
    """Each text of the input is in the output, or a change names its message."""
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


@given(growth(legal_histories(id_style="mixed")), profiles)
def test_prefix_stays_while_a_legal_history_grows(
    grown: tuple[History, list[History]], profile: Profile
) -> None:
    """Rounds appended to a history change nothing before them, so that prompt caches keep hitting.

    The history is legal by OpenAI's rules. Other profiles still repair ids, texts and turns.
    """
    history, rounds = grown
    before = repaired(history, profile)
    for added in rounds:
        history = history + added
        after = repaired(history, profile)
        if before is None or after is None:
            return  # refused: the newest user turn has an image, which the model cannot read
        assert after[: len(before)] == before
        before = after


@given(damaged_histories(), growth(), profiles)
def test_prefix_of_a_damaged_history_stays_while_it_grows(
    damaged: History, grown: tuple[History, list[History]], profile: Profile
) -> None:
    """Messages appended after a damaged part do not change its repairs.

    A user turn closes the damaged part.
    """
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
def test_history_repaired_for_one_provider_is_legal_for_another(
    history: History, first: Profile, second: Profile
) -> None:
    """A history repaired for one provider is legal after the repair for another.

    A second pass for the other provider changes nothing. A repair back for the first provider is legal again.
    """
    once = repaired(history, first)
    if once is None:
        return
    moved = repaired(once, second)
    if moved is not None:
        assert find_violations(moved, second) == ()
        assert repaired(copy.deepcopy(moved), second) == moved
        back = repaired(moved, first)
        assert back is None or find_violations(back, first) == ()
