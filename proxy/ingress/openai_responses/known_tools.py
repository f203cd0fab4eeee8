"""A cache of tool tables: the same tools come with every request of a conversation.

The key is the JSON of the tools, those in items included. Later steps find cached facts of the chat tools by their
identity, so a table of the cache saves far more than its own making.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import orjson

from proxy.core.chat_request import LARGEST_KNOWN, MAX_KNOWN, KnownTools
from proxy.core.nesting import depth_of
from sanitizers import Unrepairable
from sanitizers.native import Items
from sanitizers.native.responses.item_types import TOOL_CARRIERS
from sanitizers.native.responses.tools import ToolTable, read_tools
from sanitizers.record import record
from sanitizers.turns import declared_names
from sanitizers.work_limit import metered

_CARRIERS = tuple(TOOL_CARRIERS)  # a tuple, since a type may be any JSON

_MAX_PARTS = 8_192
"""The largest number of commas and opening brackets in cached tools, as in the chat format's cache."""


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
    if len(written) > LARGEST_KNOWN or _has_many_parts(written):
        return KnownTable(read_tools(tools, items), None)
    try:
        return _known(written)
    except Unrepairable:
        return KnownTable(read_tools(tools, items), None)  # raises again, and is not cached


def _has_many_parts(written: bytes) -> bool:
    if len(written) <= _MAX_PARTS:
        return False
    return written.count(b",") + written.count(b"{") + written.count(b"[") > _MAX_PARTS


@lru_cache(maxsize=MAX_KNOWN)
def _known(written: bytes) -> KnownTable:
    tools, carriers = orjson.loads(written)
    items: list[dict[str, Any]] = []
    for at, item in carriers:  # at their places, since changes name them
        items += [{} for _ in range(at - len(items))]
        items.append(item)
    table = read_tools(tools, items)
    chat_tools = table.chat_tools
    if not chat_tools:
        return KnownTable(table, None)
    names = tuple(declared_names({"tools": chat_tools}))
    size = len(orjson.dumps(chat_tools))
    return KnownTable(
        table, KnownTools(chat_tools, depth_of(chat_tools), are_checked=True, size=size, names=names)
    )
