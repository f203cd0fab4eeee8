"""Joins the operator's texts of one combination, and cuts the most general text first where they are too long."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from hashlib import sha256

from proxy.core.instructions import MAX_BYTES, SEPARATOR, InstructionPart, Instructions, Level

_DIGEST_LENGTH = 12


def digest_of(text: str) -> str:
    """Return the name of *text* in logs and changes: the first 12 hexadecimal digits of its SHA-256."""
    return sha256(text.encode()).hexdigest()[:_DIGEST_LENGTH]


def part_of(level: Level, text: str) -> InstructionPart:
    """Return the part of *level* with its length in UTF-8."""
    return InstructionPart(level, text, len(text.encode()))


def joined_bytes(sizes: Iterable[int]) -> int:
    """Return the length of joined texts whose lengths are *sizes*. No text is empty."""
    listed = list(sizes)
    return sum(listed) + len(SEPARATOR) * max(0, len(listed) - 1)


def combine(parts: Sequence[InstructionPart]) -> Instructions | None:
    """Return the joined texts of *parts*, from the most general to the most special, or None without a part.

    Texts that come to more than :data:`MAX_BYTES` are cut by :func:`fit`.
    """
    kept = fit(parts)
    if not kept:
        return None
    text = SEPARATOR.join(part.text for part in kept)
    return Instructions(kept, text, joined_bytes(part.bytes for part in kept), digest_of(text))


def fit(parts: Sequence[InstructionPart], most: int = MAX_BYTES) -> tuple[InstructionPart, ...]:
    """Return *parts*, cut so that their joined texts have at most *most* bytes in UTF-8.

    The most general text loses its end first, at the boundary of a character. A text of which nothing but white space
    would be left is dropped, and then the next one is cut.
    """
    for position, part in enumerate(parts):
        rest = parts[position + 1 :]
        sizes = [each.bytes for each in rest]
        if joined_bytes((part.bytes, *sizes)) <= most:
            return tuple(parts[position:])
        text = _beginning(part.text, most - joined_bytes((0, *sizes)))
        if text.strip():
            return (replace(part, text=text, bytes=len(text.encode()), whole=False), *rest)
    return ()


def _beginning(text: str, most: int) -> str:
    """Return the longest beginning of *text* that has at most *most* bytes in UTF-8."""
    return text.encode()[: max(0, most)].decode(errors="ignore")
