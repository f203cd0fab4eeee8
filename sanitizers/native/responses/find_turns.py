"""Find the model's turns that a changed message was made of."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Container, Iterator

from sanitizers.messages import Message, function_of, tool_calls_of
from sanitizers.native.responses.project import ResponsesProjection
from sanitizers.work_limit import metered


class TurnFinder:
    """Finds turns of *projected* by their calls, or by their texts. Those whose places are in *kept* stay as they are.

    No turn is found twice, and none before one that was found already: a changed history keeps its order.
    """

    def __init__(self, projected: ResponsesProjection, kept: Container[int]) -> None:
        self._projected = projected
        self._kept = kept
        self._by_key: dict[object, list[int]] | None = None
        self._from = 0

    def find(self, message: Message, place: int | None) -> list[int]:
        """Return the places of the turns that *message*, an assistant's, was made of, in ascending order.

        *place* is that of the message itself, if it is unchanged and only its results are not.
        """
        if place is not None:
            self._from = max(self._from, place + 1)
            return [place]
        known = self._keys_of_turns()
        found = set()
        for keys in _keys(message):
            for key in keys:
                places = known.get(key, ())
                at = bisect_left(places, self._from)
                if at < len(places):
                    found.add(places[at])
                    break
        if found:
            self._from = max(found) + 1
        return sorted(found)

    def _keys_of_turns(self) -> dict[object, list[int]]:
        if self._by_key is None:
            by_key: defaultdict[object, list[int]] = defaultdict(list)
            for span in metered(self._projected.spans):
                first = span.messages.start
                if not span.messages or not span.items or first in self._kept:
                    continue
                message = self._projected.messages[first]
                if message["role"] != "assistant":
                    continue
                for keys in _keys(message):
                    for key in keys:
                        by_key[key].append(first)
            self._by_key = dict(by_key)
        return self._by_key


def _keys(message: Message) -> Iterator[tuple[object, ...]]:
    """Yield the keys of each call of *message*, the best one first, and then the key of its text."""
    for call in tool_calls_of(message):
        function = function_of(call)
        arguments = function.get("arguments")
        said = ("call", function.get("name"), arguments) if isinstance(arguments, str) else ()
        call_id = call.get("id")
        yield (id(call), *((("id", call_id),) if call_id else ()), *((said,) if said else ()))
    content = message.get("content")
    if isinstance(content, str) and content:
        yield (("text", content),)
