"""The store outside this process: a server or a file behind this process's memory.

    get   memory ▶ waiting writes ▶ backend, within 50 ms
    put   memory, then a queue; the caller waits 25 ms at most until the write is done

The methods that requests call never raise. Where the backend fails, a value is missing. The writes of the queue are
made in batches.
"""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import partial
from time import monotonic
from typing import Any, TypeVar

from proxy.state.external.backend import Backend, FaultKind
from proxy.state.external.guarded_backend import GuardedBackend, StoreEvents
from proxy.state.external.sealed_entries import LARGEST_VALUE, EntrySealer
from proxy.state.external.store_secret import agree_on_secret
from proxy.state.external.write_behind import WriteBehind
from proxy.state.external.write_queue import Write
from proxy.state.memory import MemoryStore
from proxy.state.spaces import Space

T = TypeVar("T")

_SECRET_BYTES = 32

MOST_ASKED = 1_000
"""The most keys of a cached space that one look-up asks the backend for.

A client may send any number of call ids. A look-up of 1,000 takes 11 ms, and holds the event loop up for 8 ms
(2026-11-24). A look-up of 100,000 would block the loop for 0.3 s.
"""


class ExternalStore:
    """A :class:`proxy.state.Store` over *backend*, with *memory* in front of the spaces that may be cached.

    *secret* is the configured one (:func:`proxy.state.external.store_secret.derive_secret`). None lets the processes
    agree on one. The store is used inside :meth:`running`. Outside, it is as if *backend* were empty.
    """

    is_in_process = False

    def __init__(
        self,
        backend: Backend,
        memory: MemoryStore,
        prefix: str,
        secret: bytes | None,
        events: StoreEvents,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._backend = backend
        self._memory = memory
        self._prefix = prefix
        self._events = events
        self._clock = clock
        self._guard = GuardedBackend(backend, events, self._agree, clock)
        self._agrees_on_secret = secret is None
        self._secret = secrets.token_bytes(_SECRET_BYTES) if secret is None else secret
        self._sealer = EntrySealer(prefix, self._secret)
        self._writes = WriteBehind(backend, self._guard, lambda: self._sealer, events, clock)

    @property
    def is_shared(self) -> bool:
        """True where other processes may use the backend."""
        return self._backend.is_shared

    @property
    def is_up(self) -> bool:
        """True while the backend is used."""
        return self._guard.is_up

    def resize(self, max_bytes: int) -> None:
        """Set the limit of the memory in front of the backend."""
        self._memory.resize(max_bytes)

    @asynccontextmanager
    async def running(self, *work: Callable[[], Coroutine[Any, Any, None]]) -> AsyncIterator[None]:
        """Open the backend, and do the background work and *work* while the context lasts.

        See :meth:`GuardedBackend.running`.
        """
        async with self._guard.running(self._writes.run, *work):
            try:
                yield
            finally:
                await self._writes.flush()

    async def get(self, space: Space, keys: Iterable[str], *, tenant: str) -> Mapping[str, bytes]:
        """Return values as :meth:`proxy.state.Store.get` does."""
        asked = list(keys)
        found = dict(await self._memory.get(space, asked, tenant=tenant)) if space.cached else {}
        missing = [key for key in asked if key not in found]
        if missing and not self._writes.is_idle:
            missing = self._find_waiting(space, tenant, missing, found)
        if not missing:
            return found
        if not self._guard.is_up:
            self._events.count_skipped()
            return found
        if space.cached:  # the newest ids of a history stand last
            missing = missing[-MOST_ASKED:]
        sealer = self._sealer
        names = {key: sealer.name(space, tenant, key) for key in missing}
        sealed = await self._guard.call(partial(self._backend.get, list(names.values())))
        read = {} if sealed is None else sealer.open_all(names, sealed, self._count_corrupt)
        if read and space.cached:
            await self._memory.put(space, read, tenant=tenant)
        found.update(read)
        return found

    async def put(
        self,
        space: Space,
        values: Mapping[str, bytes],
        *,
        tenant: str,
        lifetime_s: float | None = None,
        absent_only: bool = False,
    ) -> Mapping[str, bytes]:
        """Store values as :meth:`proxy.state.Store.put` does. A value above 64 KiB is not stored."""
        fitting = {key: value for key, value in values.items() if len(value) <= LARGEST_VALUE}
        for _ in range(len(values) - len(fitting)):
            self._events.count_error(FaultKind.TOO_LARGE)
        lives_s = space.lifetime_s if lifetime_s is None else lifetime_s
        if absent_only:
            return await self._put_absent(space, fitting, tenant, lives_s)
        if space.cached:
            await self._memory.put(space, fitting, tenant=tenant)
        until = self._clock() + lives_s
        self._writes.add([Write(space, tenant, key, value, until) for key, value in fitting.items()])
        await self._writes.join()
        return fitting

    async def swap(
        self,
        space: Space,
        key: str,
        old: bytes,
        new: bytes | None,
        *,
        tenant: str,
        lifetime_s: float | None = None,
    ) -> bool:
        """Replace a value as :meth:`proxy.state.Store.swap` does.

        It must not be called for a cached space: the memory would keep *old*.
        """
        sealer, lives_s = self._sealer, space.lifetime_s if lifetime_s is None else lifetime_s
        name = sealer.name(space, tenant, key)
        sealed = None if new is None else sealer.seal(name, new)

        async def swap() -> bool:
            return await self._backend.swap(name, sealer.seal(name, old), sealed, lives_s) == sealed

        return await self._guard.call(swap) or False

    async def delete(self, space: Space, keys: Iterable[str], *, tenant: str) -> None:
        """Delete values as :meth:`proxy.state.Store.delete` does."""
        asked = list(keys)
        if space.cached:
            await self._memory.delete(space, asked, tenant=tenant)
        until = self._clock() + space.lifetime_s
        self._writes.add([Write(space, tenant, key, None, until) for key in asked])

    async def ask(self, operation: Callable[[Backend, EntrySealer], Awaitable[T]], wait_s: float) -> T | None:
        """Return the result of *operation* on the backend, or None after a failure or after *wait_s* seconds.

        This is for values that must not be taken for missing. *operation* gets the sealer that is valid now.
        """
        sealer = self._sealer
        return await self._guard.call(lambda: operation(self._backend, sealer), wait_s, wait_s)

    async def work_on(self, operation: Callable[[EntrySealer], Awaitable[T]]) -> T | None:
        """Return the result of *operation*, or None after a failure (:meth:`GuardedBackend.call_alone`).

        *operation* has a connection of its own. It gets the sealer that is valid now.
        """
        sealer = self._sealer
        return await self._guard.call_alone(lambda: operation(sealer))

    def count_error(self, kind: FaultKind) -> None:
        """Count an error that the server answered one of several commands with."""
        self._events.count_error(kind)

    def count_corrupt(self) -> None:
        """Count a value that was read and cannot be used."""
        self._events.count_error(FaultKind.CORRUPT)

    def _find_waiting(
        self, space: Space, tenant: str, keys: Sequence[str], found: dict[str, bytes]
    ) -> list[str]:
        """Add the values that wait to be written to *found*. Return the keys of *keys* that do not wait."""
        missing = []
        for key in keys:
            write = self._writes.find((space, tenant, key))
            if write is None:
                missing.append(key)
            elif write.value is not None:
                found[key] = write.value
        return missing

    def _count_corrupt(self) -> None:
        self._events.count_error(FaultKind.CORRUPT)

    async def _put_absent(
        self, space: Space, values: Mapping[str, bytes], tenant: str, lives_s: float
    ) -> Mapping[str, bytes]:
        standing = {}
        for key, value in values.items():
            sealer = self._sealer
            name = sealer.name(space, tenant, key)
            sealed = sealer.seal(name, value)
            swap = self._backend.swap
            kept = await self._guard.call(partial(swap, name, None, sealed, lives_s))
            if kept is not None and sealer.open(name, kept) is None:
                self._events.count_error(FaultKind.CORRUPT)
                kept = await self._guard.call(partial(swap, name, kept, sealed, lives_s))
            stands = None if kept is None else sealer.open(name, kept)
            if stands is not None:
                standing[key] = stands
        return standing

    async def _agree(self) -> None:
        """Compare the secret with the one in the store, and take the one that stands there.

        Each ping does so. A store that was emptied gets the secret back within a second.
        """
        if not self._agrees_on_secret:
            return
        stands = await agree_on_secret(self._backend, self._prefix, self._secret)
        if stands != self._secret:
            self._secret = stands
            self._sealer = EntrySealer(self._prefix, stands)
