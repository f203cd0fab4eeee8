"""A cache of tool tables: the same tools come with every request of a conversation.

The key is the JSON of the tools, those in items included. Later steps find cached facts of the chat tools by their
identity, so a table of the cache saves far more than its own making.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import orjson

from proxy.core.chat_request import MAX_KNOWN, KnownTools
from proxy.ingress.cached_tools import facts_of, may_be_cached
from sanitizers import Unrepairable
from sanitizers.native import Items
from sanitizers.native.responses.item_types import TOOL_CARRIERS
from sanitizers.native.responses.tools import ToolTable, read_tools
from sanitizers.record import record
from sanitizers.work_limit import metered

_CARRIERS = tuple(TOOL_CARRIERS)  # a tuple, since a type may be any JSON


@record
class KnownTable:
    """The tools of a request, and the facts of their chat form. *known* is None where there are no tools to cache."""

    table: ToolTable
    known: KnownTools | None


def read_known_tools(tools: Sequence[Any] | None, items: Items) -> KnownTable:
    """Return the table of the tools in *tools* and in *items*, from the cache where it is there.

    Raises :class:`~sanitizers.errors.Unrepairable` as :func:`read_tools` does. Faulty tools are not cached.
    """
    carriers = [[at, item] for at, item in enumerate(metered(items)) if item.get("type") in _CARRIERS]
    if not tools and not carriers:
        return KnownTable(read_tools(None, ()), None)
    try:
        written = orjson.dumps([tools, carriers])
    except orjson.JSONEncodeError:  # a number of thirty digits, or nested too deeply
        return KnownTable(read_tools(tools, items), None)
    if not may_be_cached(written):
        return KnownTable(read_tools(tools, items), None)
    try:
        return _known(written)
    except Unrepairable:
        return KnownTable(read_tools(tools, items), None)  # raises again, and is not cached


@lru_cache(maxsize=MAX_KNOWN)
def _known(written: bytes) -> KnownTable:
    tools, carriers = orjson.loads(written)
    items: list[dict[str, Any]] = []
    for at, item in carriers:  # at their places, since changes name them
        items += [{} for _ in range(at - len(items))]
        items.append(item)
    table = read_tools(tools, items)
    return KnownTable(table, facts_of(table.chat_tools))
