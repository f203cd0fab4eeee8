"""What schemas came to, kept for the next request of the conversation: as many as there is room for, and no more.

Bounded by bytes, since a schema may be of a hundred bytes or of a hundred thousand, and it is the large ones that take
long to clean: 30 ms for one of 50 KB. Known by a digest: a schema as given is not kept.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import Generic, TypeVar

Target = TypeVar("Target")
Outcome = TypeVar("Outcome")

_ENTRY_BYTES = 1024
"""What an outcome costs beside its schema."""


class OutcomeCache(Generic[Target, Outcome]):
    """The outcomes that were asked for last, at most *room* bytes of them, by schema and target.

    There are two generations, of half of the room each (:class:`sanitizers.budget.text_cache.TextCache`): what is found
    in the old one moves to the young one; when that is full it becomes the old one, and the old one is forgotten.
    """

    __slots__ = ("_half", "_left", "_old", "_young")

    def __init__(self, room: int) -> None:
        self._half = self._left = room // 2
        self._young: dict[tuple[bytes, Target], tuple[Outcome, int]] = {}
        self._old: dict[tuple[bytes, Target], tuple[Outcome, int]] = {}

    def find(self, written: bytes, target: Target) -> Outcome | None:
        """Return what the schema *written* as JSON came to for *target*; None where that is not kept."""
        key = _digest(written), target
        found = self._young.get(key)
        if found is None:
            found = self._old.get(key)
            if found is None:
                return None
            self._add(key, found)
        return found[0]

    def keep(self, written: bytes, target: Target, outcome: Outcome, size: int) -> None:
        """Keep *outcome*, which holds a schema of *size* bytes, unless that has no room by itself."""
        if size + _ENTRY_BYTES <= self._half:
            self._add((_digest(written), target), (outcome, size + _ENTRY_BYTES))

    def _add(self, key: tuple[bytes, Target], entry: tuple[Outcome, int]) -> None:
        if entry[1] > self._left:
            self._old, self._young, self._left = self._young, {}, self._half
        self._young[key] = entry
        self._left -= entry[1]


def _digest(written: bytes) -> bytes:
    return blake2b(written, digest_size=16).digest()
