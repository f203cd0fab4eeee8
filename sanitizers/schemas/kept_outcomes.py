"""What schemas came to, kept for the next request of the conversation: as many as there is room for, and no more.

Bounded by bytes, since a schema may be of a hundred bytes or of a hundred thousand, and it is the large ones that take
long to clean: 30 ms for one of 50 KB. Known by a digest: a schema as given is not kept.
"""

from __future__ import annotations

from collections import OrderedDict
from hashlib import blake2b
from threading import Lock
from typing import Generic, TypeVar

Target = TypeVar("Target")
Outcome = TypeVar("Outcome")

_ENTRY_BYTES = 1024
"""What an outcome costs beside its schema."""


class KeptOutcomes(Generic[Target, Outcome]):
    """The outcomes that were asked for last, at most *room* bytes of them, by schema and target."""

    def __init__(self, room: int) -> None:
        self._room = self._left = room
        self._kept: OrderedDict[tuple[bytes, Target], tuple[Outcome, int]] = OrderedDict()
        self._lock = Lock()

    def find(self, written: bytes, target: Target) -> Outcome | None:
        """Return what the schema *written* as JSON came to for *target*; None where that is not kept."""
        key = _digest(written), target
        with self._lock:
            found = self._kept.get(key)
            if found is None:
                return None
            self._kept.move_to_end(key)
        return found[0]

    def keep(self, written: bytes, target: Target, outcome: Outcome, size: int) -> None:
        """Keep *outcome*, which holds a schema of *size* bytes, and forget what was not asked for the longest."""
        key, size = (_digest(written), target), size + _ENTRY_BYTES
        if size > self._room:
            return
        with self._lock:
            if key in self._kept:
                return
            self._kept[key] = outcome, size
            self._left -= size
            while self._left < 0:
                _, (_, freed) = self._kept.popitem(last=False)
                self._left += freed


def _digest(written: bytes) -> bytes:
    return blake2b(written, digest_size=16).digest()
