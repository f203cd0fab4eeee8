"""Worker threads for CPU work: few, fair among clients, and never joined at the end of the process.

The threads are daemons. The interpreter joins the threads of a ThreadPoolExecutor before it exits. A long piece of work
would then keep the process alive after SIGTERM.
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
"""The client that the running task works for (:mod:`proxy.core.clients`). It is set once for each request."""


class _Job:
    """One piece of work, and the *future* of an event loop that gets its result."""

    __slots__ = ("_future", "_loop", "_work", "limit")

    def __init__(self, work: Callable[[], Any], steps: int, future: asyncio.Future[Any]) -> None:
        self._work: Callable[[], Any] | None = work
        self._future = future
        self._loop = future.get_loop()
        self.limit = WorkLimit(steps)

    def run_job(self) -> None:
        """Do the work, and pass the result to the event loop unless the caller was cancelled.

        An unwanted result is freed in this thread. Freeing a million objects would block the event loop for 0.1 s.
        """
        work, self._work = self._work, None
        assert work is not None
        result, error = None, None
        try:
            with limited_by(self.limit):
                result = work()
        except BaseException as raised:  # noqa: BLE001 - the caller gets it, whatever it is
            del work  # released before the frames, so that they are the last to hold it
            _free_locals(raised)
            error = raised
        if self.limit.ended:
            return
        with suppress(RuntimeError):  # the loop is closed, so nobody waits
            self._loop.call_soon_threadsafe(_settle, self._future, result, error)


class WorkerThreads:
    """At most *number* threads called *name*, which serve all clients in turn."""

    def __init__(self, number: int, name: str) -> None:
        self._number = number
        self._name = name
        self._started = False
        self._changed = threading.Condition()
        self._queue: FairQueue[_Job] = FairQueue()

    @property
    def waiting(self) -> int:
        """The number of pieces of work that wait for a thread."""
        return len(self._queue)

    async def run(self, work: Callable[[], T], steps: int) -> T:
        """Run *work* in a thread. Returns its result, or raises its error.

        The work is queued for the client in :data:`CLIENT`. Raises :class:`sanitizers.work_limit.WorkLimitExceeded` if
        it takes more than *steps* steps. When the task is cancelled, waiting work is not begun, and running work ends
        with its next step.
        """
        client = CLIENT.get()
        future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        job = _Job(work, steps, future)
        del work  # so that the thread frees the objects that it refers to
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
            threading.Thread(target=self._serve, name=f"{self._name}_{number}", daemon=True).start()

    def _serve(self) -> None:
        while True:
            with self._changed:
                while (taken := self._queue.take()) is None:
                    self._changed.wait()
            client, job = taken
            del taken
            job.run_job()
            del job  # so that the waiting thread keeps none of its objects alive
            with self._changed:
                self._queue.done(client)


THREADS = WorkerThreads(2, "large-body")
"""Two threads. Each client uses at most one of them, so the other thread is left for other clients.

More threads would not work faster, since only one thread at a time holds the interpreter lock. DNS look-ups use
asyncio's own threads, so they do not wait for work on large bodies.
"""


def _settle(future: asyncio.Future[Any], result: Any, error: BaseException | None) -> None:
    if future.done():  # cancelled in the meantime
        return
    if error is None:
        future.set_result(result)
    else:
        future.set_exception(error)


def _free_locals(error: BaseException) -> None:
    """Clear the frames that *error* passed through. Their variables refer to objects made from a large body."""
    seen: BaseException | None = error
    while seen is not None:
        traceback.clear_frames(seen.__traceback__)
        seen = seen.__context__
