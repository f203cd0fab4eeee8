"""Writes values to a backend in batches, in a background task.

The newest value under a key waits in a queue of 8 MiB. A store that cannot be reached gets the queue later. A store
that is full or read-only gets one write a second, as a test, and is still read.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from functools import partial

from proxy.core.deadlines import wait_at_most
from proxy.state.external.backend import Backend, Entry, FaultKind, StoreFault
from proxy.state.external.guarded_backend import GuardedBackend, StoreEvents
from proxy.state.external.sealed_entries import EntrySealer
from proxy.state.external.write_queue import Place, Write, WriteQueue

JOIN_S = 0.025
"""The most seconds that a request waits until its write is done."""

_BATCH = 128
_BATCH_BYTES = 256 * 2**10
_BATCH_S = 1.0
"""The most seconds that the background task waits for one batch.

Each batch is written in a task of its own. More writes come meanwhile, so later batches are larger and cost less CPU in
all.
"""

_PAUSE_S = 1.0
"""Seconds between two test writes to a store that is full or read-only.

The pause is short, since replicas need one another's signatures as soon as the store takes writes again.
"""

_RETRY_S = 0.5
"""Seconds between two checks whether the store takes writes again, while writes wait."""

_FLUSH_PAUSE_S = 0.005
_FLUSH_S = 1.0
"""The most seconds that the end of the process waits for the queue."""

_NO_WRITES = frozenset({FaultKind.FULL, FaultKind.READ_ONLY})


class WriteBehind:
    """The queue of writes to *backend*, which *guard* calls.

    *sealer* returns the sealer with the secret that is valid now.
    """

    def __init__(
        self,
        backend: Backend,
        guard: GuardedBackend,
        sealer: Callable[[], EntrySealer],
        events: StoreEvents,
        clock: Callable[[], float],
    ) -> None:
        self._backend = backend
        self._guard = guard
        self._sealer = sealer
        self._events = events
        self._clock = clock
        self.queue = WriteQueue()
        self._in_flight: dict[Place, Write] = {}
        self._wake = asyncio.Event()
        self._written: asyncio.Future[None] | None = None
        self._resumes_at: float | None = None

    def add(self, writes: Sequence[Write]) -> None:
        """Add *writes* to the queue. A full queue drops its oldest writes, and counts them."""
        for write in writes:
            for _ in range(self.queue.add(write)):
                self._events.count_error(FaultKind.DROPPED)
        self._events.set_waiting(self.queue.size_bytes)
        self._wake.set()

    def find(self, place: Place) -> Write | None:
        """Return the write under *place* that is not known to be done, or None."""
        return self.queue.find(place) or self._in_flight.get(place)

    @property
    def is_idle(self) -> bool:
        """True where all writes are done."""
        return not len(self.queue) and not self._in_flight

    async def join(self, limit_s: float = JOIN_S) -> None:
        """Wait until the writes in the queue are done or have failed, but at most *limit_s* seconds.

        Returns at once where the store takes no writes, and where its newest call failed.
        """
        if self._guard.is_doubtful or not self._takes_writes():
            return
        if self._written is None:
            self._written = asyncio.get_running_loop().create_future()
        await wait_at_most(self._written, limit_s)

    async def flush(self) -> None:
        """Wait until the queue is empty, for a second at most. Called at the end of the process."""
        end = self._clock() + _FLUSH_S
        while not self.is_idle and self._takes_writes() and self._clock() < end:
            self._wake.set()
            await asyncio.sleep(_FLUSH_PAUSE_S)

    async def run(self) -> None:
        """Write the queue whenever the store takes writes, until this coroutine is cancelled."""
        while True:
            await self._wait()
            while len(self.queue) and self._takes_writes():
                written, self._written = self._written, None
                done = await self._write(len(self.queue))
                if written is not None and not written.done():
                    written.set_result(None)
                self._events.set_waiting(self.queue.size_bytes)
                if not done or self._guard.is_doubtful:
                    break  # a store that refuses everything is not asked without a pause

    async def _wait(self) -> None:
        """Wait for the next write.

        While writes wait, it returns after half a second, since nothing signals that the store works again.
        """
        try:
            async with asyncio.timeout(_RETRY_S if len(self.queue) else None):
                await self._wake.wait()
        except TimeoutError:
            return
        self._wake.clear()

    def _takes_writes(self) -> bool:
        resumes_at = self._resumes_at
        return self._guard.is_up and (resumes_at is None or self._clock() >= resumes_at)

    async def _write(self, count: int) -> bool:
        """Write the *count* oldest writes, in batches, until a batch fails. Return True where none failed."""
        end = self.queue.taken + count
        while self.queue.taken < end and len(self.queue):
            most = _BATCH if self._resumes_at is None else 1
            batch = self.queue.take(most, _BATCH_BYTES, self._clock())
            self._in_flight = {write.place: write for write in batch}
            done = not batch or await self._guard.call(partial(self._write_batch, batch), _BATCH_S)
            self._in_flight = {}
            if not done:
                self.queue.put_back(batch)
                return False
        return True

    async def _write_batch(self, batch: Sequence[Write]) -> bool:
        """Write *batch*. Return False where the store took none of it and may take it later.

        A batch that the store refuses with an error of another kind is given up. Raises :class:`StoreFault`.
        """
        sealer, now = self._sealer(), self._clock()
        entries, gone = [], []
        for write in batch:
            name = sealer.name(*write.place)
            if write.value is None:
                gone.append(name)
            else:
                entries.append(Entry(name, sealer.seal(name, write.value), write.until - now))
        try:
            refused = await self._backend.put(entries) if entries else ()
            if gone:
                await self._backend.delete(gone)
        except StoreFault as fault:
            if fault.kind is FaultKind.REFUSED:  # the store answered, and would answer the same each time
                self._events.count_error(fault.kind)
                return True
            if fault.kind not in _NO_WRITES:
                raise
            self._stop_writing(fault.kind)
            return False
        for _ in refused:
            self._events.count_error(FaultKind.REFUSED)
        if entries and self._resumes_at is not None:  # a full store still takes deletions
            self._resumes_at = None
            self._events.resumed_writing()
        return True

    def _stop_writing(self, kind: FaultKind) -> None:
        self._events.count_error(kind)
        if self._resumes_at is None:
            self._events.stopped_writing(kind, _PAUSE_S)
        self._resumes_at = self._clock() + _PAUSE_S
