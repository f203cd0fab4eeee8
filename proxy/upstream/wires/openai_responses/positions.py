"""The items of a stream by their place in the output: their ids, and the items that have ended."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proxy.upstream.wires.openai_responses.failures import refuse_response


class Positions:
    """Keeps what the events of one stream say of each item.

    All events of an item get the id of its first event, since some servers give each event another one
    (litellm#30071, vercel/ai#18548). The last event gets the ended items where its output is empty (litellm#41009).
    """

    def __init__(self) -> None:
        self._ids: dict[int, str] = {}
        self._ended: dict[int, Any] = {}
        self._calls: dict[int, int] = {}

    def has_id(self, place: Any, item_id: Any) -> bool:
        """Tell whether *item_id* is the known id of the item at *place*."""
        return place.__class__ is int and item_id is not None and self._ids.get(place) == item_id

    def mend(self, event: dict[str, Any]) -> dict[str, Any]:
        """Return *event*, with the id of its item. The same object is returned where the id is right."""
        place = event.get("output_index")
        if type(place) is not int:
            if place is not None or "item" in event:
                refuse_response()
            return event
        item = event.get("item")
        if isinstance(item, dict):
            given = item.get("id")
            known = self._ids.setdefault(place, given) if isinstance(given, str) else self._ids.get(place)
            if known is not None and given != known:
                event = {**event, "item": {**item, "id": known}}
            if event.get("type") == "response.output_item.done":
                self._ended[place] = event["item"]
            return event
        known = self._ids.get(place)
        if known is not None and event.get("item_id") != known and "item_id" in event:
            return {**event, "item_id": known}
        return event

    def fill(self, event: dict[str, Any]) -> dict[str, Any]:
        """Return *event*, the last one, whose response has the ended items where it had none."""
        response = event.get("response")
        if not isinstance(response, dict):
            refuse_response()
        if response.get("output") or not self._ended:
            return event
        output = [self._ended[place] for place in sorted(self._ended)]
        return {**event, "response": {**response, "output": output}}

    @property
    def has_calls(self) -> bool:
        """True after the beginning of a call."""
        return bool(self._calls)

    def begin_call(self, event: Mapping[str, Any]) -> int:
        """Return the number among the calls for the item that *event* begins."""
        return self._calls.setdefault(event.get("output_index", -1), len(self._calls))

    def call_at(self, event: Mapping[str, Any]) -> int | None:
        """Return the number among the calls for the item of *event*, or None for an item that is no call."""
        return self._calls.get(event.get("output_index", -1))
