"""Write native messages from changed chat messages: unchanged ones stay, and all others are written anew."""

from __future__ import annotations

from operator import is_
from typing import Any

from sanitizers.messages import SYSTEM_ROLES, Message, Messages
from sanitizers.native.messages.changed_messages import ChangedMessages, blocks_of
from sanitizers.native.messages.find_sources import SourceFinder, originals_of
from sanitizers.native.messages.message_reader import is_billing
from sanitizers.native.messages.project import MessagesProjection
from sanitizers.native.messages.rewrite_turn import rewrite_turn
from sanitizers.native.messages.write_blocks import message_blocks, result_block
from sanitizers.native.protocol import Item, Items
from sanitizers.work_limit import metered

_CLIENT = frozenset({"tool", "user"})


def apply_messages(
    items: Items, projected: MessagesProjection, system: Any, sanitized: Messages
) -> ChangedMessages:
    """Return *items* with the changes that *sanitized* has against the chat messages of *projected*.

    *projected* is the projection of *items* and *system*, the request's field. Messages whose chat messages are
    unchanged and in their order stay the same objects. In others, each unchanged block stays the same. A turn of
    thinking alone, which no chat message holds, stays with its neighbours. Without any change, *items* itself is
    returned. The result has a new ``system`` where the leading system messages have changed.
    """
    return _Writer(items, projected, system, sanitized).write()


class _Writer:
    """Writes one run of chat messages of one side after the other."""

    def __init__(self, items: Items, projected: MessagesProjection, system: Any, sanitized: Messages) -> None:
        self._items = items
        self._projected = projected
        self._system = system
        self._sanitized = sanitized
        self._places = {id(message): place for place, message in enumerate(projected.messages)}
        self._span_at = {at: number for number, span in enumerate(projected.spans) for at in span.messages}
        self._whole = self._find_whole()
        self._originals: dict[int, Item] | None = None
        self._sources: SourceFinder | None = None
        self._out: list[Item] = []
        self._origins: list[int] = []
        self._next_span = 0

    def write(self) -> ChangedMessages:
        """Return all messages."""
        sanitized = self._sanitized
        at = self._count_leading()
        leading = sanitized[:at]
        while at < len(sanitized):
            role = sanitized[at]["role"]
            stop = at + 1
            if role in _CLIENT:
                while stop < len(sanitized) and sanitized[stop]["role"] in _CLIENT:
                    stop += 1
                self._write_client(at, stop)
            elif (span := self._whole.get(at)) is not None:
                self._keep(span)
            elif role == "assistant":
                self._write_turn(sanitized[at])
            else:
                self._add({"role": "system", "content": message_blocks(sanitized[at], self._blocks())}, -1)
            at = stop
        self._pass_spans(len(self._projected.spans))
        system = self._write_system(leading)
        same = len(self._out) == len(self._items) and all(map(is_, self._out, self._items))
        if same:
            return ChangedMessages(self._items, system=system)
        return ChangedMessages(self._out, (), tuple(self._origins), system)

    def _find_whole(self) -> dict[int, int]:
        """Return the spans that stay: each by the index in the sanitized history of its first chat message."""
        whole: dict[int, int] = {}
        spans = self._projected.spans
        last = -1
        places = [self._places.get(id(message), -1) for message in self._sanitized]
        for at, place in enumerate(metered(places)):
            number = self._span_at.get(place)
            if number is None or number <= last:
                continue
            messages = spans[number].messages
            if messages.start == place and places[at : at + len(messages)] == [*messages]:
                whole[at] = last = number
        return whole

    def _count_leading(self) -> int:
        """Return the number of messages that go into ``system``: not one that the client has among its messages."""
        count = 0
        for message in self._sanitized:
            place = self._places.get(id(message), -1)
            if message["role"] not in SYSTEM_ROLES or place >= self._projected.leading:
                break
            count += 1
        return count

    def _write_system(self, leading: Messages) -> list[Item] | None:
        """Return the blocks of the *leading* messages, or None where they are what the client has in ``system``."""
        own = self._projected.messages[: self._projected.leading]
        if len(leading) == len(own) and all(map(is_, leading, own)):
            return None
        given = blocks_of({"content": self._system})
        blocks = [block for block in given if is_billing(block)]
        for message in leading:
            if own and message is own[0]:
                blocks += [block for block in given if not is_billing(block)]
            else:
                blocks += message_blocks(message, self._blocks())
        return blocks

    def _write_client(self, start: int, stop: int) -> None:
        """Write a run of results and messages of the user's.

        Where anything of a run with results has changed, the run becomes one message with the results first.
        """
        run = self._sanitized[start:stop]
        pieces: list[tuple[int | None, list[Message]]] = []
        at = start
        while at < stop:
            span = self._whole.get(at)
            size = 1 if span is None else len(self._projected.spans[span].messages)
            pieces.append((span, [*self._sanitized[at : at + size]]))
            at += size
        has_changed = any(span is None for span, _ in pieces)
        if has_changed and any(message["role"] == "tool" for message in run):
            results: list[Item] = []
            rest: list[Item] = []
            for span, messages in pieces:
                if span is not None:
                    self._begin_span(span)
                for message in messages:
                    into = results if message["role"] == "tool" else rest
                    into += self._blocks_for(message, span)
            origins = map(self._origin_of, run)
            origin = next((origin for origin in origins if origin >= 0), -1)
            self._add({"role": "user", "content": [*results, *rest]}, origin)
            return
        for span, messages in pieces:
            if span is not None:
                self._keep(span)
            else:
                self._pass_empty()
                blocks = self._blocks_for(messages[0], None)
                self._add({"role": "user", "content": blocks}, self._origin_of(messages[0]))

    def _blocks_for(self, message: Message, span: int | None) -> list[Item]:
        """Return the blocks of *message*, a result or the user's words. *span* is its span where that is whole."""
        if message["role"] == "tool":
            original = self._blocks().get(id(message))
            return [result_block(message, self._blocks()) if original is None else original]
        if span is not None:
            item = self._items[self._projected.spans[span].items.start]
            return [block for block in blocks_of(item) if block.get("type") != "tool_result"]
        return message_blocks(message, self._blocks())

    def _write_turn(self, message: Message) -> None:
        if self._sources is None:
            self._sources = SourceFinder(self._projected, set(self._whole.values()))
        spans = self._sources.find(message)
        sources = [self._projected.spans[span] for span in spans]
        if spans:
            self._pass_spans(spans[0])
            self._next_span = max(self._next_span, spans[-1] + 1)
        indexes = [index for span in sources for index in span.items]
        before = [self._projected.messages[span.messages.start] for span in sources]
        blocks = [block for index in indexes for block in blocks_of(self._items[index])]
        written = rewrite_turn(message, before, blocks)
        self._add({"role": "assistant", "content": written}, indexes[0] if indexes else -1)

    def _blocks(self) -> dict[int, Item]:
        if self._originals is None:
            spans = self._projected.spans
            self._originals = originals_of(self._items, self._projected, spans, self._system)
        return self._originals

    def _origin_of(self, message: Message) -> int:
        place = self._places.get(id(message))
        if place is None or place < self._projected.leading:
            return -1
        return self._projected.spans[self._span_at[place]].items.start

    def _keep(self, span: int) -> None:
        """Write the messages of the *span* as they came."""
        self._begin_span(span)
        for index in self._projected.spans[span].items:
            self._add(self._items[index], index)

    def _begin_span(self, span: int) -> None:
        self._pass_spans(span)
        self._next_span = max(self._next_span, span + 1)

    def _pass_empty(self) -> None:
        """Write the turns without a chat message that directly follow what was written."""
        spans = self._projected.spans
        stop = self._next_span
        while stop < len(spans) and not spans[stop].messages:
            stop += 1
        self._pass_spans(stop)

    def _pass_spans(self, stop: int) -> None:
        """Write the turns without a chat message that stand before the span *stop*."""
        for number in range(self._next_span, stop):
            span = self._projected.spans[number]
            if not span.messages:
                for index in span.items:
                    self._add(self._items[index], index)
        self._next_span = max(self._next_span, stop)

    def _add(self, item: Item, origin: int) -> None:
        if not item["content"] and origin < 0:
            return
        if origin < 0:
            origin = self._origins[-1] if self._origins else 0
        self._out.append(item)
        self._origins.append(origin)
