"""The store within the process: limited in bytes, shared between tenants (clients' keys), lost with the process."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Mapping
from heapq import heapify, heappop, heappush

_ENTRY_BYTES = 256
"""Bytes of an entry besides its value: key, dictionary slot, object headers (sys.getsizeof, CPython 3.11)."""


class MemoryStore:
    """Stores *max_bytes* of values, with their overhead included.

    When the store is full, the tenant that holds the most bytes loses its least recently used value. So a tenant with
    no more than an equal share loses nothing to others. Storing a value takes time that grows with the logarithm of the
    number of tenants.
    """

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
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

    async def get(self, space: str, keys: Iterable[str], *, tenant: str) -> Mapping[str, bytes]:
        """Return values as :meth:`proxy.state.Store.get` does."""
        found: dict[str, bytes] = {}
        values = self._tenants.get(tenant)
        if values is None:
            return found
        entries = values.entries
        for key in keys:
            value = entries.get((space, key))
            if value is not None:
                entries.move_to_end((space, key))
                found[key] = value
        return found

    async def put(self, space: str, values: Mapping[str, bytes], *, tenant: str) -> None:
        """Store values as :meth:`proxy.state.Store.put` does. A value larger than the limit is not stored."""
        for key, value in values.items():
            held = self._tenants.setdefault(tenant, _Values())
            before = held.size_bytes
            held.drop((space, key))
            if len(value) + _ENTRY_BYTES <= self._max_bytes:
                held.add((space, key), value)
            self._note_size(tenant, held, before)
            self._make_fit()

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

    __slots__ = ("entries", "size_bytes")

    def __init__(self) -> None:
        self.entries: OrderedDict[tuple[str, str], bytes] = OrderedDict()
        self.size_bytes = 0

    def add(self, key: tuple[str, str], value: bytes) -> None:
        # a copy, since orjson's bytes keep the room that they were written in
        self.entries[key] = bytes(memoryview(value))
        self.size_bytes += len(value) + _ENTRY_BYTES

    def drop(self, key: tuple[str, str]) -> None:
        dropped = self.entries.pop(key, None)
        if dropped is not None:
            self.size_bytes -= len(dropped) + _ENTRY_BYTES
