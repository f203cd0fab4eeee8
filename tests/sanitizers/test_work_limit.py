"""Tests of the limit of steps for one piece of work."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from sanitizers import sanitize, validate_messages
from sanitizers.profiles import OPENAI
from sanitizers.work_limit import WorkLimit, WorkLimitExceeded, limited_by, metered, spend
from tests.support.builders import assistant, call, tool, user


def test_without_a_limit_nothing_is_counted() -> None:
    """Without a limit, the iterable itself is returned."""
    items = [1, 2, 3]
    assert metered(items) is items
    spend(10**9)


def go_through(seen: list[int]) -> None:
    """Append ten numbers from a metered iterable, which spends a step for each."""
    for item in metered(range(10)):
        seen.append(item)


def step_by_step(seen: list[int]) -> None:
    """Append ten numbers, each after spending a step."""
    for item in range(10):
        spend()
        seen.append(item)


def end_at_two(limit: WorkLimit, seen: list[int]) -> None:
    """Append numbers, and end the work at the third."""
    for item in metered(range(10**6)):
        seen.append(item)
        if item == 2:
            limit.end()


@pytest.mark.parametrize("work", [go_through, step_by_step])
def test_work_stops_before_the_first_step_beyond_the_limit(work: Callable[[list[int]], object]) -> None:
    """Work with exactly enough steps ends normally."""
    seen: list[int] = []
    with limited_by(WorkLimit(10)):
        work(seen)
    assert seen == [*range(10)]

    seen.clear()
    with pytest.raises(WorkLimitExceeded), limited_by(WorkLimit(4)):
        work(seen)
    assert seen == [0, 1, 2, 3]


def test_work_that_was_ended_takes_no_further_step() -> None:
    """Work whose limit is ended, as another thread may do, takes no further step."""
    limit, seen = WorkLimit(10**9), list[int]()
    with pytest.raises(WorkLimitExceeded), limited_by(limit):
        end_at_two(limit, seen)
    assert seen == [0, 1, 2]


def test_work_that_swallows_the_error_gets_it_again() -> None:
    """Each later step raises the error again."""
    limit = WorkLimit(1)
    with limited_by(limit):
        for _ in range(3):
            with pytest.raises(WorkLimitExceeded):
                spend(2)


def test_a_limit_holds_for_its_context_alone() -> None:
    """The limit is removed after an error too."""
    with pytest.raises(WorkLimitExceeded), limited_by(WorkLimit(0)):
        spend()
    spend()


def steps_for(rounds: int) -> int:
    """Return the steps for checking and repairing a history in which each round lacks a result."""
    history = [user("go")]
    for number in range(rounds):
        history += [assistant(calls=[call(f"a{number}"), call(f"b{number}")]), tool(f"a{number}", "done")]
    limit = WorkLimit(10**9)
    with limited_by(limit):
        sanitize(validate_messages(history), OPENAI)
    return 10**9 - limit.left


def test_a_repair_spends_steps_by_the_message() -> None:
    """A history of twice the length takes about twice the steps."""
    small, large = steps_for(100), steps_for(200)
    assert small > 200
    assert large < 2.2 * small
