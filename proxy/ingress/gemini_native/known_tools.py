"""A cache of tools: the same tools come with every request of a conversation, 30 KB of them from gemini-cli.

The key is the JSON of the tools. Later steps find cached facts of the chat tools by their identity, so that a cached
list saves far more than its own making.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import orjson

from proxy.core.chat_request import MAX_KNOWN, KnownTools
from proxy.ingress.cached_tools import facts_of, may_be_cached
from sanitizers import Unrepairable
from sanitizers.native.gemini.tools import GeminiTools, read_tools
from sanitizers.record import record


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
    if not may_be_cached(written):
        return KnownGeminiTools(read_tools(tools))
    try:
        return _known(written)
    except Unrepairable:
        return KnownGeminiTools(read_tools(tools))  # raises again, and is not cached


@lru_cache(maxsize=MAX_KNOWN)
def _known(written: bytes) -> KnownGeminiTools:
    tools = read_tools(orjson.loads(written))
    return KnownGeminiTools(tools, facts_of(tools.chat_tools))
