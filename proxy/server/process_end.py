"""Ends a serving process in bounded time, even if a thread does not end.

A thread cannot be ended from outside. Before the interpreter exits, it waits for the threads of executors. asyncio's
runner does the same. Neither has a time limit (CPython 3.11). A DNS look-up, an import or a long call into C would keep
a process alive after SIGTERM.
"""

from __future__ import annotations

import asyncio
import os
import sys
import threading
import time
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

from proxy.observability.logs import get_log

_FLUSH_S = 0.3
"""Seconds for the last log lines when the process is ended by force."""

_THREADS_S = 0.2
"""Seconds in which threads may end by themselves after the last request has ended."""


class ProcessEnd:
    """The end of one process. *flush_log* writes the remaining log lines within a given number of seconds."""

    def __init__(self, flush_log: Callable[[float], None]) -> None:
        self._flush_log = flush_log
        self._lock = threading.Lock()
        self._logged = False

    def force_after(self, seconds: float) -> None:
        """End the process with status 0 after *seconds*, unless it has ended by then."""
        threading.Thread(target=self._force, args=(seconds,), name="process-end", daemon=True).start()

    def log_stopped(self) -> None:
        """Write the log line ``stopped``, once."""
        with self._lock:
            if not self._logged:
                self._logged = True
                get_log().info("stopped")

    def _force(self, seconds: float) -> None:
        time.sleep(seconds)
        self.log_stopped()
        self._flush_log(_FLUSH_S)
        os._exit(0)


def run_until_done(main: Coroutine[Any, Any, int], make_loop: Callable[[], asyncio.AbstractEventLoop]) -> int:
    """Run *main* in a new event loop and return its result.

    Unlike :func:`asyncio.run`, this function waits at most :data:`_THREADS_S` for threads.
    """
    runner = asyncio.Runner(loop_factory=make_loop)
    executor = ThreadPoolExecutor(
        thread_name_prefix="asyncio"
    )  # set as the loop's default executor; asyncio has no way to get the default one
    runner.get_loop().set_default_executor(executor)
    try:
        return runner.run(main)
    finally:
        executor.shutdown(wait=False, cancel_futures=True)
        if _threads_end():
            runner.close()


def exit_process(status: int) -> int:
    """Return *status*. If a thread still runs after :data:`_THREADS_S`, end the process with *status*.

    Call this function after everything important is written.
    """
    if _threads_end():
        return status
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(status)


def _threads_end() -> bool:
    """Wait a moment for the threads that the interpreter would wait for. Returns False if one is still running."""
    until = time.monotonic() + _THREADS_S
    for thread in threading.enumerate():
        if thread is not threading.current_thread() and not thread.daemon:
            thread.join(max(0.0, until - time.monotonic()))
            if thread.is_alive():
                return False
    return True
