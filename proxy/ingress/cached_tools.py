"""The bounds of cached tools, and the facts of their chat form, for every format with a cache of its own."""

from __future__ import annotations

from typing import Any

import orjson

from proxy.core.chat_request import LARGEST_KNOWN, KnownTools
from proxy.core.nesting import depth_of
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
