"""The end of a serving process, in bounded time, whatever its threads do.

A thread cannot be ended from outside. The interpreter waits for the threads of executors before it exits, and so does
asyncio's runner, both without a limit (CPython 3.11). A look-up of a name, an import or a long call into C would keep a
process alive that was told to stop.
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
"""Seconds for the last log lines where the process is ended by force."""

_THREADS_S = 0.2
"""Seconds that threads have to end by themselves when there is nothing left to serve."""


class ProcessEnd:
    """The end of one process; *flush_log* writes the lines that are left, in as many seconds as it is told."""

    def __init__(self, flush_log: Callable[[float], None]) -> None:
        self._flush_log = flush_log
        self._lock = threading.Lock()
        self._told = False

    def force_after(self, seconds: float) -> None:
        """End the process with status 0 after *seconds*, unless it has ended by then."""
        threading.Thread(target=self._force, args=(seconds,), name="process-end", daemon=True).start()

    def tell(self) -> None:
        """Write the log line ``stopped``, once."""
        with self._lock:
            if not self._told:
                self._told = True
                get_log().info("stopped")

    def _force(self, seconds: float) -> None:
        time.sleep(seconds)
        self.tell()
        self._flush_log(_FLUSH_S)
        os._exit(0)


def run_until_done(main: Coroutine[Any, Any, int], make_loop: Callable[[], asyncio.AbstractEventLoop]) -> int:
    """Return what *main* returns in an event loop of its own, as :func:`asyncio.run`, but wait for no thread."""
    runner = asyncio.Runner(loop_factory=make_loop)
    executor = ThreadPoolExecutor(
        thread_name_prefix="asyncio"
    )  # the loop's default, which asyncio does not show
    runner.get_loop().set_default_executor(executor)
    try:
        return runner.run(main)
    finally:
        executor.shutdown(wait=False, cancel_futures=True)
        if _threads_end():
            runner.close()


def leave(status: int) -> int:
    """Return *status*, or end the process with it at once where the interpreter would wait for a thread.

    To be called when all that matters is written.
    """
    if _threads_end():
        return status
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(status)


def _threads_end() -> bool:
    """Tell whether all threads that the interpreter waits for end soon."""
    until = time.monotonic() + _THREADS_S
    for thread in threading.enumerate():
        if thread is not threading.current_thread() and not thread.daemon:
            thread.join(max(0.0, until - time.monotonic()))
            if thread.is_alive():
                return False
    return True
