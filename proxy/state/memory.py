"""The store within the process: limited in bytes, shared between tenants (clients' keys), lost with the process.

Entries of a cached space have no lifetime here. A full memory drops them, the least recently used first.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from heapq import heapify, heappop, heappush
from time import monotonic

from proxy.state.spaces import Space

_ENTRY_BYTES = 256
"""Bytes of an entry besides its value: key, dictionary slot, object headers (sys.getsizeof, CPython 3.11)."""


class MemoryStore:
    """Stores at most *max_bytes* of values, with their overhead included.

    When the store is full, the tenant that holds the most bytes loses its least recently used value. So a tenant with
    no more than an equal share loses nothing to others. Storing a value takes time that grows with the logarithm of the
    number of tenants. *clock* returns seconds, for lifetimes.
    """

    is_in_process = True
    is_shared = False

    def __init__(self, max_bytes: int, clock: Callable[[], float] = monotonic) -> None:
        self._max_bytes = max_bytes
        self._clock = clock
        self._tenants: dict[str, _Values] = {}
        self._largest: list[tuple[int, str]] = []
        """A heap of tenants by their negative size. Entries are outdated where the size has changed since."""
        self.size_bytes = 0
        """The bytes that are stored now."""

    def __len__(self) -> int:
        return sum(len(values.entries) for values in self._tenants.values())

    def held_by(self, tenant: str) -> int:
        """Return the bytes that are stored for *tenant*."""
        values = self._tenants.get(tenant)
        return 0 if values is None else values.size_bytes

    def resize(self, max_bytes: int) -> None:
        """Set the limit in bytes, and drop the values beyond the limit at once."""
        self._max_bytes = max_bytes
        self._make_fit()

    async def get(self, space: Space, keys: Iterable[str], *, tenant: str) -> Mapping[str, bytes]:
        """Return values as :meth:`proxy.state.Store.get` does."""
        found: dict[str, bytes] = {}
        values = self._tenants.get(tenant)
        if values is None:
            return found
        if values.until:
            self._drop_expired(tenant, values)
        entries, name = values.entries, space.name
        for key in keys:
            value = entries.get((name, key))
            if value is not None:
                entries.move_to_end((name, key))
                found[key] = value
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
        """Store values as :meth:`proxy.state.Store.put` does. A value larger than the limit is not stored."""
        standing = await self.get(space, values, tenant=tenant) if absent_only else {}
        until = None
        if not space.cached:
            until = self._clock() + (space.lifetime_s if lifetime_s is None else lifetime_s)
        for key, value in values.items():
            if key in standing:
                continue
            held = self._tenants.setdefault(tenant, _Values())
            before = held.size_bytes
            held.drop((space.name, key))
            if len(value) + _ENTRY_BYTES <= self._max_bytes:
                held.add((space.name, key), value, until)
            self._note_size(tenant, held, before)
            self._make_fit()
        return {**values, **standing} if standing else values

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
        """Replace a value as :meth:`proxy.state.Store.swap` does."""
        if (await self.get(space, [key], tenant=tenant)).get(key) != old:
            return False
        if new is None:
            await self.delete(space, [key], tenant=tenant)
        else:
            await self.put(space, {key: new}, tenant=tenant, lifetime_s=lifetime_s)
        return True

    async def delete(self, space: Space, keys: Iterable[str], *, tenant: str) -> None:
        """Delete values as :meth:`proxy.state.Store.delete` does."""
        self._drop(tenant, [(space.name, key) for key in keys])

    def _drop_expired(self, tenant: str, held: _Values) -> None:
        now = self._clock()
        self._drop(tenant, [name for name, until in held.until.items() if until <= now])

    def _drop(self, tenant: str, names: Iterable[tuple[str, str]]) -> None:
        held = self._tenants.get(tenant)
        if held is None:
            return
        before = held.size_bytes
        for name in names:
            held.drop(name)
        self._note_size(tenant, held, before)

    def _make_fit(self) -> None:
        while self.size_bytes > self._max_bytes:
            size, tenant = heappop(self._largest)
            held = self._tenants.get(tenant)
            if held is not None and held.size_bytes == -size:
                held.drop(next(iter(held.entries)))
                self._note_size(tenant, held, -size)

    def _note_size(self, tenant: str, held: _Values, before: int) -> None:
        self.size_bytes += held.size_bytes - before
        if not held.entries:
            del self._tenants[tenant]
        elif held.size_bytes != before:
            heappush(self._largest, (-held.size_bytes, tenant))
            if len(self._largest) > 2 * len(self._tenants) + 64:
                self._largest = [(-one.size_bytes, name) for name, one in self._tenants.items()]
                heapify(self._largest)


class _Values:
    """The values of one tenant, the least recently used first."""

    __slots__ = ("entries", "size_bytes", "until")

    def __init__(self) -> None:
        self.entries: OrderedDict[tuple[str, str], bytes] = OrderedDict()
        self.size_bytes = 0
        self.until: dict[tuple[str, str], float] = {}
        """The moments at which entries expire, by the clock."""

    def add(self, key: tuple[str, str], value: bytes, until: float | None) -> None:
        if until is not None:
            self.until[key] = until
        # a copy, since orjson's bytes keep the room that they were written in
        self.entries[key] = bytes(memoryview(value))
        self.size_bytes += len(value) + _ENTRY_BYTES

    def drop(self, key: tuple[str, str]) -> None:
        dropped = self.entries.pop(key, None)
        if dropped is not None:
            self.size_bytes -= len(dropped) + _ENTRY_BYTES
            self.until.pop(key, None)
