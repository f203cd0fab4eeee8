"""A store in memory that several replicas of one test share, as they would share a server."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from time import monotonic

from typing_extensions import override

from proxy.state import MemoryStore, Space


class SharedMemory(MemoryStore):
    """A store that says that other processes use it. While :attr:`down` is true, it answers nothing, as in an outage.

    :attr:`calls` counts the calls by method and space, such as ``get cooldowns``, without those that a method of the
    store makes itself.
    """

    is_shared = True

    def __init__(self, clock: Callable[[], float] = monotonic, max_bytes: int = 2**24) -> None:
        super().__init__(max_bytes, clock)
        self.down = False
        self.calls: dict[str, int] = {}
        self._within = False

    @override
    async def get(self, space: Space, keys: Iterable[str], *, tenant: str) -> Mapping[str, bytes]:
        """Return the values, or nothing while the store is down."""
        if self._within:
            return await super().get(space, keys, tenant=tenant)
        with self._counted("get", space):
            return {} if self.down else await super().get(space, keys, tenant=tenant)

    @override
    async def put(
        self,
        space: Space,
        values: Mapping[str, bytes],
        *,
        tenant: str,
        lifetime_s: float | None = None,
        absent_only: bool = False,
    ) -> Mapping[str, bytes]:
        """Store the values, or do nothing while the store is down."""
        if self._within:
            return await super().put(space, values, tenant=tenant, lifetime_s=lifetime_s)
        with self._counted("put", space):
            if self.down:
                return {}
            return await super().put(
                space, values, tenant=tenant, lifetime_s=lifetime_s, absent_only=absent_only
            )

    @override
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
        """Swap the value, or do nothing while the store is down."""
        with self._counted("swap", space):
            return not self.down and await super().swap(
                space, key, old, new, tenant=tenant, lifetime_s=lifetime_s
            )

    @override
    async def delete(self, space: Space, keys: Iterable[str], *, tenant: str) -> None:
        """Delete the values, or do nothing while the store is down."""
        if self._within:
            await super().delete(space, keys, tenant=tenant)
            return
        with self._counted("delete", space):
            if not self.down:
                await super().delete(space, keys, tenant=tenant)

    @contextlib.contextmanager
    def _counted(self, method: str, space: Space) -> Iterator[None]:
        call = f"{method} {space.name}"
        self.calls[call] = self.calls.get(call, 0) + 1
        self._within = True  # no method of a MemoryStore waits, so no other call begins meanwhile
        try:
            yield
        finally:
            self._within = False
