"""Restores the client's tool names in the calls of an answer, for tools that were renamed upstream.

Texts are not searched for tool names. Unknown names pass unchanged. Names may come in pieces, and a sent piece cannot
be taken back. So a name is withheld while it may still be the beginning of a renamed tool's name.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proxy.answers.tool_calls.declared_tools import PREFIXES


class ToolNameMap:
    """Maps the tool names that the provider got to the client's. *back* has the client's name of each renamed tool."""

    __slots__ = ("_known",)

    def __init__(self, back: Mapping[str, str]) -> None:
        # Prefixes of models stay. Self-correction removes them, and reports the change.
        self._known = {prefix + new: prefix + old for new, old in back.items() for prefix in ("", *PREFIXES)}

    def restore(self, name: str) -> str:
        """Return the client's name for *name*, or *name* itself where no tool was renamed to it."""
        return self._known.get(name, name)

    def may_go_on(self, name: str) -> bool:
        """Return True where *name* may be the beginning of a longer name that a tool was renamed to."""
        return any(known.startswith(name) and known != name for known in self._known)


UNCHANGED = ToolNameMap({})
"""The map for requests without renamed tools."""


class LegacyNames:
    """The tool names of one stream with calls in the older form ``function_call``."""

    def __init__(self, names: ToolNameMap) -> None:
        self._names = names
        self._held: dict[int, str] = {}  # by choice

    def read(self, index: int, piece: Mapping[str, Any]) -> dict[str, Any]:
        """Return the part of a call's piece in the choice *index* that can be sent.

        Return an empty dict where the whole piece is withheld.
        """
        name = self._held.pop(index, "") + (piece.get("name") or "")
        rest = {field: value for field, value in piece.items() if field != "name"}
        if not name:
            return rest
        if not rest.get("arguments") and self._names.may_go_on(name):
            self._held[index] = name
            return {}
        return {"name": self._names.restore(name), **rest}

    def close(self, index: int) -> dict[str, Any]:
        """Return a piece with the withheld name of the choice *index*, which has ended, or an empty dict."""
        name = self._held.pop(index, "")
        return {"name": self._names.restore(name), "arguments": ""} if name else {}
