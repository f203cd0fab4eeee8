"""Tests of the shared lessons of one tenant and deployment, of which a process may hold several copies."""

from __future__ import annotations

from dataclasses import replace

import pytest

from proxy.state.agreement import Agreement
from proxy.state.lessons import DeploymentLessons, Learned, no_lessons, observe_answer
from proxy.state.sharing.coded_window import CodedWindow
from proxy.state.sharing.lesson_pair import LessonPair
from proxy.state.sharing.lesson_values import NO_USAGE, Factor, Window, write_factor
from proxy.state.spaces import LESSONS
from tests.proxy.planning.budgets.shapes import deployment_of
from tests.proxy.state.flaky_memory import FlakyMemory
from tests.proxy.state.lesson_replicas import Clock

NAME = "0" * 32


class Reach:
    """Says if the store has answered last."""

    def __init__(self) -> None:
        self.is_reachable = True

    def __call__(self) -> bool:
        return self.is_reachable


@pytest.fixture
def reach() -> Reach:
    """Return that the store has answered."""
    return Reach()


@pytest.fixture
def changed() -> list[LessonPair]:
    """Return the list of pairs that have changed."""
    return []


@pytest.fixture
def pair(reach: Reach, changed: list[LessonPair]) -> LessonPair:
    """Return a pair with two copies."""
    pair = LessonPair((NAME, "a"), CodedWindow(NAME), changed.append, reach)
    for _ in range(2):
        pair.add_copy(no_lessons(deployment_of()), Agreement(), 0.0)
    return pair


def copies(pair: LessonPair) -> tuple[DeploymentLessons, DeploymentLessons]:
    """Return the two copies."""
    (first, _), (second, _) = pair.copies.values()
    return first, second


def answer(pair: LessonPair, lessons: DeploymentLessons, actual: int = 13_000) -> None:
    """Learn from an answered prompt."""
    before = replace(lessons)
    observe_answer(lessons, 10_000, actual, media=False)
    pair.note_answer(lessons, before, actual)


def test_a_moved_factor_is_held_until_it_has_won(pair: LessonPair, changed: list[LessonPair]) -> None:
    first, _ = copies(pair)
    old = first.calibration.sticky
    answer(pair, first)
    assert (first.calibration.live, first.calibration.sticky) == (1.3, old)
    assert not first.has_own_factor
    assert changed == [pair]


def test_a_moved_factor_is_not_held_without_the_store(pair: LessonPair, reach: Reach) -> None:
    reach.is_reachable = False
    first, _ = copies(pair)
    answer(pair, first)
    assert first.calibration.sticky == 1.3
    assert pair.has_writes


async def test_all_copies_get_the_winner(pair: LessonPair) -> None:
    first, second = copies(pair)
    answer(pair, first)
    assert await pair.write(FlakyMemory(Clock()), 0.0)
    assert first.calibration.sticky == second.calibration.sticky == 1.3
    assert first.has_own_factor
    assert second.has_own_factor
    assert not pair.has_writes


async def test_a_store_that_says_nothing_is_reported(pair: LessonPair) -> None:
    store = FlakyMemory(Clock())
    store.down = True
    first, second = copies(pair)
    answer(pair, first)
    assert not await pair.write(store, 0.0)
    assert first.calibration.sticky == second.calibration.sticky == 1.3
    assert pair.has_writes


async def test_a_value_that_vanished_is_written_anew(pair: LessonPair) -> None:
    store = FlakyMemory(Clock())
    pair.see_lessons({NAME: write_factor(Factor(7, 1.2, own=True, observed=True))}, 0.0, is_new=False)
    answer(pair, copies(pair)[0], 17_000)
    assert await pair.write(store, 0.0)
    assert NAME in await store.get(LESSONS, [NAME], tenant="a")


async def test_a_lesson_that_the_store_lost_is_proposed_again(pair: LessonPair) -> None:
    store = FlakyMemory(Clock())
    pair.see_lessons({NAME: write_factor(Factor(7, 1.2, own=True, observed=True))}, 0.0, is_new=False)
    pair.see_lessons({}, 5.0, is_new=False)
    assert pair.has_writes
    await pair.write(store, 5.0)
    assert await store.get(LESSONS, [NAME], tenant="a") == {
        NAME: write_factor(Factor(1, 1.2, own=True, observed=True))
    }


def test_a_new_process_proposes_nothing(pair: LessonPair) -> None:
    pair.see_lessons({}, 0.0, is_new=True)
    assert not pair.has_writes


async def test_an_observation_is_added_to_a_factor_that_has_none(pair: LessonPair) -> None:
    """All processes then keep the same share of the window free."""
    first, _ = copies(pair)
    answer(pair, first, 12_000)
    pair.see_lessons({NAME: write_factor(Factor(1, 1.3, own=False, observed=False))}, 0.0, is_new=False)
    waits = pair.factor.proposal
    assert waits is not None
    assert (waits.sticky, waits.own, waits.observed) == (1.3, False, True)


def test_a_lack_of_usage_is_taken_over(pair: LessonPair) -> None:
    pair.see_lessons({pair.usage_key: NO_USAGE}, 0.0, is_new=False)
    assert not any(lessons.reports_usage for lessons in copies(pair))


def test_a_lack_of_usage_that_has_expired_is_not_published_again(pair: LessonPair) -> None:
    """After a week, a new process asks again. An emptied store gets the lesson back."""
    pair.see_lessons({pair.usage_key: NO_USAGE}, 0.0, is_new=False)
    pair.see_lessons({}, 5.0, is_new=False)
    assert not pair.has_writes
    pair.see_lessons({}, 10.0, is_new=True)
    assert pair.has_writes


def test_a_proved_window_is_taken_over_by_no_copy_that_proved_it(pair: LessonPair) -> None:
    first, second = copies(pair)
    first.proved = 9_000
    pair.adopt_window(Window(Learned(8_000)), 0.0, 3_600.0)
    assert (first.learned, second.learned) == (None, Learned(8_000))


def test_a_new_copy_begins_with_the_factor_that_stands(pair: LessonPair) -> None:
    pair.see_lessons({NAME: write_factor(Factor(7, 1.2, own=True, observed=True))}, 0.0, is_new=False)
    lessons = no_lessons(deployment_of())
    pair.add_copy(lessons, Agreement(), 0.0)
    assert lessons.calibration.sticky == 1.2
    assert lessons.share is pair


def test_a_removed_copy_is_not_shared(pair: LessonPair) -> None:
    first, _ = copies(pair)
    pair.remove_copy(first)
    assert first.share is None
    assert len(pair.copies) == 1
