"""Numbers and encodes the events of one stream, and keeps the output items that they have built."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proxy.core.json_text import write_json
from proxy.ingress.openai_responses.ids import ItemIds


class Place:
    """The place of one output item in its response: its id and its index."""

    __slots__ = ("id", "index")

    def __init__(self, item_id: str, index: int) -> None:
        self.id = item_id
        self.index = index


class StreamOutput:
    """The events of one stream: each has a number, and each item has a place. Items come one after the other."""

    def __init__(self, response_id: str) -> None:
        self.ids = ItemIds(response_id)
        self.items: list[Mapping[str, Any]] = []
        """The items so far. The last one is a draft while it is open."""

        self.next_number = 0
        """The sequence number of the next event. The writer of the usual text event takes it without a call."""

    def write_event(self, kind: str, fields: Mapping[str, Any]) -> bytes:
        """Return an event of the type *kind* with *fields*. ``event:`` repeats the type."""
        data = write_json({"type": kind, "sequence_number": self.next_number, **fields})
        self.next_number += 1
        return b"event: %s\ndata: %s\n\n" % (kind.encode(), data)

    def begin_item(self, item_type: str) -> Place:
        """Return the place of the next item, an item of *item_type*."""
        index = len(self.items)
        place = Place(self.ids.item_id(item_type, index), index)
        self.items.append({})
        return place

    def write_added(self, place: Place, item: Mapping[str, Any]) -> bytes:
        """Return the event that begins the item at *place*. *item* is its draft."""
        self.items[place.index] = item
        return self.write_event("response.output_item.added", {"output_index": place.index, "item": item})

    def write_done(self, place: Place, item: Mapping[str, Any]) -> bytes:
        """Return the event that ends the item at *place*. *item* is the whole item."""
        self.items[place.index] = item
        return self.write_event("response.output_item.done", {"output_index": place.index, "item": item})

    def write_of(self, place: Place, kind: str, fields: Mapping[str, Any]) -> bytes:
        """Return an event within the item at *place*, which has the item's id and index."""
        return self.write_event(kind, {"item_id": place.id, "output_index": place.index, **fields})
