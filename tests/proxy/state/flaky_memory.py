"""A store in memory that several replicas share, and that fails when a test says so."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from typing_extensions import override

from proxy.state import MemoryStore, Space


class FlakyMemory(MemoryStore):
    """A shared store.

    While :attr:`down` is true, nothing is read or written. The next :attr:`lost_writes` writes are not done. The
    answers of the next :attr:`lost_replies` writes are lost after the writes were done.
    """

    is_shared = True

    def __init__(self, clock: Callable[[], float]) -> None:
        super().__init__(2**24, clock)
        self.down = False
        self.lost_writes = 0
        self.lost_replies = 0
        self.calls: list[tuple[str, str, str]] = []
        """The method, the space and the tenant of each call."""

    @override
    async def get(self, space: Space, keys: Iterable[str], *, tenant: str) -> Mapping[str, bytes]:
        self.calls.append(("get", space.name, tenant))
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
        self.calls.append(("put", space.name, tenant))
        if self._loses_write():
            return {}
        stand = await super().put(
            space, values, tenant=tenant, lifetime_s=lifetime_s, absent_only=absent_only
        )
        return {} if self._loses_reply() else stand

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
        self.calls.append(("swap", space.name, tenant))
        if self._loses_write():
            return False
        if (await super().get(space, [key], tenant=tenant)).get(key) != old:
            return False
        if new is None:
            await super().delete(space, [key], tenant=tenant)
        else:
            await super().put(space, {key: new}, tenant=tenant, lifetime_s=lifetime_s)
        return not self._loses_reply()

    @override
    async def delete(self, space: Space, keys: Iterable[str], *, tenant: str) -> None:
        self.calls.append(("delete", space.name, tenant))
        if not self.down:
            await super().delete(space, keys, tenant=tenant)

    def _loses_write(self) -> bool:
        if self.lost_writes:
            self.lost_writes -= 1
            return True
        return self.down

    def _loses_reply(self) -> bool:
        if self.lost_replies:
            self.lost_replies -= 1
            return True
        return False
