"""Finds the parts of a secret that stand next to a mask, as in ``sk-ab****xyz``.

Providers show the first and last characters of a key that they refuse (OpenAI shows the last four). The parts from many
errors would together reveal much of a key. They would also show which account the key belongs to.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

_SHORTEST = 4
"""The fewest characters of a secret that count as a part. Fewer may stand next to a mask by chance."""

_EDGE = 16
"""A part must begin within this many characters of the secret's start, or end within this many of its end.

The middle of a long secret may hold ordinary words.
"""

_MASKS = re.compile(
    r"[*\u2022\u25cf\u00b7\u2219\u2588\u25a0\u25aa\u2026\u00d7]+|\.{2,}|[xX]{4,}|#{3,}"
    r"|[\[<(](?i:redacted|masked|hidden)[\])>]|(?i:\b(?:end|start|begin)n?(?:s|ing) (?:in|with):? )"
)
"""Masks: characters or words that replace the rest of a key. Each alternative takes linear time."""

_SEPARATORS = frozenset(" \"'`")
"""One of these characters may stand between a mask and a part."""


class ShownParts:
    """Finds parts of *secrets* that stand next to masks. The time is linear in the length of the text."""

    def __init__(self, secrets: Iterable[str]) -> None:
        held = [secret.lower() for secret in secrets]
        self._after = _PartIndex(held)
        self._before = _PartIndex([secret[::-1] for secret in held])
        self._short_starts = {secret[:size] for secret in held for size in range(1, _SHORTEST)}
        self._short_ends = {secret[-size:] for secret in held for size in range(1, _SHORTEST)}

    def spans(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield the start and end of each mask with its parts in *text*, which is in lower case.

        A mask without a part next to it is left out.
        """
        backwards = text[::-1]
        for mask in _MASKS.finditer(text):
            start = len(text) - self._before.end_of(backwards, len(text) - mask.start())
            end = self._after.end_of(text, mask.end())
            if (start, end) == mask.span():
                start, end = self._find_short(text, mask.start(), mask.end())
            elif start == mask.start() or end == mask.end():
                start = min(start, mask.start() - self._short_before(text, mask.start()))
                end = max(end, mask.end() + self._short_after(text, mask.end()))
            if (start, end) != mask.span():
                yield start, end

    def _find_short(self, text: str, start: int, end: int) -> tuple[int, int]:
        """Return the start and end of a mask together with the short parts on its two sides.

        Short parts count only when they have enough characters together.
        """
        before, after = self._short_before(text, start), self._short_after(text, end)
        return (start - before, end + after) if before + after >= _SHORTEST else (start, end)

    def _short_before(self, text: str, at: int) -> int:
        """Return how many of a secret's first characters stand just before *at*.

        The result is less than the shortest part, and may be 0.
        """
        sizes = range(min(at, _SHORTEST - 1), 0, -1)
        return next((size for size in sizes if text[at - size : at] in self._short_starts), 0)

    def _short_after(self, text: str, at: int) -> int:
        """Return how many of a secret's last characters stand from *at* on.

        The result is less than the shortest part, and may be 0.
        """
        sizes = range(_SHORTEST - 1, 0, -1)
        return next((size for size in sizes if text[at : at + size] in self._short_ends), 0)


class _PartIndex:
    """Finds parts of *secrets* by the part's first characters."""

    def __init__(self, secrets: Iterable[str]) -> None:
        self._places: dict[str, list[tuple[str, int]]] = {}
        for secret in secrets:
            for at in range(len(secret) - _SHORTEST + 1):
                self._places.setdefault(secret[at : at + _SHORTEST], []).append((secret, at))

    def end_of(self, text: str, at: int) -> int:
        """Return the end of the parts that follow each other from *at* on in *text*."""
        while True:
            skipped = text[at : at + 1] in _SEPARATORS and not self._size(text, at)
            size = self._size(text, at + skipped)
            if not size:
                return at
            at += skipped + size

    def _size(self, text: str, at: int) -> int:
        """Return the length of the longest part that begins at *at*, or 0."""
        longest = 0
        for secret, place in self._places.get(text[at : at + _SHORTEST], ()):
            size = _SHORTEST
            while place + size < len(secret) and text[at + size : at + size + 1] == secret[place + size]:
                size += 1
            if place < _EDGE or place + size > len(secret) - _EDGE:
                longest = max(longest, size)
        return longest
