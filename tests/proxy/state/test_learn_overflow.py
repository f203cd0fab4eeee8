"""Tests of what one overflow error teaches: a window and a factor, if its numbers are plausible."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.resilience.read_overflow import Overflow
from proxy.state.learn_overflow import Lesson, Refused, learn_overflow
from proxy.state.lessons import Learned
from sanitizers.budget.calibration import Calibration

NEW = Calibration(1.15, 1.15)


def lesson(
    said: Overflow,
    *,
    estimated: int = 10_000,
    known: int | None = None,
    asked: int | None = None,
    state: Calibration = NEW,
    proved: int = 0,
    media: bool = False,
) -> Lesson:
    """Return what is learned from one overflow error."""
    return learn_overflow(said, Refused(estimated, asked, known, media), state, proved)


def test_plausible_numbers_become_window_and_factor() -> None:
    """The provider's limit becomes the window, and its count of the prompt gives the factor."""
    assert lesson(Overflow(8_192, 15_000)) == Lesson(Calibration(1.5, 1.5, 1), Learned(8_192), None)


@pytest.mark.parametrize(
    ("said", "more"),
    [
        (Overflow(12), {"estimated": 9, "known": 8_192}),  # a client's words, quoted; none is smaller
        (Overflow(128, 20_000), {"known": 128_000}),
        (Overflow(8_000), {"proved": 8_001, "known": 128_000}),  # as large a prompt was answered
        (Overflow(6_000), {"known": 128_000}),  # the catalogue says twenty times as much
        (Overflow(200_000, 50), {"known": 200_000}),  # contradicts itself
        (Overflow(of_bytes=True), {"estimated": 50_000}),
        (Overflow(), {"estimated": 200}),
        (Overflow(), {"estimated": 227, "known": 128_000}),
        (Overflow(), {"media": True}),
        (Overflow(128, 3_000), {"estimated": 2_000}),
    ],
)
def test_an_implausible_error_teaches_nothing(said: Overflow, more: dict[str, Any]) -> None:
    """Window and factor stay. Only the retry of this request is made smaller."""
    found = lesson(said, **more)

    assert (found.calibration, found.learned) == (NEW, None)
    assert found.most is not None
    assert found.most < more.get("estimated", 10_000)


@pytest.mark.parametrize(
    ("said", "asked", "factor"),
    [
        (Overflow(8_192, 20_000, 8_000, with_output=True), 8_000, 1.2),
        (Overflow(8_192, 20_000, with_output=True), 8_000, 1.2),
        (Overflow(8_192, 20_000, with_output=True), None, 1.15),  # nobody knows how much is the answer's
        (Overflow(8_192, 9_000, 8_000, with_output=True), 8_000, 1.15),  # it was the answer that had no room
    ],
)
def test_the_answers_share_is_not_the_prompts(said: Overflow, asked: int | None, factor: float) -> None:
    """OpenAI's count of requested tokens includes the answer, whose share is subtracted."""
    known = Calibration(1.15, 1.15, 5)

    found = lesson(said, asked=asked, state=known)

    assert found.calibration.live == pytest.approx(factor)
    assert found.learned == Learned(8_192)


def test_a_limit_alone_is_the_least_that_the_prompt_has() -> None:
    """A limit without a count means that the prompt has at least so many tokens, which raises the factor."""
    found = lesson(Overflow(30_000), estimated=20_000, known=30_000)

    assert found.calibration == Calibration(1.5, 1.5)
    assert found.learned == Learned(30_000)
    assert found.most == 24_000


def test_no_numbers_near_the_known_window_raise_the_factor() -> None:
    """An overflow near the known window means that the factor was too small. The known window stays."""
    found = lesson(Overflow(), estimated=100_000, known=128_000)

    assert found == Lesson(Calibration(1.28, 1.28), None, int(128_000 * 0.8))


def test_no_numbers_and_no_window_give_a_guess() -> None:
    """Without numbers and without a known window, the refused size becomes a guessed window."""
    assert lesson(Overflow()).learned == Learned(11_500, guessed=True)
    assert lesson(Overflow(), proved=11_501).learned is None


def test_media_teach_no_factor() -> None:
    """The tokens of an image are a guess. The window is still learned."""
    found = lesson(Overflow(8_192, 15_000), media=True)

    assert (found.calibration, found.learned) == (NEW, Learned(8_192))
