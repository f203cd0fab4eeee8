"""The client's names for tools that went by others upstream, put back into the calls of an answer. Pure.

A text is never looked at, and a name that nobody was given passes. Names may come in pieces, and nothing can be taken
back from a client: what may still become one of ours is held back until it has, or cannot any more.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proxy.answers.tool_calls.declared_tools import PREFIXES


class NamesBack:
    """The way back from the names upstream, which *back* has the client's for."""

    __slots__ = ("_known",)

    def __init__(self, back: Mapping[str, str]) -> None:
        # What models put before a name stays there: self-correction takes it off, and says so.
        self._known = {prefix + new: prefix + old for new, old in back.items() for prefix in ("", *PREFIXES)}

    def restore(self, name: str) -> str:
        """Return the client's name for *name*, or *name*."""
        return self._known.get(name, name)

    def may_go_on(self, name: str) -> bool:
        """Tell whether *name* may be the beginning of one that has to be put back."""
        return any(known.startswith(name) and known != name for known in self._known)


UNCHANGED = NamesBack({})
"""Where no name was changed."""


class LegacyNames:
    """The names of the calls of one stream that are written as ``function_call``, the form before tool calls."""

    def __init__(self, names: NamesBack) -> None:
        self._names = names
        self._held: dict[int, str] = {}  # of each choice

    def read(self, index: int, piece: Mapping[str, Any]) -> dict[str, Any]:
        """Return what of a piece of the call in the choice *index* can be passed on; empty while nothing can."""
        name = self._held.pop(index, "") + (piece.get("name") or "")
        rest = {field: value for field, value in piece.items() if field != "name"}
        if not name:
            return rest
        if not rest.get("arguments") and self._names.may_go_on(name):
            self._held[index] = name
            return {}
        return {"name": self._names.restore(name), **rest}

    def close(self, index: int) -> dict[str, Any]:
        """Return what was still held back of the choice *index*, which has ended."""
        name = self._held.pop(index, "")
        return {"name": self._names.restore(name), "arguments": ""} if name else {}
