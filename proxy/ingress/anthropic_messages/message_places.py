"""Numbers of chat messages, as the places that a client of the Messages API knows.

One entry of the client's ``messages`` may have become several chat messages, and ``system`` has become those before
(:mod:`proxy.ingress.client_places`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from typing_extensions import override

from proxy.ingress.anthropic_messages.block_places import find_block
from proxy.ingress.client_places import NO_ENTRY, ClientPlaces, find_span
from sanitizers.native import Items, Span
from sanitizers.record import record

NO_MESSAGE = NO_ENTRY
"""The index of what no entry of ``messages`` holds: the system prompt, and what the operator added."""

_MESSAGE = re.compile(
    r"\bmessages\[([0-9]{1,9})\](?:\.content\[([0-9]{1,9})\])?(?:\.[a-z_]+(?:\[[0-9]{1,9}\])?){0,4}"
)
_NAME = re.compile(r"[a-z_]+")
_OWN_PLACE = re.compile(r"(?:messages|system|tools)(?:\.|$)")
_NATIVE = frozenset({"item_repair", "items"})
"""The steps whose changes have the indexes of the client's own entries."""

_NAMES: Mapping[str, str] = MappingProxyType(
    {
        "max_completion_tokens": "max_tokens",
        "parallel_tool_calls": "tool_choice.disable_parallel_tool_use",
        "reasoning_effort": "output_config.effort",
        "response_format": "output_config.format",
        "stop": "stop_sequences",
        "tools": "tools",
    }
)
"""The Messages API's name of a chat parameter, where it differs or where the place within it does."""


@record
class MessagePlaces(ClientPlaces):
    """Finds the client's entry of each chat message of one request, by the *spans* of the projection.

    *items* are the client's entries. With them, a part of a user message has the place of its block.
    """

    spans: Sequence[Span] = ()
    items: Items = ()

    @override
    def of_message(self, message: int) -> int:
        span = find_span(self.spans, message)
        return NO_MESSAGE if span is None else span.items.start

    def place_of(self, message: int, part: int | None = None) -> str:
        """Return the place of a chat message, as errors name it: ``messages.3``, or ``system`` for one without.

        The place of a *part* of it is ``messages.3.content.1``, as far as its block is known. Without any spans, all
        places are ``messages``.
        """
        if not self.spans:
            return "messages"
        index = self.of_message(message)
        if index == NO_MESSAGE:
            return "system"
        return f"messages.{index}{self._block_place(index, message, part)}"

    def _block_place(self, index: int, message: int, part: int | None) -> str:
        item = self.items[index] if index < len(self.items) else {}
        if item.get("role") != "user":
            return ""
        span = find_span(self.spans, message)
        assert span is not None, "the message has an entry"
        return find_block(item.get("content"), message - span.messages.start, part)

    @override
    def rename(self, text: str) -> str:
        return _MESSAGE.sub(_place_by(self), text)

    @override
    def rename_param(self, param: str) -> str:
        """Return the Messages API's path for the chat field *param*. A path of that API stays as it is."""
        if _OWN_PLACE.match(param):
            return param
        if param.startswith("messages"):
            return self.rename(param)
        name = _NAME.match(param)
        return param if name is None else _NAMES.get(name[0], param)

    @override
    def of_entry(self, step: str, index: int) -> int | None:
        return index if step in _NATIVE else None


def _place_by(places: MessagePlaces) -> Callable[[re.Match[str]], str]:
    def place(found: re.Match[str]) -> str:
        return places.place_of(int(found[1]), None if found[2] is None else int(found[2]))

    return place
