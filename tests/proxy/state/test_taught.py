"""The answers of a deployment that are counted, and the lessons of a count."""

from __future__ import annotations

from proxy.config import resolve
from proxy.state.taught import Learned, Taught, is_sampled, observe_answer, untaught
from tests.support.proxied import settings_of


def new() -> Taught:
    """Return the lessons of a new deployment."""
    (found,) = resolve(settings_of({"m": "openai/nobody-knows-it"}), "m")
    return untaught(found)


def test_the_first_answers_are_counted_until_three_have_taught() -> None:
    """Afterwards one in sixteen is counted."""
    taught = new()
    for at in range(3):
        assert is_sampled(taught, float(at))
        observe_answer(taught, 1_000, 1_200, media=False)

    counted = [number for number in range(4, 50) if is_sampled(taught, float(number))]

    assert counted == [16, 32, 48]


def test_later_counts_are_a_second_apart() -> None:
    """A busy deployment is not counted more often."""
    taught = new()
    for _ in range(3):
        observe_answer(taught, 1_000, 1_200, media=False)
    taught.answers = 15

    assert is_sampled(taught, 10.0)
    taught.answers = 31
    assert not is_sampled(taught, 10.9)
    taught.answers = 47
    assert is_sampled(taught, 11.0)


def test_new_answers_that_teach_nothing_are_counted_64_times() -> None:
    """Small answers do not use up the first three."""
    taught = new()

    assert all(is_sampled(taught, 0.0) for _ in range(64))
    assert not is_sampled(taught, 0.0)


def test_a_larger_answered_prompt_ends_a_learned_window() -> None:
    """An equal one does not."""
    taught = new()
    taught.learned = Learned(1_000)

    windows = []
    for actual in (1_000, 1_001):
        observe_answer(taught, 900, actual, media=False)
        windows.append(taught.learned)

    assert windows == [Learned(1_000), None]
    assert taught.proved == 1_001


def test_a_count_makes_the_factor_the_tenant_s_own() -> None:
    """Media teach no factor."""
    taught = new()
    observe_answer(taught, 1_000, 1_500, media=True)
    assert not taught.has_factor

    observe_answer(taught, 1_000, 1_500, media=False)
    assert (taught.has_factor, taught.has_own_factor) == (True, True)
    assert taught.calibration.live == 1.5
