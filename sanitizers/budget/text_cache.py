"""A cache of token counts by text, so that only the new texts of a resent history are counted.

An agent sends its whole history with every request, as new string objects each time. The key is Python's own hash of a
string: 64 bits of SipHash, with a new secret in each process. The hash takes half the time of SHA-256, and needs no
encoding of the text. A string object keeps its hash, so that a second lookup is free.

Two of 65,000 texts share a key with a probability of one in ten thousand million. Such a collision would make one
estimate wrong. No text is kept.
"""

from __future__ import annotations

from collections.abc import Callable


class TextCache:
    """A bounded cache of *count*, a function of a text, that forgets texts which were not used lately.

    The cache keeps two generations of at most *capacity* counts each. A count found in the old generation is copied to
    the young generation. When the young generation is full, it replaces the old one. So the last *capacity* different
    texts are always in the cache, as in an LRU cache. A hit is one or two lookups. An entry takes about 100 bytes.
    """

    __slots__ = ("_capacity", "_count", "_old", "_young")

    def __init__(self, count: Callable[[str], float], capacity: int) -> None:
        self._count = count
        self._capacity = capacity
        self._young: dict[int, float] = {}
        self._old: dict[int, float] = {}

    def __len__(self) -> int:
        return len(self._young) + len(self._old)

    def __call__(self, text: str) -> float:
        """Return ``count(text)``."""
        key = hash(text)
        found = self._young.get(key)
        if found is not None:
            return found
        found = self._old.get(key)
        if found is None:
            found = self._count(text)
        if len(self._young) >= self._capacity:
            self._old, self._young = self._young, {}
        self._young[key] = found
        return found
