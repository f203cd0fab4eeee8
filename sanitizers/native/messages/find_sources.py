"""Find the native messages that changed chat messages were made of, and the blocks of their parts and calls."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator

from sanitizers.messages import Message, tool_calls_of
from sanitizers.native.messages.changed_messages import blocks_of
from sanitizers.native.messages.message_reader import is_billing
from sanitizers.native.messages.project import MessagesProjection
from sanitizers.native.messages.read_parts import ReadParts, read_block
from sanitizers.native.protocol import Item, Items, Span
from sanitizers.work_limit import metered


class SourceFinder:
    """Finds the model's turns of *projected* that changed messages were made of. The spans in *kept* have not changed.

    No turn is found twice, and none before one that was found already: a changed history keeps its order.
    """

    def __init__(self, projected: MessagesProjection, kept: set[int]) -> None:
        self._next = 0
        self._by_key: defaultdict[object, deque[int]] = defaultdict(deque)
        for at, span in enumerate(metered(projected.spans)):
            if at not in kept and len(span.messages) == 1:
                message = projected.messages[span.messages.start]
                if message["role"] == "assistant":
                    for key in set(_keys_of(message)):
                        self._by_key[key].append(at)

    def find(self, message: Message) -> list[int]:
        """Return the spans of the turns that *message*, an assistant's, was made of, in ascending order."""
        found: set[int] = set()
        for key in _keys_of(message):
            places = self._by_key.get(key)
            while places and places[0] < self._next:
                places.popleft()
            if places:
                found.add(places[0])
        if found:
            self._next = max(found) + 1
        return sorted(found)


def originals_of(
    items: Items, projected: MessagesProjection, spans: Iterable[Span], system: object = None
) -> dict[int, Item]:
    """Return the native blocks of the parts and results in the messages of *spans*, by the ``id`` of part or message.

    *system* is the request's field, whose blocks are found as well. A part has a block where the block has no other
    part.
    """
    found: dict[int, Item] = {}
    if projected.leading and isinstance(system, list):
        texts = [block for block in system if not is_billing(block)]
        _match(projected.messages[0].get("content"), texts, found)
    for span in spans:
        made = [projected.messages[at] for at in span.messages]
        if not made or made[0]["role"] == "assistant":
            continue
        rest: list[Item] = []
        results = iter([message for message in made if message["role"] == "tool"])
        for block in metered(blocks_of(items[span.items.start])):
            if block.get("type") != "tool_result":
                rest.append(block)
                continue
            message = next(results)
            found[id(message)] = block
            if isinstance(inner := block.get("content"), list):
                _match(message.get("content"), inner, found)
        if made[-1]["role"] != "tool":
            _match(made[-1].get("content"), rest, found)
    return found


def _match(content: object, blocks: list[Item], found: dict[int, Item]) -> None:
    """Add to *found* the blocks of the parts in *content*, which were read from *blocks*."""
    if not isinstance(content, list):
        return
    at = 0
    for block in metered(blocks):
        count = len(read_block(block, "", ReadParts([], [])))
        if count == 1:
            found[id(content[at])] = block
        at += count


def _keys_of(message: Message) -> Iterator[object]:
    """Yield what tells the turn of *message* from others: its calls, its thoughts, and its text alone without these."""
    calls = tool_calls_of(message)
    for call in calls:
        yield id(call)
        if call_id := call.get("id"):
            yield call_id
    thoughts = message.get("thinking_blocks")
    if thoughts:
        yield id(thoughts)
    content = message.get("content")
    if isinstance(content, str) and content:
        yield "text", content
