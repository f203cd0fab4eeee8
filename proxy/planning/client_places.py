"""Gives an error of Anthropic's the places of its client's messages, where others were sent.

Claude Code removes the block that a path ``messages.3.content.1`` names (2.1.197, run in 2026-11). So the path must
name the same block in the client's own request, whose messages may have been joined, moved or dropped.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from proxy.core.source import MessagesRequest
from proxy.planning.native_requests import sends_items
from proxy.planning.plan import Plan
from sanitizers.native import Items
from sanitizers.native.messages.changed_messages import blocks_of
from sanitizers.work_limit import metered

_PLACE = re.compile(r"\bmessages\.(\d{1,6})(?:\.content\.(\d{1,6}))?(?![\d])")


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
    own = {
        id(block): f"messages.{at}.content.{part}"
        for at, item in enumerate(metered(given))
        for part, block in enumerate(blocks_of(item))
        if isinstance(item.get("content"), list)
    }

    def place(found: re.Match[str]) -> str:
        at, part = int(found[1]), found[2]
        if at >= len(native.items):
            return found[0]
        sent = native.items[at]
        before = at if native.origins is None else native.origins[at]
        named = f"messages.{before}"
        if part is None:
            return named
        if sent is given[before]:
            return f"{named}.content.{part}"
        blocks = blocks_of(sent)
        return own.get(id(blocks[int(part)]), named) if int(part) < len(blocks) else named

    return place
