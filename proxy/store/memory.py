"""The store within the process: bounded in bytes, the longest unused goes first, gone with the process."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Mapping

_ENTRY_BYTES = 256
"""What an entry costs beside its value: key, dictionary slot, object headers (sys.getsizeof, CPython 3.11)."""


class MemoryStore:
    """Keeps *max_bytes* of values, with what it costs to keep them."""

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._values: OrderedDict[tuple[str, str], bytes] = OrderedDict()
        self.size_bytes = 0
        """What is held now."""

    def __len__(self) -> int:
        return len(self._values)

    def resize(self, max_bytes: int) -> None:
        """Keep so many bytes from now on; what is too much goes now."""
        self._max_bytes = max_bytes
        self._drop_oldest()

    async def get(self, space: str, keys: Iterable[str]) -> Mapping[str, bytes]:
        """See :meth:`proxy.store.Store.get`."""
        found: dict[str, bytes] = {}
        if not self._values:
            return found
        for key in keys:
            value = self._values.get((space, key))
            if value is not None:
                self._values.move_to_end((space, key))
                found[key] = value
        return found

    async def put(self, space: str, values: Mapping[str, bytes]) -> None:
        """See :meth:`proxy.store.Store.put`. A value that is larger than everything may be is not kept."""
        for key, value in values.items():
            before = self._values.pop((space, key), None)
            if before is not None:
                self.size_bytes -= len(before) + _ENTRY_BYTES
            size = len(value) + _ENTRY_BYTES
            if size > self._max_bytes:
                continue
            self._values[space, key] = bytes(
                memoryview(value)
            )  # orjson's keep the room that they were written in
            self.size_bytes += size
        self._drop_oldest()

    def _drop_oldest(self) -> None:
        while self.size_bytes > self._max_bytes:
            _, dropped = self._values.popitem(last=False)
            self.size_bytes -= len(dropped) + _ENTRY_BYTES
