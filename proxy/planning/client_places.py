"""Gives an error of Anthropic's or Google's the places of its client's messages, where others were sent.

Claude Code removes the block that a path ``messages.3.content.1`` names (2.1.197, run in 2026-11). So the path must
name the same block in the client's own request, whose messages may have been joined, moved or dropped. The same holds
for the parts of contents, which Google names as ``contents[3].parts[1]``.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple

from proxy.core.source import GeminiRequest, MessagesRequest
from proxy.planning.native_requests import sends_items
from proxy.planning.plan import Plan
from sanitizers.native import Items
from sanitizers.native.messages.changed_messages import blocks_of
from sanitizers.work_limit import metered


class _Places(NamedTuple):
    """The places of one format: the list's name, the places in words, how one is written, and the parts of an item."""

    field: str
    found: re.Pattern[str]
    item: str
    part: str
    parts_of: Callable[[Any], list[Any]]


def _parts_of_content(content: Any) -> list[Any]:
    parts = content.get("parts")
    return parts if isinstance(parts, list) else [] if parts is None else [parts]


_MESSAGES = _Places(
    "messages.",
    re.compile(r"\bmessages\.(\d{1,6})(?:\.content\.(\d{1,6}))?(?![\d])"),
    "messages.{}",
    "messages.{}.content.{}",
    blocks_of,
)
_CONTENTS = _Places(
    "contents[",
    re.compile(r"\bcontents\[(\d{1,6})\](?:\.parts\[(\d{1,6})\])?"),
    "contents[{}]",
    "contents[{}].parts[{}]",
    _parts_of_content,
)

_NEIGHBOURS = 8
"""The entries before and behind a message in which the blocks of a joined or moved message are looked for."""


def words_for_client(plan: Plan, words: str) -> str:
    """Return *words*, a provider's error for *plan*, with the places of the client's own messages.

    The place of a block that the client did not send is that of its message. A request that went out as a chat has no
    such places: its error stays as it is.
    """
    source = plan.request.source
    native = None if source is None else source.native
    if not isinstance(native, MessagesRequest | GeminiRequest) or native.read_from is None:
        return words
    places = _CONTENTS if isinstance(native, GeminiRequest) else _MESSAGES
    if native.items is native.read_from or places.field not in words:
        return words
    if not sends_items(plan.request, plan.deployment, plan.messages, plan.parameters):
        return words
    return places.found.sub(_placing(native, native.read_from, places), words)


def _placing(
    native: MessagesRequest | GeminiRequest, given: Items, places: _Places
) -> Callable[[re.Match[str]], str]:
    """Return the replacement of a place among the items of *native* by one among the client's items *given*."""

    def place(found: re.Match[str]) -> str:
        at, part = int(found[1]), found[2]
        if at >= len(native.items):
            return found[0]
        sent = native.items[at]
        before = at if native.origins is None else native.origins[at]
        if part is None:
            return places.item.format(before)
        if sent is given[before]:
            return places.part.format(before, part)
        blocks = places.parts_of(sent)
        block = blocks[int(part)] if int(part) < len(blocks) else None
        return _find_block(given, before, block, places) or places.item.format(before)

    return place


def _find_block(given: Items, near: int, block: Any, places: _Places) -> str | None:
    """Return the place of the very object *block* in the items *given*, at the index *near* or in its neighbours."""
    first = max(0, near - _NEIGHBOURS)
    for at, item in enumerate(given[first : near + _NEIGHBOURS + 1], first):
        for part, own in enumerate(metered(places.parts_of(item))):
            if own is block and own is not None:
                return places.part.format(at, part)
    return None
