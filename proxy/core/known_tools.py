"""A list of declared tools that all requests with the same tools share, and how many such lists are kept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

LARGEST_KNOWN = 128 * 1024
"""Bytes of a list of tools that is remembered."""

MOST_KNOWN = 32
"""Lists that are remembered, the last ones that were asked for: with what is parsed from them, a MB as a rule,
and 30 where they are made to be large."""


@dataclass(frozen=True, slots=True, eq=False)
class KnownTools:
    """A list of tools as one object, which all requests with these tools share; nobody changes anything in it."""

    tools: list[Any]
    depth: int
    """Containers that lie one in another, the list among them."""

    are_checked: bool
    """Whether the tools are of the right types; otherwise nobody has said yet what is wrong."""

    size: int
    """Bytes of them as they are written anew."""

    names: tuple[str, ...] = ()
    """The names that they declare, where they are checked."""
