"""What texts came to the last time they were seen, so that a resent history costs only what is new in it.

An agent sends its whole history with every request, as new string objects each time; only their contents tell that they
were counted before. The key is Python's own hash of a string: 64 bits of SipHash, keyed anew in each process, at half
the cost of SHA-256 and without encoding the text first. A string keeps its hash, so that asking twice for one object is
free. Two of 65,000 texts share a key with a probability of one in ten thousand million; the cost would be one wrong
estimate. No text is kept.
"""

from __future__ import annotations

from collections.abc import Callable


class TextCache:
    """A bounded memo of *count*, a function of a text, that forgets what was not asked for lately.

    It keeps two generations of at most *capacity* texts each. A text found in the old one moves to the young one; a
    full young one becomes the old one, and the old one is forgotten. So whatever was among the last *capacity*
    different texts is there, as in an LRU cache, and a hit is one lookup. An entry takes about 100 bytes.
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
