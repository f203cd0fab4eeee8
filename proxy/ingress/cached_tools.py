"""A cache of tools for each native format, since the same tools come with every request of a conversation.

The key is the JSON of the tools. Later steps find cached facts of the chat tools by their identity, so that a cached
list saves far more than its own making.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

import orjson

from proxy.core.chat_request import LARGEST_KNOWN, MAX_KNOWN, KnownTools
from proxy.core.nesting import depth_of
from sanitizers import Unrepairable
from sanitizers.turns import declared_names

_MAX_PARTS = 8_192
"""The largest number of commas and opening brackets in cached tools, as in the chat format's cache."""


def may_be_cached(written: bytes) -> bool:
    """Tell whether tools with the JSON *written* are small enough to be kept, in bytes and in values."""
    size = len(written)
    if size <= _MAX_PARTS:
        return True
    if size > LARGEST_KNOWN:
        return False
    return written.count(b",") + written.count(b"{") + written.count(b"[") <= _MAX_PARTS


def facts_of(chat_tools: list[dict[str, Any]]) -> KnownTools | None:
    """Return the facts of *chat_tools*, whose types were checked, or None where there are no tools."""
    if not chat_tools:
        return None
    names = tuple(declared_names({"tools": chat_tools}))
    size = len(orjson.dumps(chat_tools))
    return KnownTools(chat_tools, depth_of(chat_tools), are_checked=True, size=size, names=names)


class _ReadTools(Protocol):
    @property
    def chat_tools(self) -> list[dict[str, Any]]: ...


ToolsT = TypeVar("ToolsT", bound=_ReadTools)


class Known(NamedTuple, Generic[ToolsT]):
    """The tools of a request, and the facts of their chat form. *known* is None where there are no tools to cache."""

    tools: ToolsT
    known: KnownTools | None = None


class ToolCache(Generic[ToolsT]):
    """The cache of one format, whose tools the function *read* reads."""

    def __init__(self, read: Callable[[Any], ToolsT]) -> None:
        self._read = read
        self._known = lru_cache(maxsize=MAX_KNOWN)(self._make)

    def find(self, tools: Any) -> Known[ToolsT]:
        """Return *tools* as they were read, from the cache where they are there.

        Raises :class:`~sanitizers.errors.Unrepairable` as the format's function does. Faulty tools are not cached.
        """
        if not tools:
            return Known(self._read(tools))
        try:
            written = orjson.dumps(tools)
        except orjson.JSONEncodeError:  # a number of thirty digits, or nested too deeply
            return Known(self._read(tools))
        if not may_be_cached(written):
            return Known(self._read(tools))
        try:
            return self._known(written)
        except Unrepairable:
            return Known(self._read(tools))  # raises again, and is not cached

    def _make(self, written: bytes) -> Known[ToolsT]:
        tools = self._read(orjson.loads(written))
        return Known(tools, facts_of(tools.chat_tools))
