"""Gives an error of Anthropic's the places of its client's messages, where others were sent.

Claude Code removes the block that a path ``messages.3.content.1`` names (2.1.197, run in 2026-11). So the path must
name the same block in the client's own request, whose messages may have been joined, moved or dropped.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from proxy.core.source import MessagesRequest
from proxy.planning.native_requests import sends_items
from proxy.planning.plan import Plan
from sanitizers.native import Items
from sanitizers.native.messages.changed_messages import blocks_of
from sanitizers.work_limit import metered

_PLACE = re.compile(r"\bmessages\.(\d{1,6})(?:\.content\.(\d{1,6}))?(?![\d])")


_NEIGHBOURS = 8
"""The entries before and behind a message in which the blocks of a joined or moved message are looked for."""


def words_for_client(plan: Plan, words: str) -> str:
    """Return *words*, a provider's error for *plan*, with the places of the client's own messages.

    The place of a block that the client did not send is that of its message. A request that went out as a chat has no
    such places: its error stays as it is.
    """
    source = plan.request.source
    native = None if source is None else source.native
    if not isinstance(native, MessagesRequest) or native.read_from is None:
        return words
    if native.items is native.read_from or "messages." not in words:
        return words
    if not sends_items(plan.request, plan.deployment, plan.messages, plan.parameters):
        return words
    return _PLACE.sub(_placing(native, native.read_from), words)


def _placing(native: MessagesRequest, given: Items) -> Callable[[re.Match[str]], str]:
    """Return the replacement of a place among the items of *native* by one among the client's items *given*."""

    def place(found: re.Match[str]) -> str:
        at, part = int(found[1]), found[2]
        if at >= len(native.items):
            return found[0]
        sent = native.items[at]
        before = at if native.origins is None else native.origins[at]
        if part is None:
            return f"messages.{before}"
        if sent is given[before]:
            return f"messages.{before}.content.{part}"
        blocks = blocks_of(sent)
        block = blocks[int(part)] if int(part) < len(blocks) else None
        return _find_block(given, before, block) or f"messages.{before}"

    return place


def _find_block(given: Items, near: int, block: Any) -> str | None:
    """Return the place of the very object *block* in the items *given*, at the index *near* or in its neighbours."""
    first = max(0, near - _NEIGHBOURS)
    for at, item in enumerate(given[first : near + _NEIGHBOURS + 1], first):
        for part, own in enumerate(metered(blocks_of(item))):
            if own is block and own is not None:
                return f"messages.{at}.content.{part}"
    return None
