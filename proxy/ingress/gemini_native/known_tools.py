"""A cache of tools: the same tools come with every request of a conversation, 30 KB of them from gemini-cli.

The key is the JSON of the tools. Later steps find cached facts of the chat tools by their identity, so that a cached
list saves far more than its own making.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import orjson

from proxy.core.chat_request import LARGEST_KNOWN, MAX_KNOWN, KnownTools
from proxy.core.nesting import depth_of
from sanitizers import Unrepairable
from sanitizers.native.gemini.tools import GeminiTools, read_tools
from sanitizers.record import record
from sanitizers.turns import declared_names

_MAX_PARTS = 8_192
"""The largest number of commas and opening brackets in cached tools, as in the chat format's cache."""


@record
class KnownGeminiTools:
    """The tools of a request, and the facts of their chat form. *known* is None where there are no tools to cache."""

    tools: GeminiTools
    known: KnownTools | None = None


def read_known_tools(tools: Any) -> KnownGeminiTools:
    """Return *tools* as they were read, from the cache where they are there.

    Raises :class:`~sanitizers.errors.Unrepairable` as :func:`read_tools` does. Faulty tools are not cached.
    """
    if not tools:
        return KnownGeminiTools(read_tools(tools))
    try:
        written = orjson.dumps(tools)
    except orjson.JSONEncodeError:  # a number of thirty digits, or nested too deeply
        return KnownGeminiTools(read_tools(tools))
    if len(written) > LARGEST_KNOWN or _has_many_parts(written):
        return KnownGeminiTools(read_tools(tools))
    try:
        return _known(written)
    except Unrepairable:
        return KnownGeminiTools(read_tools(tools))  # raises again, and is not cached


def _has_many_parts(written: bytes) -> bool:
    if len(written) <= _MAX_PARTS:
        return False
    return written.count(b",") + written.count(b"{") + written.count(b"[") > _MAX_PARTS


@lru_cache(maxsize=MAX_KNOWN)
def _known(written: bytes) -> KnownGeminiTools:
    tools = read_tools(orjson.loads(written))
    chat_tools = tools.chat_tools
    if not chat_tools:
        return KnownGeminiTools(tools)
    names = tuple(declared_names({"tools": chat_tools}))
    size = len(orjson.dumps(chat_tools))
    known = KnownTools(chat_tools, depth_of(chat_tools), are_checked=True, size=size, names=names)
    return KnownGeminiTools(tools, known)
