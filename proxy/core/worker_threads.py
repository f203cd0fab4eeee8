"""Worker threads for CPU work: few, fair among clients, and never waited for at the end of the process.

The threads are daemons. The interpreter joins the threads of a ThreadPoolExecutor before it exits, however long they
work, so that a process stayed alive after SIGTERM.
"""

from __future__ import annotations

import asyncio
import threading
import traceback
from collections.abc import Callable
from contextlib import suppress
from contextvars import ContextVar
from typing import Any, TypeVar

from proxy.core.fair_queue import FairQueue
from sanitizers.work_limit import WorkLimit, limited_by

T = TypeVar("T")

CLIENT: ContextVar[str] = ContextVar("client", default="")
"""The client that the running task works for (:mod:`proxy.core.clients`); set once for each request."""


class _Job:
    """One piece of work, which *future*, of *loop*, gets the outcome of."""

    __slots__ = ("_future", "_loop", "_work", "limit")

    def __init__(self, work: Callable[[], Any], steps: int, future: asyncio.Future[Any]) -> None:
        self._work: Callable[[], Any] | None = work
        self._future = future
        self._loop = future.get_loop()
        self.limit = WorkLimit(steps)

    def do(self) -> None:
        """Do the work, and hand the outcome over unless nobody waits for it any more.

        What nobody gets is freed here: to free a million objects on the event loop would hold it for 0.1 s.
        """
        work, self._work = self._work, None
        assert work is not None
        result, error = None, None
        try:
            with limited_by(self.limit):
                result = work()
        except BaseException as raised:  # noqa: BLE001 - whoever waits gets it, whatever it is
            del work  # before the frames, which hold no more of it then
            _free_locals(raised)
            error = raised
        if self.limit.ended:
            return
        with suppress(RuntimeError):  # the loop is closed: nobody waits
            self._loop.call_soon_threadsafe(_settle, self._future, result, error)


class WorkerThreads:
    """At most *number* threads called *name*, which take the work of all clients in turn."""

    def __init__(self, number: int, name: str) -> None:
        self._number = number
        self._name = name
        self._started = False
        self._changed = threading.Condition()
        self._queue: FairQueue[_Job] = FairQueue()

    @property
    def waiting(self) -> int:
        """How many pieces of work wait for a thread."""
        return len(self._queue)

    async def run(self, work: Callable[[], T], steps: int) -> T:
        """Return what *work* returns in a thread, or raise what it raises; it has *steps* to spend.

        The work is done for the current :data:`CLIENT`. When the task is cancelled, work that waits is not begun, and
        work that has begun ends with its next step. Raises :class:`sanitizers.work_limit.WorkLimitExceeded` for work
        that takes more than *steps*.
        """
        client = CLIENT.get()
        future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        job = _Job(work, steps, future)
        del work  # the thread frees what it holds
        self._put(client, job)
        try:
            return await future
        except asyncio.CancelledError:
            job.limit.end()
            with self._changed:
                self._queue.discard(client, job)
            raise

    def _put(self, client: str, job: _Job) -> None:
        with self._changed:
            self._queue.put(client, job)
            self._changed.notify()
            if self._started:
                return
            self._started = True
        for number in range(self._number):
            threading.Thread(target=self._work_on, name=f"{self._name}_{number}", daemon=True).start()

    def _work_on(self) -> None:
        while True:
            with self._changed:
                while (taken := self._queue.take()) is None:
                    self._changed.wait()
            client, job = taken
            del taken
            job.do()
            del job  # nothing of it is kept while the thread waits
            with self._changed:
                self._queue.done(client)


THREADS = WorkerThreads(2, "large-body")
"""Two, since a client has one at most, and others are to have the other. More would not work faster: one holds the
interpreter at a time. Look-ups of names use asyncio's own threads, and do not wait behind large bodies."""


def _settle(future: asyncio.Future[Any], result: Any, error: BaseException | None) -> None:
    if future.done():  # cancelled meanwhile
        return
    if error is None:
        future.set_result(result)
    else:
        future.set_exception(error)


def _free_locals(error: BaseException) -> None:
    """Clear the frames that *error* came through: their variables hold all that was made of a large body."""
    seen: BaseException | None = error
    while seen is not None:
        traceback.clear_frames(seen.__traceback__)
        seen = seen.__context__
