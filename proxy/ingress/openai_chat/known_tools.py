"""A cache of checked tool lists: the same list comes with every request of a conversation.

The key is the list encoded as JSON, which takes 6 µs for eight tools of 6 KB. Checking the tools, measuring their
depth and looking up each schema takes twenty times as long. Later steps find cached facts of a list by the identity
of the cached list.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import orjson

from proxy.core.chat_request import LARGEST_KNOWN, MAX_KNOWN, KnownTools
from proxy.core.errors import InvalidRequest
from proxy.core.nesting import depth_of
from proxy.ingress.openai_chat.parameters import check_parameter
from sanitizers.turns import declared_names

_MAX_PARTS = 8_192
"""The largest number of commas and opening brackets in a cached list. A usual list of 128 KiB has 5,500.

A list of 43,000 empty lists also takes 128 KiB of JSON, and 25 times as many bytes in memory.
"""


def known_tools(tools: Any) -> KnownTools | None:
    """Return the facts (such as depth and names) of *tools*, or None for no list, a large one, or invalid JSON.

    The facts of a faulty list are returned, but not cached.
    """
    if tools.__class__ is not list:
        return None
    try:
        written = orjson.dumps(tools)
    except orjson.JSONEncodeError:  # a number of thirty digits, or nested too deeply
        return None
    if len(written) > LARGEST_KNOWN or (len(written) > _MAX_PARTS and _has_many_parts(written)):
        return None
    try:
        return _known(written)
    except InvalidRequest:  # not cached: a client could fill the cache with faulty lists
        return KnownTools(tools, depth_of(tools), are_checked=False, size=len(written))


def _has_many_parts(written: bytes) -> bool:
    return written.count(b",") + written.count(b"{") + written.count(b"[") > _MAX_PARTS


@lru_cache(maxsize=MAX_KNOWN)
def _known(written: bytes) -> KnownTools:
    tools = orjson.loads(written)
    check_parameter("tools", tools)
    names = tuple(declared_names({"tools": tools}))
    return KnownTools(tools, depth_of(tools), are_checked=True, size=len(written), names=names)
