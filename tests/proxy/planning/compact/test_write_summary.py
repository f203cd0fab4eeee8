"""Tests of the next summary of a conversation: its segment, its reflections and its memory."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from proxy.planning.compact.choose_cut import Cut
from proxy.planning.compact.policies import CompactionPolicy
from proxy.planning.compact.write_summary import (
    NextSummary,
    is_full,
    meta_tokens,
    reflection_tokens,
    segment_indexes,
    write_summary,
)
from proxy.state.summaries import Reflection, Summary
from tests.proxy.planning.compact.compact_histories import session

POLICY = CompactionPolicy("cheap")


def size(message: dict[str, Any]) -> int:
    """Return a token for each four characters."""
    return 40 + len(message["content"] or "") // 4


def reflections(count: int) -> tuple[Reflection, ...]:
    """Return *count* reflections on four messages each."""
    return tuple(Reflection(2 + 4 * at, 6 + 4 * at, f"Reflection {at}.") for at in range(count))


def summary_with(count: int, meta: Reflection | None = None) -> Summary:
    """Return a stored summary with *count* reflections."""
    return Summary(2 + 4 * count, (), "text", 10, meta, reflections(count), 1, "cheap")


BASE = NextSummary(session(30), 2, Cut(10, ()), None, None, 100_000, 1_000, POLICY, size, 5)


def test_first_summary_holds_one_reflection_in_a_memory() -> None:
    """The memory names the replaced messages."""
    written = write_summary(BASE, Reflection(2, 10, "The user wants tests."))
    assert (written.end, written.pinned, written.created, written.model) == (10, (), 5, "cheap")
    assert written.reflections == (Reflection(2, 10, "The user wants tests."),)
    assert "The user wants tests." in written.text
    assert "2-9" in written.text


def test_next_summary_keeps_the_reflections_before_it() -> None:
    """A reflection is about its own messages alone, and is not written again."""
    given = replace(BASE, previous=summary_with(3), cut=Cut(20, (12,)))
    written = write_summary(given, Reflection(14, 20, "New."))
    assert written.reflections == (*reflections(3), Reflection(14, 20, "New."))
    assert written.pinned == (12,)
    places = [written.text.index(each.text) for each in written.reflections]
    assert places == sorted(places)


def test_reflection_on_all_replaces_those_that_it_stands_for() -> None:
    """The reflection on five others stands first, and the newest one behind it."""
    meta = Reflection(2, 22, "All so far.")
    given = replace(BASE, previous=summary_with(5), meta=meta, cut=Cut(26, ()))
    written = write_summary(given, Reflection(22, 26, "New."))
    assert (written.meta, written.reflections) == (meta, (Reflection(22, 26, "New."),))
    assert written.text.index("All so far.") < written.text.index("New.")
    assert "Reflection 0." not in written.text


def test_segment_is_what_no_reflection_is_about() -> None:
    """A message that was pinned for an earlier summary belongs to the segment once it is not pinned any more."""
    assert segment_indexes(2, Cut(6, (3,)), None) == [2, 4, 5]
    previous = replace(summary_with(2), pinned=(4, 7))
    assert segment_indexes(2, Cut(12, (4,)), previous) == [7, 10, 11]


@pytest.mark.parametrize(
    ("count", "has_meta", "expected"),
    [(4, False, False), (5, False, True), (2, True, False), (3, True, True)],
)
def test_reflections_are_replaced_after_five_and_then_after_three_more(
    count: int, *, has_meta: bool, expected: bool
) -> None:
    """The reflection on the others has the place of two."""
    meta = Reflection(2, 3, "All.") if has_meta else None
    assert is_full(summary_with(count, meta), POLICY) is expected


def test_limits_follow_the_memory() -> None:
    """Five reflections, or one on all and three others, have 3,750 of 4,000 tokens."""
    assert (reflection_tokens(POLICY), meta_tokens(POLICY)) == (750, 1_500)
    assert reflection_tokens(replace(POLICY, reflect_after=10)) == 375
    assert reflection_tokens(replace(POLICY, reflect_after=3)) == 750


def test_memory_is_within_its_tokens_with_the_longest_reflections() -> None:
    """Five reflections of 750 tokens leave room for the facts."""
    full = replace(
        summary_with(4), reflections=tuple(replace(each, text="word " * 600) for each in reflections(4))
    )
    history = [{**message, "content": "text " * 1_000} for message in session(30)]
    given = replace(BASE, messages=history, previous=full, cut=Cut(24, ()))
    written = write_summary(given, Reflection(18, 24, "word " * 600))
    assert written.tokens == size({"content": written.text}) <= 4_000


def test_memory_that_is_longer_than_its_messages_is_empty() -> None:
    """A summary of a few short messages would cost more than it saves."""
    written = write_summary(replace(BASE, cut=Cut(4, ())), Reflection(2, 4, "word " * 300))
    assert (written.text, written.tokens) == ("", 0)
