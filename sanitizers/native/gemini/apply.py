"""Write contents from sanitized messages: unchanged items stay as they were, and all others are written anew."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import is_, ne
from typing import NamedTuple

from sanitizers.messages import SYSTEM_ROLES, Message, Messages, function_of, tool_calls_of
from sanitizers.native.gemini.parts import Part, has_nested_parts, parts_of
from sanitizers.native.gemini.project import GeminiProjection
from sanitizers.native.gemini.violations import find_content_faults
from sanitizers.native.gemini.write_parts import answers_call, sound_parts, write_result, write_turn
from sanitizers.native.protocol import Item, Items
from sanitizers.profiles import Profile
from sanitizers.work_limit import metered


def apply_messages(
    native: Items, projected: GeminiProjection, sanitized: Messages, profile: Profile
) -> Items:
    """Return *native* with the changes that *sanitized* has against the messages of *projected*.

    Consecutive results become one content that holds responses alone, which every model accepts. Each response has the
    name and the id of its call. System messages are left out, since they belong to ``systemInstruction``. Returns
    *native* itself when every item is unchanged.
    """
    writer = _Writer(native, projected, profile, alone=len(native) == 1 == len(sanitized))
    contents = [content for run in _runs(sanitized) if (content := writer.write(run)) is not None]
    return native if len(contents) == len(native) and all(map(is_, contents, native)) else contents


def _runs(messages: Messages) -> Iterator[list[Message]]:
    """Yield the messages of each content: a run of consecutive results, or one other message."""
    results: list[Message] = []
    for message in metered(messages):
        if message["role"] == "tool":
            results.append(message)
        elif message["role"] not in SYSTEM_ROLES:
            if results:
                yield results
                results = []
            yield [message]
    if results:
        yield results


class _Result(NamedTuple):
    """A result with its native part, if it is unchanged, and the name and the id of its call on the wire."""

    message: Message
    original: Part | None
    name: str
    call_id: str | None


class _Writer:
    """Writes contents one after the other. To write results, it keeps the calls of the last model content."""

    def __init__(self, native: Items, projected: GeminiProjection, profile: Profile, *, alone: bool) -> None:
        self._native = native
        self._alone = alone
        self._projected = projected
        self._profile = profile
        self._places = {id(message): place for place, message in enumerate(projected.messages)}
        self._span_of = [span for span in projected.spans for _ in span.messages]
        self._calls: dict[str, tuple[str, str | None]] = {}

    def write(self, run: Sequence[Message]) -> Item | None:
        """Return the content for *run*, the messages that form one content, or None where they hold nothing."""
        places = [self._places.get(id(message)) for message in run]
        kept = self._unchanged_item(places)
        if run[0]["role"] == "tool":
            return self._results(run, places, kept)
        is_model = run[0]["role"] == "assistant"
        if is_model:
            self._calls = self._calls_of(run[0])
        if kept is not None:
            return kept
        [place] = places
        parts = (
            write_turn(run[0], self._projected.originals, self._projected.unnamed)
            if place is None
            else sound_parts(self._projected.parts[place])
        )
        if not parts:
            return None
        return {**self._further_fields(place), "role": "model" if is_model else "user", "parts": parts}

    def _results(self, run: Sequence[Message], places: Sequence[int | None], kept: Item | None) -> Item:
        results = []
        for message, place in zip(run, places, strict=True):
            original = None if place is None else self._projected.parts[place][0]
            call_id = message.get("tool_call_id") or ""
            name, wire_id = self._calls.get(call_id, (message.get("name") or "", call_id or None))
            if kept is not None and not (original and answers_call(original, name, wire_id)):
                kept = None
            results.append(_Result(message, original, name, wire_id))
        if kept is not None:
            return kept
        return {**self._further_fields(places[0]), "role": "user", "parts": [*map(self._response, results)]}

    def _response(self, one: _Result) -> Part:
        """Return one function response.

        The media of the response is kept only where the profile allows media in results.
        """
        originals = self._projected.originals if self._profile.result_types else {}
        original = one.original
        if original is not None and not self._profile.result_types and has_nested_parts(original):
            original = None
        return write_result(one.message, original, one.name, one.call_id, originals)

    def _calls_of(self, message: Message) -> dict[str, tuple[str, str | None]]:
        """Return the name and the id on the wire of each call, by the call's id in the messages."""
        unnamed = self._projected.unnamed
        return {
            call_id: (function_of(call).get("name") or "", None if call_id in unnamed else call_id)
            for call in metered(tool_calls_of(message))
            if (call_id := call.get("id") or "")
        }

    def _further_fields(self, place: int | None) -> Item:
        """Return the fields that the item of an unchanged message has in addition to its role and its parts."""
        if place is None:
            return {}
        [index] = self._span_of[place].items
        return {key: value for key, value in self._native[index].items() if key not in ("parts", "role")}

    def _unchanged_item(self, places: Sequence[int | None]) -> Item | None:
        """Return the item of the messages at *places*, or None if they form no item or the item breaks a rule."""
        first = places[0]
        if first is None:
            return None
        span = self._span_of[first]
        if len(span.messages) != len(places) or any(map(ne, span.messages, places)):
            return None
        [index] = span.items
        item = self._native[index]
        faults = find_content_faults(item, parts_of(item, index), self._profile, alone=self._alone)
        return item if next(iter(faults), None) is None else None
