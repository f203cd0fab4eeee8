"""Numbers of chat messages, as the places that a client of the Messages API knows.

The steps of the pipeline work on chat messages, and number these. One entry of the client's ``messages`` may have
become several of them, and ``system`` has become those before.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from operator import attrgetter
from types import MappingProxyType
from typing import Any

from proxy.core.errors import InvalidRequest, UnrepairableHistory
from proxy.ingress.anthropic_messages.block_places import find_block
from sanitizers.native import Items, Span
from sanitizers.record import record

NO_MESSAGE = -1
"""The index of what no entry of ``messages`` holds: the system prompt, and what the operator added."""

_MESSAGES_END = attrgetter("messages.stop")
_MESSAGE = re.compile(
    r"\bmessages\[([0-9]{1,9})\](?:\.content\[([0-9]{1,9})\])?(?:\.[a-z_]+(?:\[[0-9]{1,9}\])?){0,4}"
)
_NAME = re.compile(r"[a-z_]+")
_OWN_PLACE = re.compile(r"(?:messages|system|tools)(?:\.|$)")
_OF_OTHERS = frozenset({"answer_repair", "instructions", "parameters", "session", "tools"})
"""Steps whose changes have no index of a message."""

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
class MessagePlaces:
    """Finds the client's entry of each chat message of one request, by the *spans* of the projection.

    *items* are the client's entries. With them, a part of a user message has the place of its block.
    """

    spans: Sequence[Span] = ()
    items: Items = ()

    def of_message(self, message: int) -> int:
        """Return the index of the first entry of the chat message at the index *message*, or :data:`NO_MESSAGE`."""
        at = bisect_right(self.spans, message, key=_MESSAGES_END)
        if at == len(self.spans):
            return NO_MESSAGE
        span = self.spans[at]
        return span.items.start if span.items and message >= span.messages.start else NO_MESSAGE

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
        first = self.spans[bisect_right(self.spans, message, key=_MESSAGES_END)].messages.start
        return find_block(item.get("content"), message - first, part)

    def rename(self, text: str) -> str:
        """Return *text* with ``messages.2`` in the place of ``messages[3]``."""
        return _MESSAGE.sub(_place_by(self), text)

    def rename_param(self, param: str) -> str:
        """Return the Messages API's path for the chat field *param*. A path of that API stays as it is."""
        if _OWN_PLACE.match(param):
            return param
        if param.startswith("messages"):
            return self.rename(param)
        name = _NAME.match(param)
        return param if name is None else _NAMES.get(name[0], param)

    def rename_error(self, error: InvalidRequest) -> None:
        """Give *error*, by which the proxy refuses a request, the client's places in its text and in its lists."""
        error.message = self.rename(error.message)
        if isinstance(error, UnrepairableHistory):
            error.violations = self.renumber(error.violations)
            error.changes = self.renumber(error.changes)
            if error.details:
                error.details = {"violations": error.violations, "changes": error.changes}

    def renumber(self, entries: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
        """Return the *entries* of chat messages, changes or broken rules as JSON, with the client's indexes."""
        return [*map(self._renumber_entry, entries)]

    def _renumber_entry(self, entry: Mapping[str, Any]) -> Mapping[str, Any]:
        step = entry.get("step")
        if step in _OF_OTHERS or step in _NATIVE:
            return entry
        return {**entry, "index": self.of_message(entry["index"])}

    def renumber_explanation(self, described: dict[str, Any], mended: int) -> dict[str, Any]:
        """Return *described*, a dry run as JSON, with the client's indexes.

        Its first *mended* changes were made while the request was read, and have these indexes already.
        """
        changes, refusal, memory = described["changes"], described["refusal"], described.get("memory")
        numbered = {
            **described,
            "changes": [*changes[:mended], *self.renumber(changes[mended:])],
            "found": self.renumber(described["found"]),
            "violations": self.renumber(described["violations"]),
        }
        if refusal is not None:
            param = refusal["param"]
            renamed = None if param is None else self.rename_param(param)
            numbered["refusal"] = {**refusal, "message": self.rename(refusal["message"]), "param": renamed}
        if memory is not None:
            places = {name: list(map(self.of_message, memory[name])) for name in ("pinned", "replaced")}
            numbered["memory"] = {**memory, **places}
        return numbered


def _place_by(places: MessagePlaces) -> Callable[[re.Match[str]], str]:
    def place(found: re.Match[str]) -> str:
        return places.place_of(int(found[1]), None if found[2] is None else int(found[2]))

    return place
