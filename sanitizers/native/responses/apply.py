"""Write items from changed messages: unchanged items stay as they were, and all others are written anew."""

from __future__ import annotations

from collections.abc import Iterator
from operator import is_

from sanitizers.changes import Change
from sanitizers.messages import Message, Messages
from sanitizers.native.protocol import Item, Items
from sanitizers.native.responses.call_items import CLIENT_CALLS
from sanitizers.native.responses.changed_items import OF_REQUEST, ChangedItems
from sanitizers.native.responses.find_turns import TurnFinder
from sanitizers.native.responses.project import ResponsesProjection
from sanitizers.native.responses.rewrite_turn import ChangedTurn, rewrite_turn
from sanitizers.native.responses.tool_table import ToolTable
from sanitizers.native.responses.write_items import ItemWriter, write_output
from sanitizers.work_limit import metered


def apply_messages(
    items: Items, projected: ResponsesProjection, table: ToolTable, sanitized: Messages
) -> ChangedItems:
    """Return *items* with the changes that *sanitized* has against the messages of *projected*.

    *projected* is the projection of *items* with the tools of *table*. Items whose messages are unchanged stay the same
    objects. A changed turn of the model keeps its unchanged items, and the thoughts before these. Items that no message
    holds stay with their neighbours. Without any change, *items* itself is returned.

    Instructions that are still the first message stay in the request's field. Otherwise they are written as an item,
    since what was put before them is not the client's, and the provider repeats that field in its answer.
    """
    writer = _Writer(items, projected, table, sanitized)
    for index, message in enumerate(metered(sanitized)):
        writer.write(index, message)
    return writer.finish()


class _Writer:
    """Writes one message of *sanitized* after the other."""

    def __init__(
        self, items: Items, projected: ResponsesProjection, table: ToolTable, sanitized: Messages
    ) -> None:
        self._items = items
        self._messages = projected.messages
        self._spans = projected.spans
        self._sanitized = sanitized
        self._table = table
        self._places = {id(message): place for place, message in enumerate(projected.messages)}
        self._span_at = [at for at, span in enumerate(projected.spans) for _ in span.messages]
        self._kept = {place for message in sanitized if (place := self._places.get(id(message))) is not None}
        self._turns = TurnFinder(projected, self._kept)
        self._anew = ItemWriter(table)
        self._held: set[int] = set()  # messages that are written with the items of their calls
        self._written: set[int] = set()  # spans
        self._next_span = 0
        self._kinds: dict[str, tuple[str, str]] = {}  # of the calls: types, and the ids that outputs name
        self._read = 0  # of the written items, for the types of calls
        self._out: list[Item] = []
        self._origins: list[int] = []
        self._changes: list[Change] = []
        self._has_instructions = bool(projected.spans) and _holds_instructions(projected)
        self._keeps_field = False

    def write(self, index: int, message: Message) -> None:
        """Write *message*, which is at *index* of the sanitized messages."""
        if id(message) in self._held:
            return
        place = self._places.get(id(message))
        role = message["role"]
        if role == "assistant":
            self._write_turn(index, message, place)
        elif place is not None and self._write_kept(place):
            return
        elif role == "tool" and (call_id := message.get("tool_call_id")):
            self._note_calls()
            kind, named = self._kinds.get(call_id, ("function_call", call_id))
            self._add(write_output(kind, named, message.get("content")), -1)
        else:
            for item in self._anew.write(message):
                self._add(item, -1)

    def finish(self) -> ChangedItems:
        """Return all items."""
        self._pass_spans(len(self._spans))
        holds = self._has_instructions and not self._keeps_field
        if not holds and len(self._out) == len(self._items) and all(map(is_, self._out, self._items)):
            return ChangedItems(self._items)
        changes = tuple(sorted(self._changes, key=lambda change: change.index))
        return ChangedItems(self._out, changes, tuple(self._origins), holds_instructions=holds)

    def _write_kept(self, place: int) -> bool:
        """Write the item of the unchanged message at *place*. Tell whether nothing is left to do for the message."""
        span = self._spans[self._span_at[place]]
        if not span.items:  # the instructions, or a message for what the provider holds
            if self._messages[place]["role"] != "system":
                self._begin_span(self._span_at[place])
                return True
            self._keeps_field = not self._out
            return self._keeps_field
        if len(span.items) != 1 or len(span.messages) != 1:
            return False
        self._begin_span(self._span_at[place])
        self._add(self._items[span.items.start], span.items.start)
        return True

    def _write_turn(self, index: int, message: Message, place: int | None) -> None:
        if place is not None and self._is_whole(place):
            span = self._spans[self._span_at[place]]
            self._begin_span(self._span_at[place])
            for at in span.items:
                self._add(self._items[at], at)
            self._held.update(id(self._messages[at]) for at in span.messages)
            return
        bases = self._turns.find(message, place)
        for base in bases:
            self._begin_span(self._span_at[base])
        ranges = [self._spans[self._span_at[base]].items for base in bases]
        before = [self._messages[base] for base in bases]
        changed = ChangedTurn(message, before, ranges, [*self._results_behind(index)])
        turn = rewrite_turn(changed, self._items, self._table, self._places)
        for at, item in zip(turn.origins, turn.items, strict=True):
            self._add(item, at)
        self._held.update(turn.held)
        self._changes += turn.changes

    def _results_behind(self, index: int) -> Iterator[Message]:
        for at in range(index + 1, len(self._sanitized)):
            message = self._sanitized[at]
            if message["role"] != "tool":
                return
            yield message

    def _is_whole(self, place: int) -> bool:
        """Tell whether all messages of the turn at *place* are unchanged."""
        return self._kept.issuperset(self._spans[self._span_at[place]].messages)

    def _begin_span(self, at: int) -> None:
        """Write what stands before the span *at* and belongs to no message that is left."""
        self._pass_spans(at)
        self._written.add(at)

    def _pass_spans(self, stop: int) -> None:
        """Write the items before the span *stop* that no message holds.

        Items without a message stay where the span before them is written, or only such spans are between them and the
        span *stop*.
        """
        first = self._next_span
        if first >= stop:
            return
        last_gone = first - 1
        for at in range(stop - 1, first - 1, -1):
            if self._spans[at].messages and self._spans[at].items:
                last_gone = at
                break
        for at in range(first, stop):
            span = self._spans[at]
            if at in self._written:
                continue
            is_before_stop = at > last_gone and stop < len(self._spans)
            stays = not span.messages and (is_before_stop or at - 1 in self._written)
            for index in span.items:
                if stays or self._items[index].get("type") in OF_REQUEST:
                    self._add(self._items[index], index)
        self._next_span = stop + 1 if stop < len(self._spans) else stop

    def _note_calls(self) -> None:
        """Read the types of the calls that were written since the last time."""
        for item in metered(self._out[self._read :]):
            kind = item.get("type")
            if kind in CLIENT_CALLS:
                call_id = item.get("call_id") or item.get("id")
                if isinstance(call_id, str):
                    own_id = item.get("id") if kind == "local_shell_call" else None
                    self._kinds[call_id] = kind, own_id or call_id
        self._read = len(self._out)

    def _add(self, item: Item, origin: int) -> None:
        self._out.append(item)
        if origin < 0 and self._origins:
            origin = self._origins[-1]
        self._origins.append(origin)


def _holds_instructions(projected: ResponsesProjection) -> bool:
    first = projected.spans[0]
    return bool(first.messages) and not first.items and projected.messages[0]["role"] == "system"
