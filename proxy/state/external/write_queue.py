"""The writes that wait for a store, at most 8 MiB. The newest write under a key replaces an older one that waits."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import TypeAlias

from proxy.state.spaces import Space

MAX_BYTES = 8 * 2**20
"""The most bytes of writes that wait. Beyond that the oldest writes are dropped."""

_ENTRY_BYTES = 512
"""Bytes of a waiting write besides its value: the key, the objects, the dictionary slot (CPython 3.11)."""

Place: TypeAlias = tuple[Space, str, str]
"""The space, the tenant and the key of a write."""


@dataclass(frozen=True, slots=True)
class Write:
    """A value that waits to be written, or None in place of the value to delete what stands."""

    space: Space
    tenant: str
    key: str
    value: bytes | None
    until: float
    """The moment at which the entry expires, on the caller's clock."""

    @property
    def place(self) -> Place:
        """The key under which the write waits."""
        return self.space, self.tenant, self.key

    @property
    def size_bytes(self) -> int:
        """The bytes that the write takes while it waits."""
        return _ENTRY_BYTES + (0 if self.value is None else len(self.value))


class WriteQueue:
    """The writes that wait, the oldest first, with at most *max_bytes*."""

    def __init__(self, max_bytes: int = MAX_BYTES) -> None:
        self._max_bytes = max_bytes
        self._writes: OrderedDict[Place, Write] = OrderedDict()
        self.size_bytes = 0
        """The bytes that wait now."""

        self.taken = 0
        """The number of writes that :meth:`take` has removed so far."""

    def __len__(self) -> int:
        return len(self._writes)

    def find(self, place: Place) -> Write | None:
        """Return the write that waits under *place*, or None."""
        return self._writes.get(place)

    def add(self, write: Write) -> int:
        """Let *write* wait behind all others. Return the number of writes that were dropped for it."""
        self._remove(write.place)
        self._writes[write.place] = write
        self.size_bytes += write.size_bytes
        dropped = 0
        while self.size_bytes > self._max_bytes:
            self._remove(next(iter(self._writes)))
            dropped += 1
        return dropped

    def take(self, most: int, max_bytes: int, now: float) -> list[Write]:
        """Remove and return the oldest writes: at most *most*, of *max_bytes* together, but at least one.

        Writes that have expired at *now* are removed and not returned.
        """
        taken: list[Write] = []
        size = 0
        while self._writes and len(taken) < most:
            write = next(iter(self._writes.values()))
            if taken and size + write.size_bytes > max_bytes:
                break
            self._remove(write.place)
            self.taken += 1
            if now < write.until:
                taken.append(write)
                size += write.size_bytes
        return taken

    def put_back(self, writes: list[Write]) -> None:
        """Let *writes*, which were taken and not written, wait before all others.

        A write under whose key a newer one waits is left out. So is a write for which there is no room.
        """
        for write in reversed(writes):
            if write.place not in self._writes and self.size_bytes + write.size_bytes <= self._max_bytes:
                self._writes[write.place] = write
                self._writes.move_to_end(write.place, last=False)
                self.size_bytes += write.size_bytes

    def _remove(self, place: Place) -> None:
        write = self._writes.pop(place, None)
        if write is not None:
            self.size_bytes -= write.size_bytes
