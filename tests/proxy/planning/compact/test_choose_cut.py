"""Tests of where the next summary ends, and of the messages that it leaves in place."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.planning.compact.choose_cut import Cut, choose_cut
from tests.proxy.planning.compact.compact_histories import digests_of, measured, rounds, session
from tests.support.builders import assistant, system, user


def cut_of(messages: list[dict[str, Any]], size: int = 50, keep: int = 4, covered: int = 0) -> Cut | None:
    """Return the cut of *messages*, of which each has *size* tokens."""
    return choose_cut(digests_of(messages), measured([size] * len(messages)), keep, covered)


def test_last_messages_stay_with_the_rest_of_their_rounds() -> None:
    """An odd number of kept messages is extended to the beginning of its round."""
    messages = session(10)  # system, user, 20 messages
    assert cut_of(messages, keep=4) == Cut(18, ())
    assert cut_of(messages, keep=5) == Cut(16, ())


def test_cut_within_the_users_current_turn_keeps_the_question() -> None:
    """The user's last words are sent, although they stand before the cut."""
    messages = session(6, 5)  # the second turn begins at 14, with 11 messages
    assert cut_of(messages) == Cut(21, (14,))


def test_words_directly_before_the_last_words_stay_too() -> None:
    """A client may send one message of the user as several."""
    messages = [*session(6), user("First."), user("Second."), *rounds(5, 90)]
    assert cut_of(messages, size=60) == Cut(22, (14, 15))


def test_system_messages_in_the_replaced_part_stay() -> None:
    """Instructions of the client or the operator are never summarized."""
    messages = [*session(3), system("Now in German."), *rounds(5, 50)]
    assert cut_of(messages) == Cut(15, (8,))


@pytest.mark.parametrize(("size", "expected"), [(24, None), (25, Cut(6, ()))])
def test_cut_replaces_at_least_a_tenth_of_the_limit(size: int, expected: Cut | None) -> None:
    """Four messages of 25 tokens are a tenth of 1,000."""
    assert cut_of(session(4), size=size) == expected


def test_messages_that_a_summary_covers_gain_nothing() -> None:
    """The next summary is worth its call for the messages since the last one alone."""
    messages = session(10)
    assert cut_of(messages, covered=18) is None
    assert cut_of(messages, covered=16) == Cut(18, ())
    assert cut_of(messages, size=49, covered=16) is None


def test_short_history_has_no_cut() -> None:
    """Nothing is left between the user's first message and the kept ones."""
    assert cut_of(session(2), size=400) is None


@given(
    st.lists(st.integers(1, 6), min_size=1, max_size=4).map(lambda turns: session(*turns)),
    st.integers(1, 200),
    st.integers(2, 12),
)
def test_cut_keeps_the_newest_messages_and_splits_no_round(
    messages: list[dict[str, Any]], size: int, keep: int
) -> None:
    """The kept messages are never before the cut, and a cut is a boundary."""
    messages = [*messages, assistant("Done.")]
    cut = cut_of(messages, size, keep)
    if cut is not None:
        assert 2 < cut.end <= len(messages) - keep
        assert cut.end in digests_of(messages).boundaries
        assert all(2 <= at < cut.end for at in cut.pinned)
        last = max(at for at, message in enumerate(messages) if message["role"] == "user")
        assert last >= cut.end or last in cut.pinned or last == 1
