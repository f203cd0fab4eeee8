"""A cache of cleaned schemas for the next requests of a conversation, bounded by bytes.

A schema may have a hundred bytes or a hundred thousand, and large ones take long to clean: 30 ms for one of 50 KB. The
key is a digest, so that the given schema is not kept.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import Generic, TypeVar

Target = TypeVar("Target")
Outcome = TypeVar("Outcome")

_ENTRY_BYTES = 1024
"""Bytes that an entry takes in addition to its schema."""


class OutcomeCache(Generic[Target, Outcome]):
    """The outcomes that were used last, by schema and target, in at most *room* bytes.

    There are two generations with half of the room each, as in :class:`sanitizers.budget.text_cache.TextCache`. An
    outcome found in the old generation is added to the young generation. A full young generation replaces the old one.
    """

    __slots__ = ("_half", "_left", "_old", "_young")

    def __init__(self, room: int) -> None:
        self._half = self._left = room // 2
        self._young: dict[tuple[bytes, Target], tuple[Outcome, int]] = {}
        self._old: dict[tuple[bytes, Target], tuple[Outcome, int]] = {}

    def find(self, written: bytes, target: Target) -> Outcome | None:
        """Return the outcome of the schema *written* as JSON for *target*, or None where it is not kept."""
        key = _digest(written), target
        found = self._young.get(key)
        if found is None:
            found = self._old.get(key)
            if found is None:
                return None
            self._add(key, found)
        return found[0]

    def keep(self, written: bytes, target: Target, outcome: Outcome, size: int) -> None:
        """Keep *outcome*, which holds a schema of *size* bytes, unless it is too large for the cache."""
        if size + _ENTRY_BYTES <= self._half:
            self._add((_digest(written), target), (outcome, size + _ENTRY_BYTES))

    def _add(self, key: tuple[bytes, Target], entry: tuple[Outcome, int]) -> None:
        if entry[1] > self._left:
            self._old, self._young, self._left = self._young, {}, self._half
        self._young[key] = entry
        self._left -= entry[1]


def _digest(written: bytes) -> bytes:
    return blake2b(written, digest_size=16).digest()
