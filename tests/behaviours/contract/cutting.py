"""Functions that cut a stream of bytes, and one that makes the proxy's answers to different cuts comparable."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

_FRESH = re.compile(rb"call_[a-z2-7]{24}")


def two_ways(body: bytes) -> Iterator[list[bytes]]:
    """Yield *body* cut in two at each byte."""
    for at in range(1, len(body)):
        yield [body[:at], body[at:]]


def in_bytes(body: bytes) -> list[bytes]:
    """Return *body* byte by byte."""
    return [body[at : at + 1] for at in range(len(body))]


def at_places(body: bytes, places: list[int]) -> list[bytes]:
    """Return *body* cut at *places*, each a position in thousandths of the body's length."""
    bounds = [0, *sorted(place * len(body) // 1000 for place in places), len(body)]
    return [body[start:end] for start, end in pairwise(bounds) if start < end]


def told_apart(raw: bytes) -> bytes:
    """Return *raw* with each generated call id replaced by a number, since such ids differ from run to run."""
    seen: dict[bytes, bytes] = {}
    return _FRESH.sub(lambda found: seen.setdefault(found[0], b"fresh_%d" % len(seen)), raw)
