"""Measures work in CPU time of the current thread, which excludes other processes and threads."""

from __future__ import annotations

import time
from collections.abc import Callable

_RUNS = 3


def cpu_seconds(work: Callable[[], object], bound: float) -> float:
    """Return this thread's CPU seconds for *work*: of the first run below *bound*, or the best of three runs.

    A garbage collection or a slow core rarely lasts until the next run. A quadratic cost is high in every run.
    """
    best = float("inf")
    for _ in range(_RUNS):
        began = time.thread_time()
        work()
        best = min(best, time.thread_time() - began)
        if best < bound:
            break
    return best
