"""Tests of the newest turns: the numbers of the window, and its properties over conversations that grow."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.state.sessions.turn_window import (
    START,
    Counted,
    Item,
    count_turns,
    drop_turns,
    dropped_turns,
    is_message_of,
    leading_items,
)
from tests.support.session_stores import said, user

CALL: dict[str, Any] = {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"}
RULES: dict[str, Any] = {"type": "message", "role": "developer", "content": "rules"}
ITEMS = st.lists(st.sampled_from([user("u"), said("a"), CALL, RULES, {"role": "user", "content": "bare"}]))
TURNS = st.integers(1, 30)


def newest_turns(items: Sequence[Item], turns: int) -> list[Item]:
    """Return the window over a whole conversation: the leading instructions, and the newest turns."""
    dropped = dropped_turns(count_turns(items).turns, turns)
    if not dropped:
        return list(items)
    return [*leading_items(items), *drop_turns(items, dropped)]


@pytest.mark.parametrize(
    ("total", "dropped"),
    [
        (0, 0),
        (1, 0),
        (20, 0),
        (30, 0),
        (31, 11),
        (32, 11),
        (41, 11),
        (42, 22),
        (52, 22),
        (53, 33),
        (1_000, 979),
    ],
)
def test_twenty_turns_are_twenty_to_thirty(total: int, dropped: int) -> None:
    """Above 30 turns the window falls back to 20, and grows again."""
    assert dropped_turns(total, 20) == dropped


def test_no_turns_keep_all() -> None:
    """0 means all turns."""
    assert dropped_turns(10**6, 0) == 0


@given(total=st.integers(0, 10_000), turns=TURNS)
def test_kept_turns_are_within_the_window(total: int, turns: int) -> None:
    """At least *turns* are kept, at most half as many again, and all where there are no more."""
    kept = total - dropped_turns(total, turns)

    assert kept <= turns + turns // 2
    assert kept >= min(total, turns)


@given(turns=st.integers(2, 30))
def test_window_moves_rarely_and_only_forwards(turns: int) -> None:
    """Between two moves, half of *turns* turns come in. So the beginning stays equal for that long."""
    dropped = [dropped_turns(total, turns) for total in range(1, 500)]
    moves = [number for number in range(1, len(dropped)) if dropped[number] != dropped[number - 1]]

    assert dropped == sorted(dropped)
    assert all(later - earlier == turns // 2 + 1 for earlier, later in pairwise(moves))


@given(items=ITEMS, split=st.integers(0, 50))
def test_turns_are_counted_alike_in_pieces(items: list[dict[str, Any]], split: int) -> None:
    """The count behind the first piece goes on in the second."""
    assert count_turns(items[split:], count_turns(items[:split])) == count_turns(items)


@given(items=ITEMS, more=ITEMS, turns=TURNS)
def test_window_of_a_growing_conversation_begins_alike_until_it_moves(
    items: list[dict[str, Any]], more: list[dict[str, Any]], turns: int
) -> None:
    """A later request begins with the items of the earlier one, as long as no further turns are dropped."""
    longer = [*items, *more]
    now, later = newest_turns(items, turns), newest_turns(longer, turns)

    if dropped_turns(count_turns(items).turns, turns) == dropped_turns(count_turns(longer).turns, turns):
        assert later[: len(now)] == now


@given(items=ITEMS, turns=TURNS)
def test_window_is_the_end_with_the_instructions_in_front(items: list[dict[str, Any]], turns: int) -> None:
    """Nothing is changed, doubled or moved, and the window begins with a user's word."""
    kept = newest_turns(items, turns)
    leading = leading_items(items)
    rest = kept[len(leading) :] if kept != items else []

    assert kept == items or kept[: len(leading)] == leading
    assert rest == [] or (rest == items[-len(rest) :] and is_message_of(rest[0], ("user",)))
    assert count_turns(kept).turns <= turns + turns // 2


@given(items=ITEMS, split=st.integers(0, 50), dropped=st.integers(0, 5))
def test_turns_are_dropped_alike_from_a_later_piece(
    items: list[dict[str, Any]], split: int, dropped: int
) -> None:
    """A piece whose beginning lies within the dropped turns gives the same window as the whole."""
    before = count_turns(items[:split])
    if before.turns <= dropped and dropped:
        assert drop_turns(items[split:], dropped, before) == drop_turns(items, dropped)


@pytest.mark.parametrize(
    ("items", "turns"),
    [
        ([], START),
        ([RULES], START),
        ([user("a")], Counted(1, asks=True)),
        ([user("a"), user("b")], Counted(1, asks=True)),
        ([user("a"), said("b"), user("c"), CALL], Counted(2, asks=False)),
        ([{"role": "user"}, {"type": "item_reference", "id": "x"}], Counted(1, asks=False)),
        ([{"type": "function_call_output", "role": "user"}], START),
        ([{"type": [], "role": {}}, {"type": None, "role": "user"}], START),
    ],
)
def test_users_words_in_a_row_are_one_turn(items: list[dict[str, Any]], turns: Counted) -> None:
    """A turn begins with a user's message that follows no other."""
    assert count_turns(items) == turns


def test_instructions_behind_the_first_word_are_not_leading() -> None:
    """Only what stands in front stays in front."""
    items = [RULES, said("a"), {"role": "system", "content": "s"}, user("u"), RULES]

    assert leading_items(items) == [RULES, {"role": "system", "content": "s"}]


def test_role_may_be_any_json() -> None:
    """Items are stored as they were sent, so that a role may be no text."""
    assert leading_items([{"role": []}, {"role": {}}, {"role": "system"}]) == [{"role": "system"}]
