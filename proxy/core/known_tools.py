"""A list of declared tools that requests with the same tools share, and the limits of the cache of such lists."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

LARGEST_KNOWN = 128 * 1024
"""Most bytes of a list of tools that is cached."""

MAX_KNOWN = 32
"""Number of lists in the cache, the most recently used ones.

With everything parsed from them they take about 1 MB, and 30 MB if they are made to be large.
"""


@dataclass(frozen=True, slots=True, eq=False)
class KnownTools:
    """A list of tools as one object that all requests with these tools share. Nothing in it may be changed."""

    tools: list[Any]
    depth: int
    """Nested containers at the deepest point, the list included."""

    are_checked: bool
    """True if the types of all tools were checked and are right. False if a fault is still to be reported."""

    size: int
    """Bytes of the tools when they are serialized again."""

    names: tuple[str, ...] = ()
    """The declared names, if the tools are checked."""
