"""Tests that the order check, which reads one letter per message, agrees with the walk over the messages."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sanitizers import Profile
from sanitizers.outline import outline_of
from sanitizers.profile_names import PROFILES
from sanitizers.turn_order import is_in_order, order_of
from sanitizers.turn_violations import find_turn_violations
from tests.support.builders import assistant, call, system, text, tool, user
from tests.support.strategies import any_histories, damaged_histories, legal_histories

History = list[dict[str, Any]]

INLINE = PROFILES["anthropic-strict"].over_messages(is_claude=True, takes_systems=True)
profiles = st.sampled_from([*PROFILES.values(), INLINE])

PLAIN = [system("s"), {"role": "developer", "content": "d"}, user("u"), assistant("a")]
ODD = [user([text("u")]), {**assistant("a"), "name": "n"}, {**user("u"), "name": "n"}]
LOOSE = [tool("c1", "r"), tool("c2", "r"), assistant(None, [call("c1")]), assistant(None, [call("c2")])]


@st.composite
def rounds(draw: st.DrawFn) -> History:
    """Draw a turn with calls and its results. Most of the results are complete and in order."""
    ids: list[str] = draw(
        st.lists(st.sampled_from(["c1", "c2", "c3", "c4"]), min_size=1, max_size=4, unique=True)
    )
    answered = draw(st.one_of(st.just(ids), st.permutations(ids), st.lists(st.sampled_from(ids), max_size=3)))
    made = [call(call_id, f"f{at}") for at, call_id in enumerate(ids)]
    return [
        assistant(draw(st.sampled_from([None, "a"])), made),
        *(tool(call_id, "r") for call_id in answered),
    ]


@st.composite
def turns(draw: st.DrawFn) -> History:
    """Draw plain messages and a few unusual messages, in any order."""
    piece = st.one_of(
        st.sampled_from([[message] for message in PLAIN]),
        st.sampled_from([[message] for message in (*PLAIN, *ODD, *LOOSE)]),
        rounds(),
    )
    return [message for part in draw(st.lists(piece, min_size=1, max_size=6)) for message in part]


def faults(history: History, profile: Profile) -> list[tuple[str, int]]:
    """Return the violations that the walk over the messages finds."""
    return list(find_turn_violations(history, profile))


@given(st.one_of(turns(), legal_histories(), damaged_histories(), any_histories()), profiles)
def test_what_is_in_order_breaks_no_rule(history: History, profile: Profile) -> None:
    """A history in order breaks no rule. The order that is read from messages equals that in their outline."""
    order, outline = order_of(history), outline_of(history)
    if is_in_order(*order, profile):
        assert not faults(history, profile)
    if "?" not in outline.order:
        assert order == (outline.order, list(outline.call_ids), outline.result_ids)


@given(turns(), profiles.filter(lambda profile: profile.calls_with_text))
def test_what_breaks_no_rule_is_in_order(history: History, profile: Profile) -> None:
    """A history whose results stand in the order of their calls is in order exactly if it breaks no rule."""
    order = order_of(history)
    usual = order.call_ids == order.result_ids and "?" not in order.letters
    if usual and not profile.echoes_reasoning and order.letters.rstrip("ds")[-1:] != "a":
        assert is_in_order(*order, profile) != bool(faults(history, profile))


@pytest.mark.parametrize("count", [1, 2, 16, 17, 40])
def test_turns_of_more_calls_than_the_pattern_lists_are_unknown(count: int) -> None:
    """A turn of more than 16 calls is not found in order, though the walk over the messages finds no violation.

    Nor is a turn in order where the profile takes one call, or wants thoughts beside it.
    """
    ids = [f"c{at}" for at in range(count)]
    history = [
        user("u"),
        assistant(None, [call(call_id, f"f{call_id}") for call_id in ids]),
        *(tool(i, "r") for i in ids),
    ]
    for profile in PROFILES.values():
        in_order = is_in_order(*order_of(history), profile)
        if profile.echoes_reasoning or profile.thinks_before_calls:
            assert not in_order
        elif profile.calls_with_text:
            takes = profile.parallel_calls or count == 1
            assert in_order == (count <= 16 and takes)
            assert bool(faults(history, profile)) is not takes


@pytest.mark.parametrize("ids", [["a", "a"], ["", ""], [None, None], [""], [None]])
def test_missing_and_repeated_ids_never_hide_a_broken_rule(ids: list[Any]) -> None:
    """A history with missing or repeated call ids never counts as in order if it breaks a rule."""
    history = [
        user("u"),
        assistant(None, [call(i, f"f{at}") for at, i in enumerate(ids)]),
        *(tool(i) for i in ids),
    ]
    for profile in PROFILES.values():
        assert not is_in_order(*order_of(history), profile) or not faults(history, profile)


@pytest.mark.parametrize(
    "pieces", ["12 r1 3 r2 r3", "1 23 r1 r2 r3", "1 2 r1 r2", "12 3 r1 r2 r3", "12 r1 s r2"]
)
def test_results_behind_the_wrong_turn_are_not_in_order(pieces: str) -> None:
    """All results exist and are in the order of the calls, but not each directly after its own turn."""
    history = [user("u")]
    for piece in pieces.split():
        if piece == "s":
            history.append(system("s"))
        elif piece[0] == "r":
            history.append(tool(piece[1:], "r"))
        else:
            history.append(assistant(None, [call(call_id, f"f{call_id}") for call_id in piece]))
    assert not any(is_in_order(*order_of(history), profile) for profile in PROFILES.values())


def test_a_long_history_is_matched_in_one_pass() -> None:
    """The pattern does not backtrack, even for a history that is not in order."""
    history = [user("u"), assistant("a")] * 50_000 + [tool("c1", "r")]
    assert not is_in_order(*order_of(history), PROFILES["openai"])
