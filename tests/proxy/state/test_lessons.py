"""Tests of which answers' usage is compared with the estimate, and of what a comparison teaches."""

from __future__ import annotations

from proxy.state.lessons import DeploymentLessons, Learned, is_sampled, no_lessons, observe_answer
from tests.proxy.planning.budgets.shapes import deployment_of


def new() -> DeploymentLessons:
    """Return the lessons (learned facts) of a new deployment."""
    return no_lessons(deployment_of())


def test_the_first_answers_are_counted_until_three_have_taught() -> None:
    """After three comparisons that gave a factor, one answer in sixteen is compared."""
    lessons = new()
    for at in range(3):
        assert is_sampled(lessons, float(at))
        observe_answer(lessons, 1_000, 1_200, media=False)

    counted = [number for number in range(4, 50) if is_sampled(lessons, float(number))]

    assert counted == [16, 32, 48]


def test_later_counts_are_a_second_apart() -> None:
    """The answers of a busy deployment are compared at most once a second."""
    lessons = new()
    for _ in range(3):
        observe_answer(lessons, 1_000, 1_200, media=False)
    lessons.answers = 15

    assert is_sampled(lessons, 10.0)
    lessons.answers = 31
    assert not is_sampled(lessons, 10.9)
    lessons.answers = 47
    assert is_sampled(lessons, 11.0)


def test_new_answers_that_teach_nothing_are_counted_64_times() -> None:
    """Until three answers have given a factor, each of the first 64 answers is compared."""
    lessons = new()

    assert all(is_sampled(lessons, 0.0) for _ in range(64))
    assert not is_sampled(lessons, 0.0)


def test_a_larger_answered_prompt_ends_a_learned_window() -> None:
    """An answered prompt of exactly the window's size does not end the window."""
    lessons = new()
    lessons.learned = Learned(1_000)

    windows = []
    for actual in (1_000, 1_001):
        observe_answer(lessons, 900, actual, media=False)
        windows.append(lessons.learned)

    assert windows == [Learned(1_000), None]
    assert lessons.proved == 1_001


def test_a_count_makes_the_factor_the_tenant_s_own() -> None:
    """An answer to a request with media gives no factor."""
    lessons = new()
    observe_answer(lessons, 1_000, 1_500, media=True)
    assert not lessons.has_factor

    observe_answer(lessons, 1_000, 1_500, media=False)
    assert (lessons.has_factor, lessons.has_own_factor) == (True, True)
    assert lessons.calibration.live == 1.5
