"""Tests that the text of a stream is kept within bounds, and that its tokens are estimated."""

from __future__ import annotations

import sys

import pytest

from proxy.answers.received_text import FOLD_EVERY, ReceivedText


def received(*pieces: str, folds: int = 1) -> ReceivedText:
    """Return the text of *pieces*, folded after each of *folds* equal parts."""
    text = ReceivedText()
    step = max(1, len(pieces) // folds)
    for start in range(0, len(pieces), step):
        text.pieces += pieces[start : start + step]
        text.fold()
    return text


def test_tokens_are_those_of_the_joined_text() -> None:
    """A word that came in two pieces is one word."""
    seen: list[str] = []

    def count(text: str) -> float:
        seen.append(text)
        return 3.0

    text = received("Hal", "lo", folds=2)
    text.pieces.append(" you")

    assert text.tokens(count) == 3.0
    assert seen == ["Hallo you"]


@pytest.mark.parametrize(
    ("pieces", "empty"), [((), True), (("",), True), (("", "x"), False), (("x", ""), False)]
)
@pytest.mark.parametrize("folded", [False, True])
def test_text_is_empty_until_a_letter_comes(pieces: tuple[str, ...], empty: bool, folded: bool) -> None:
    text = ReceivedText()
    text.pieces += pieces
    if folded:
        text.fold()

    assert text.is_empty is empty


def test_reported_text_is_forgotten() -> None:
    text = received("word " * 100)
    text.pieces.append("more")
    text.forget()

    assert text.is_empty
    assert (text.weight, text.tokens(len)) == (0, 0)


def test_long_text_is_counted_by_its_beginning() -> None:
    """A million letters count at the rate of the kept ones, whose memory is bounded."""
    text = received(*["tide "] * 200_000, folds=800)

    assert text.weight < 70_000
    assert text.tokens(lambda kept: len(kept) / 5) == pytest.approx(200_000)
    assert sum(map(sys.getsizeof, text._joined)) < 2 * 70_000


def test_fold_comes_after_some_pieces() -> None:
    """The pieces between two folds take a few KiB."""
    assert FOLD_EVERY * sys.getsizeof("tide ") < 2**14
