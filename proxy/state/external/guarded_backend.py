"""Calls a backend so that no request fails, and none waits long: limits, a circuit, and a ping in the background.

A task of its own makes each call. A request stops waiting at its limit, and the call still runs to its own end. So a
client that leaves does not cut off a reply, and a slow reply is counted once.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from time import monotonic
from typing import Any, Protocol, TypeVar

from proxy.core.deadlines import TimeLimit, wait_at_most
from proxy.state.external.backend import Backend, FaultKind, StoreFault, StoreInUse
from proxy.state.external.reply_limit import GRACE_TURNS
from proxy.state.external.store_circuit import StoreCircuit

T = TypeVar("T")

WAIT_S = 0.05
"""The most seconds that a request waits for one call, connecting included."""

_LONGEST_S = 1.0
"""The most seconds of one call, also where no request waits for the call any more.

The call is then cancelled, which closes its connection to a server.
"""

_PLACES = 6
"""The most calls at a time, writes included.

The backend on a server has eight connections, one of them for the ping.
"""

_PING_S = 1.0
_OPEN_S = 2.0
"""The most seconds that the start waits for a store. Readiness does not depend on the store."""

_UNREACHABLE = frozenset({FaultKind.TIMEOUT, FaultKind.CONNECTION})
"""The failures of a call that count for the circuit.

With any other failure the store has answered. A failed ping always counts.
"""


class StoreEvents(Protocol):
    """The listener to a store's failures: metrics and log lines."""

    def count_error(self, kind: FaultKind) -> None:
        """Count one failure."""

    def count_skipped(self) -> None:
        """Count a look-up that was not made, since the circuit is open."""

    def set_waiting(self, size_bytes: int) -> None:
        """Record the bytes of the writes that wait."""

    def went_down(self, fault: StoreFault) -> None:
        """Record that the circuit has opened, or that the store could not be used at the start, because of *fault*."""

    def came_up(self) -> None:
        """Record that the store is used again, or for the first time."""

    def stopped_writing(self, kind: FaultKind, seconds: float) -> None:
        """Record that the store takes no writes, and that none are tried for *seconds*."""

    def resumed_writing(self) -> None:
        """Record that the store takes writes again."""


class GuardedBackend:
    """A backend whose failures are counted. *prepare* runs after each successful ping.

    *prepare* may raise :class:`StoreFault`. The ping then counts as failed.
    """

    def __init__(
        self,
        backend: Backend,
        events: StoreEvents,
        prepare: Callable[[], Awaitable[None]],
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._backend = backend
        self._events = events
        self._prepare = prepare
        self._clock = clock
        self._circuit = StoreCircuit()
        self._places = asyncio.Semaphore(_PLACES)
        self._group: asyncio.TaskGroup | None = None
        self._was_up: bool | None = None
        self._opened = False

    @property
    def is_up(self) -> bool:
        """True while the store is used: the circuit is closed and the background work runs."""
        return not self._circuit.is_open and self._group is not None

    @property
    def is_doubtful(self) -> bool:
        """True where a request does not wait for its writes: the circuit is open, or the newest call failed."""
        return self._circuit.is_doubtful

    @asynccontextmanager
    async def running(self, *work: Callable[[], Coroutine[Any, Any, None]]) -> AsyncIterator[None]:
        """Open the backend, and run the ping and *work* in the background while the context lasts.

        The start waits :data:`_OPEN_S` at most. Raises :class:`StoreInUse` for a file that another process uses.
        """
        try:
            await self.check()
            async with asyncio.TaskGroup() as group:
                self._group = group
                tasks = [group.create_task(each()) for each in (self._watch, *work)]
                try:
                    yield
                finally:
                    self._group = None
                    for task in tasks:
                        task.cancel()
        finally:
            with suppress(StoreFault):
                await self._backend.close()

    async def call(
        self, operation: Callable[[], Awaitable[T]], wait_s: float = WAIT_S, place_s: float = WAIT_S
    ) -> T | None:
        """Return the result of *operation* of the backend, or None after a failure or after *wait_s* seconds.

        An operation that waited more than *place_s* seconds for its place is not begun.
        """
        group = self._group
        if group is None:
            return None
        task = group.create_task(self._attempt(operation, place_s))
        await wait_at_most(task, wait_s)
        for _ in range(GRACE_TURNS):  # a busy loop finds the result and the end of the wait at the same time
            if task.done():
                break
            await asyncio.sleep(0)
        return task.result() if task.done() and not task.cancelled() else None

    async def call_alone(self, operation: Callable[[], Awaitable[T]]) -> T | None:
        """Return the result of *operation*, or None after a failure or after a second.

        The call runs in the caller's task, and takes none of the places. It is for background work that makes one call
        at a time on a connection of its own.
        """
        return None if self._group is None else await self._make(operation, self._clock())

    async def check(self) -> None:
        """Open the backend where it is not open, ping it, and close or open the circuit by the result."""
        began = self._clock()
        try:
            async with asyncio.timeout(_OPEN_S):
                if not self._opened:
                    await self._backend.open()
                    self._opened = True
                await self._backend.ping()
                await self._prepare()
        except StoreInUse:
            raise
        except Exception as error:  # noqa: BLE001 - whatever the client library raises, the process goes on
            fault = _fault_of(error)
            self._events.count_error(fault.kind)
            if self._circuit.fail(self._clock(), began) or self._was_up is None:
                self._note_down(fault)
            return
        if self._circuit.is_open:
            self._circuit.close()
            self._was_up = True
            self._events.came_up()
        else:
            self._circuit.succeed(self._clock())

    async def _attempt(self, operation: Callable[[], Awaitable[T]], place_s: float) -> T | None:
        asked = self._clock()
        async with self._places:
            began = self._clock()
            return None if began - asked > place_s else await self._make(operation, began)

    async def _make(self, operation: Callable[[], Awaitable[T]], began: float) -> T | None:
        if self._circuit.is_open:
            return None
        try:
            with TimeLimit(asyncio.get_running_loop().time() + _LONGEST_S):
                result = await operation()
        except Exception as error:  # noqa: BLE001 - whatever the client library raises, no request fails
            self._note_fault(_fault_of(error), began)
            return None
        self._circuit.succeed(self._clock())
        return result

    def _note_fault(self, fault: StoreFault, began: float) -> None:
        """Count the *fault* of a call.

        *began* is the moment at which the call began. Too many faults open the circuit.
        """
        self._events.count_error(fault.kind)
        if fault.kind in _UNREACHABLE and self._circuit.fail(self._clock(), began):
            self._note_down(fault)

    def _note_down(self, fault: StoreFault) -> None:
        self._was_up = False
        self._events.went_down(fault)

    async def _watch(self) -> None:
        while True:
            await asyncio.sleep(_PING_S)
            with suppress(StoreInUse):  # the file was closed after a failure, and another process took it
                await self.check()


def _fault_of(error: Exception) -> StoreFault:
    """Return the fault that *error* means. The text of an unknown error may hold an address, and is left out."""
    if isinstance(error, StoreFault):
        return error
    if isinstance(error, TimeoutError):
        return StoreFault(FaultKind.TIMEOUT, "the store did not answer in time")
    return StoreFault(FaultKind.CONNECTION, f"the store's client failed: {type(error).__name__}")
