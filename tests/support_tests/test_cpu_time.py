"""Tests that CPU seconds are measured in up to three runs, and only for this thread's work."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from tests.support.cpu_time import cpu_seconds


def burn(seconds: float) -> None:
    """Keep this thread busy for *seconds* of CPU time."""
    until = time.thread_time() + seconds
    while time.thread_time() < until:
        pass


def counted(*seconds: float) -> tuple[list[float], Callable[[], None]]:
    """Return the list of times that are left, and a function that burns CPU for the next time in the list."""
    left = list(seconds)
    return left, lambda: burn(left.pop(0))


def test_first_run_within_the_bound_is_enough() -> None:
    """Fast work runs once. Work over the bound runs again, at most three times in all."""
    left, work = counted(0, 0)
    assert cpu_seconds(work, bound=1) < 1
    assert len(left) == 1

    left, work = counted(0.05, 0, 0)
    assert cpu_seconds(work, bound=0.05) < 0.05
    assert len(left) == 1

    left, work = counted(0.05, 0.04, 0.05)
    assert cpu_seconds(work, bound=0.01) >= 0.04
    assert left == []


def test_other_threads_and_waiting_do_not_count() -> None:
    """Neither the CPU time of another thread nor the time of a sleep counts."""

    def work() -> None:
        other = threading.Thread(target=burn, args=(0.2,))
        other.start()
        time.sleep(0.2)
        other.join()

    assert cpu_seconds(work, bound=0.15) < 0.15
