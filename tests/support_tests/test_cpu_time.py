"""The measure of CPU seconds: what it repeats, what it leaves out, and that it does find what is slow."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from tests.support.cpu_time import cpu_seconds


def burn(seconds: float) -> None:
    """Keep this thread at work."""
    until = time.thread_time() + seconds
    while time.thread_time() < until:
        pass


def counted(*seconds: float) -> tuple[list[float], Callable[[], None]]:
    """Return work whose runs take so long, and the list of those that are left."""
    left = list(seconds)
    return left, lambda: burn(left.pop(0))


def test_first_run_within_the_bound_is_enough() -> None:
    """What is fast at once runs once, what stumbles first runs again, and what is slow is slow three times."""
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
    """Only what this thread works on does."""

    def work() -> None:
        other = threading.Thread(target=burn, args=(0.2,))
        other.start()
        time.sleep(0.2)
        other.join()

    assert cpu_seconds(work, bound=0.15) < 0.15
