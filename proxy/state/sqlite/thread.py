"""The thread that owns the connection of an SQLite store.

    requests of the event loop ▶ queue ▶ this thread ▶ one call into the event loop for all answers of a round

A read is answered at once. The first write begins a transaction, which is committed 10 ms later or with 500 rows.
Writes are acknowledged after the commit. Reads see uncommitted writes too, since all use one connection.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from time import monotonic
from typing import Any, TypeAlias

from proxy.state.external.backend import StoreFault, StoreInUse
from proxy.state.sqlite.database import SqliteDatabase
from proxy.state.sqlite.entries import SqliteEntries
from proxy.state.sqlite.file import read_fault

BATCH_S = 0.01
BATCH_ROWS = 500
_ROUND = 64
"""The most requests that are taken from the queue before their answers are handed over."""

SWEEP_S = 10.0
_NEXT_SWEEP_S = 1.0
"""Seconds until the first sweep, and until the next sweep where one has left expired entries."""

Work: TypeAlias = Callable[[SqliteEntries, float], Any]
"""Work on the entries. It takes the entries and the wall clock's time in seconds."""


@dataclass(frozen=True, slots=True)
class SqliteFile:
    """The file of a store, its limit, and the function to call with the new path of a file set aside, and the reason.

    *clock* is the wall clock, in seconds. *sweep_s* is the time between two sweeps.
    """

    path: str
    max_bytes: int
    on_set_aside: Callable[[str, str], None]
    clock: Callable[[], float]
    sweep_s: float = SWEEP_S


@dataclass(frozen=True, slots=True)
class Request:
    """Work whose result an event loop waits for. *rows* is the number of rows that it writes, 0 for a read.

    None in place of the work ends the thread.
    """

    work: Work | None
    future: asyncio.Future[Any]
    rows: int = 0


_Answer: TypeAlias = tuple[asyncio.Future[Any], Any, Exception | None]


class SqliteThread:
    """Serves requests for *file* in a thread (:meth:`run`), on behalf of the event loop *loop*."""

    def __init__(self, file: SqliteFile, loop: asyncio.AbstractEventLoop) -> None:
        self._file = file
        self._loop = loop
        self._database = SqliteDatabase(file.path, file.clock, self._note_set_aside)
        self.requests = SimpleQueue[Request]()
        """The requests that wait. The request that ends the thread is the last one."""

        self.opened: asyncio.Future[Exception | None] = loop.create_future()
        """Done with None once the file is open, or with the reason why it is not. The thread has then ended."""

        self.batches = 0
        """The number of commits so far."""

        self._answers: list[_Answer] = []
        self._uncommitted: list[tuple[asyncio.Future[Any], Any]] = []
        self._rows = 0
        self._commit_at = 0.0
        self._sweep_at = 0.0

    def run(self) -> None:
        """Open the file, serve requests until the one that ends the thread, and close the file."""
        failure: Exception | None = None
        try:
            self._database.open()
        except Exception as error:  # noqa: BLE001 - every failure is for the caller of open()
            failure = error if isinstance(error, StoreInUse) else read_fault(error)
        self._answers.append((self.opened, failure, None))
        self._deliver()
        if failure is not None:
            return
        self._sweep_at = monotonic() + min(_NEXT_SWEEP_S, self._file.sweep_s)
        ended = None
        while ended is None:
            ended = self._serve_round()
        self._commit()
        self._database.close()
        self._answers.append((ended, None, None))
        self._deliver()

    def _serve_round(self) -> asyncio.Future[Any] | None:
        """Serve the requests that wait, or wait for one. Return the future of the request that ends the thread."""
        for request in self._take():
            if request.work is None:
                return request.future
            self._serve(request, request.work)
        now = monotonic()
        if self._database.in_transaction and now >= self._commit_at:
            self._commit()
        if now >= self._sweep_at:
            self._sweep()
        self._deliver()
        return None

    def _take(self) -> list[Request]:
        until = self._sweep_at
        if self._database.in_transaction:
            until = min(until, self._commit_at)
        taken = []
        with suppress(Empty):
            taken.append(self.requests.get(timeout=max(0.0, until - monotonic())))
            while len(taken) < _ROUND:
                taken.append(self.requests.get_nowait())
        return taken

    def _serve(self, request: Request, work: Work) -> None:
        try:
            entries = self._database.entries
            if request.rows and self._database.begin():
                self._commit_at = monotonic() + BATCH_S
            result = work(entries, self._file.clock())
        except Exception as error:  # noqa: BLE001 - the thread outlives every failure
            self._fail(error, request.future)
            return
        if not request.rows:
            self._answers.append((request.future, result, None))
            return
        self._uncommitted.append((request.future, result))
        self._rows += request.rows
        if self._rows >= BATCH_ROWS:
            self._commit()

    def _commit(self) -> None:
        """Commit the open transaction and acknowledge its writes. Uses and evictions go into the same transaction."""
        if not self._database.in_transaction:
            return
        try:
            entries = self._database.entries
            entries.write_uses(self._file.clock())
            entries.evict(self._file.max_bytes)
            self._database.commit()
        except Exception as error:  # noqa: BLE001 - the thread outlives every failure
            self._fail(error)
            return
        self.batches += 1
        self._answers += [(future, result, None) for future, result in self._uncommitted]
        self._uncommitted.clear()
        self._rows = 0

    def _sweep(self) -> None:
        """Delete expired entries. Open the file anew if another file stands under its name."""
        self._sweep_at = monotonic() + self._file.sweep_s
        self._commit()
        try:
            self._database.follow_name()
            entries = self._database.entries
            self._database.begin()
            has_more = entries.sweep(self._file.clock())
            self._commit()
            entries.return_pages()
        except Exception as error:  # noqa: BLE001 - the next sweep tries again
            self._fail(error)
            return
        if has_more:
            self._sweep_at = monotonic() + min(_NEXT_SWEEP_S, self._file.sweep_s)

    def _fail(self, error: Exception, *futures: asyncio.Future[Any]) -> None:
        """Recover from *error*. *futures* fail with it, and so do all writes that wait for their commit."""
        fault = self._database.recover(error)
        failed = [*(future for future, _ in self._uncommitted), *futures]
        self._answers += [(future, None, StoreFault(fault.kind, str(fault))) for future in failed]
        self._uncommitted.clear()
        self._rows = 0

    def _note_set_aside(self, name: str, reason: str) -> None:
        with suppress(RuntimeError):  # the event loop is closed
            self._loop.call_soon_threadsafe(self._file.on_set_aside, name, reason)

    def _deliver(self) -> None:
        """Hand all answers to the event loop in one call."""
        if self._answers:
            answers, self._answers = self._answers, []
            with suppress(RuntimeError):  # the event loop is closed
                self._loop.call_soon_threadsafe(_resolve, answers)


def _resolve(answers: list[_Answer]) -> None:
    for future, result, error in answers:
        if future.done():  # its caller no longer waits
            continue
        if error is None:
            future.set_result(result)
        else:
            future.set_exception(error)
