"""A cache of tools: the same tools come with every request of a conversation, 85 KB of them from Claude Code.

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
from sanitizers.native.messages.tools import MessagesTools, read_tools
from sanitizers.record import record


@record
class KnownMessagesTools:
    """The tools of a request, and the facts of their chat form. *known* is None where there are no tools to cache."""

    tools: MessagesTools
    known: KnownTools | None = None


def read_known_tools(tools: list[Any] | None) -> KnownMessagesTools:
    """Return *tools* as they were read, from the cache where they are there.

    Raises :class:`~sanitizers.errors.Unrepairable` as :func:`read_tools` does. Faulty tools are not cached.
    """
    if not tools:
        return KnownMessagesTools(read_tools(tools))
    try:
        written = orjson.dumps(tools)
    except orjson.JSONEncodeError:  # a number of thirty digits, or nested too deeply
        return KnownMessagesTools(read_tools(tools))
    if not may_be_cached(written):
        return KnownMessagesTools(read_tools(tools))
    try:
        return _known(written)
    except Unrepairable:
        return KnownMessagesTools(read_tools(tools))  # raises again, and is not cached


@lru_cache(maxsize=MAX_KNOWN)
def _known(written: bytes) -> KnownMessagesTools:
    tools = read_tools(orjson.loads(written))
    return KnownMessagesTools(tools, facts_of(tools.chat_tools))
