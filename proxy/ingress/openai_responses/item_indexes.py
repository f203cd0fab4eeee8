"""Numbers of messages and of items, as the numbers of the request's own items.

A client of the Responses API knows the items of its ``input`` alone. A message may stand for several items, and for
items of the stored conversation (:mod:`proxy.ingress.client_places`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from typing_extensions import override

from proxy.ingress.client_places import NO_ENTRY, ClientPlaces, find_span
from sanitizers import Change
from sanitizers.native import Span
from sanitizers.native.responses.changed_items import STEP as ITEM_REPAIR
from sanitizers.native.responses.tool_table import STEP
from sanitizers.record import record

NO_ITEM = NO_ENTRY
"""The index of what no item of the request holds: the instructions, and the stored conversation."""

INPUT = "input"

_MESSAGE = re.compile(r"\bmessages\[([0-9]{1,9})\]")
_ITEM = re.compile(r"\binput\[([0-9]{1,9})\]")


@record
class ItemIndexes(ClientPlaces):
    """Finds the own items of one request.

    *spans* connect all items with messages. The first *earlier* items come from the stored conversation.
    """

    spans: Sequence[Span] = ()
    earlier: int = 0

    @override
    def of_message(self, message: int) -> int:
        """Return the index of the first own item of the message at the index *message*, or :data:`NO_ITEM`."""
        span = find_span(self.spans, message)
        return NO_ITEM if span is None else self.of_item(span.items.start)

    def of_item(self, item: int) -> int:
        """Return the own index of the item at the index *item* of all items, or :data:`NO_ITEM`."""
        return item - self.earlier if item >= self.earlier else NO_ITEM

    def place_of(self, message: int) -> str:
        """Return the place of a message's item, as errors name it: ``input[3]``, or ``input`` for one without."""
        return _place(self.of_message(message))

    @override
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

    @override
    def of_entry(self, step: str, index: int) -> int | None:
        return self.of_item(index) if step == ITEM_REPAIR else None


def _place(item: int) -> str:
    return INPUT if item == NO_ITEM else f"{INPUT}[{item}]"
