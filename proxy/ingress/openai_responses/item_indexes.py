"""Numbers of messages and of items, as the numbers of the request's own items.

The steps of the pipeline work on chat messages, and number these. A client of the Responses API knows the items of its
``input`` alone: a message may stand for several items, and for items of the stored conversation.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import replace
from operator import attrgetter
from typing import Any

from proxy.core.errors import InvalidRequest, UnrepairableHistory
from sanitizers import Change
from sanitizers.native import Span
from sanitizers.native.responses.changed_items import STEP as ITEM_REPAIR
from sanitizers.native.responses.tool_table import STEP
from sanitizers.record import record

NO_ITEM = -1
"""The index of what no item of the request holds: the instructions, and the stored conversation."""

INPUT = "input"

_MESSAGES_END = attrgetter("messages.stop")
_MESSAGE = re.compile(r"\bmessages\[([0-9]{1,9})\]")
_ITEM = re.compile(r"\binput\[([0-9]{1,9})\]")
_OF_OTHERS = frozenset({"answer_repair", "instructions", "parameters", "session", "tools"})
"""Steps whose changes have no index of a message."""


@record
class ItemIndexes:
    """Finds the own items of one request.

    *spans* connect all items with messages. The first *earlier* items come from the stored conversation.
    """

    spans: Sequence[Span] = ()
    earlier: int = 0

    def of_message(self, message: int) -> int:
        """Return the index of the first own item of the message at the index *message*, or :data:`NO_ITEM`."""
        at = bisect_right(self.spans, message, key=_MESSAGES_END)
        if at == len(self.spans) or message < 0 or not self.spans[at].items:
            return NO_ITEM
        return self.of_item(self.spans[at].items.start)

    def of_item(self, item: int) -> int:
        """Return the own index of the item at the index *item* of all items, or :data:`NO_ITEM`."""
        return item - self.earlier if item >= self.earlier else NO_ITEM

    def place_of(self, message: int) -> str:
        """Return the place of a message's item, as errors name it: ``input[3]``, or ``input`` for one without."""
        return _place(self.of_message(message))

    def rename(self, text: str) -> str:
        """Return *text* with ``input[2]`` in the place of ``messages[3]``."""
        return _MESSAGE.sub(lambda found: self.place_of(int(found[1])), text)

    def renumber_items(self, changes: Sequence[Change]) -> tuple[Change, ...]:
        """Return *changes* of items, which are numbered with the stored ones, with the numbers of own items."""
        if not self.earlier:
            return tuple(changes)
        return tuple(map(self._renumber_item, changes))

    def _renumber_item(self, change: Change) -> Change:
        if change.step != STEP or change.detail.startswith("tool"):
            return change
        detail = _ITEM.sub(lambda found: _place(self.of_item(int(found[1]))), change.detail)
        return replace(change, index=self.of_item(change.index), detail=detail)

    def renumber(self, entries: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
        """Return the *entries* of messages, changes or broken rules as JSON, with the indexes of items."""
        return [*map(self._renumber_entry, entries)]

    def _renumber_entry(self, entry: Mapping[str, Any]) -> Mapping[str, Any]:
        step = entry.get("step")
        if step in _OF_OTHERS:
            return entry
        index = entry["index"]
        return {**entry, "index": self.of_item(index) if step == ITEM_REPAIR else self.of_message(index)}

    def rename_refusal(self, error: InvalidRequest) -> None:
        """Give *error*, by which the proxy refuses a request, the numbers of items in its text and in its lists."""
        error.message = self.rename(error.message)
        if isinstance(error, UnrepairableHistory):
            error.violations = self.renumber(error.violations)
            error.changes = self.renumber(error.changes)
            if error.details:
                error.details = {"violations": error.violations, "changes": error.changes}

    def renumber_explanation(self, described: dict[str, Any], mended: int) -> dict[str, Any]:
        """Return *described*, a dry run as JSON, with the numbers of items.

        Its first *mended* changes were made while the items were read, and have these numbers already.
        """
        changes, refusal, memory = described["changes"], described["refusal"], described.get("memory")
        numbered = {
            **described,
            "changes": [*changes[:mended], *self.renumber(changes[mended:])],
            "found": self.renumber(described["found"]),
            "violations": self.renumber(described["violations"]),
        }
        if refusal is not None:
            numbered["refusal"] = {**refusal, "message": self.rename(refusal["message"])}
        if memory is not None:
            places = {name: list(map(self.of_message, memory[name])) for name in ("pinned", "replaced")}
            numbered["memory"] = {**memory, **places}
        return numbered


def _place(item: int) -> str:
    return INPUT if item == NO_ITEM else f"{INPUT}[{item}]"
