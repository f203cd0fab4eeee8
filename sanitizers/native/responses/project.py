"""Read the items of a request as chat messages, with the places of the items (:mod:`.item_reader`)."""

from __future__ import annotations

from bisect import bisect_right
from operator import attrgetter

from sanitizers.changes import Change
from sanitizers.native.protocol import Items, Need, Projection
from sanitizers.native.responses.item_reader import SUMMARY_START, ItemReader
from sanitizers.native.responses.item_types import type_of
from sanitizers.native.responses.tool_table import ToolTable
from sanitizers.record import record
from sanitizers.work_limit import metered

__all__ = ["SUMMARY_START", "ResponsesProjection", "project"]

_ITEMS_END = attrgetter("items.stop")
_MESSAGES_END = attrgetter("messages.stop")


@record
class ResponsesProjection(Projection):
    """Items as messages. *changes* say what was left out, each with its item's index.

    *wants_compaction* is true where the client asks for a summary of the conversation instead of an answer. *needs* are
    the places that only a provider can read. A placeholder stands in the messages for what cannot be left out.
    """

    changes: tuple[Change, ...]
    wants_compaction: bool
    needs: tuple[Need, ...] = ()

    def message_of(self, item_index: int) -> int:
        """Return the index of the first message of the item at *item_index*, or of the next message."""
        at = bisect_right(self.spans, item_index, key=_ITEMS_END)
        return self.spans[min(at, len(self.spans) - 1)].messages.start


def project(
    items: Items, table: ToolTable, instructions: str | None = None, *, is_partial: bool = False
) -> ResponsesProjection:
    """Return *items* as messages, behind a system message with *instructions*.

    With *is_partial* the provider holds more of the request, so that there may be no message here. Raises
    :class:`~sanitizers.errors.Unrepairable`, with the place in ``param`` (``input[3].call_id``), for what cannot be
    read, and for a history without any message. References to unknown items, and files and summaries that only a
    provider can read, are needs of the projection.
    """
    kinds = [
        kind
        if item.__class__ is dict and (kind := item.get("type")).__class__ is str
        else type_of(item, index)
        for index, item in enumerate(metered(items))
    ]
    reader = ItemReader(items, kinds, table)
    if instructions:
        reader.say_first(instructions)
    for index, kind in enumerate(metered(kinds)):
        reader.add(index, kind)
    return ResponsesProjection(*reader.finish(is_partial=is_partial))
