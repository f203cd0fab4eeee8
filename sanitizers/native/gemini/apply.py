"""Write contents from changed chat messages: unchanged items stay as they were, and all others are written anew."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import is_, ne
from typing import Any, NamedTuple

from sanitizers.changes import Change
from sanitizers.messages import SYSTEM_ROLES, Message, Messages, function_of, tool_calls_of
from sanitizers.native.gemini.changed_contents import STEP, ChangedContents
from sanitizers.native.gemini.parts import Part, has_nested_parts
from sanitizers.native.gemini.project import GeminiProjection
from sanitizers.native.gemini.rewrite_turn import TurnSources
from sanitizers.native.gemini.system import write_system
from sanitizers.native.gemini.violations import find_turn_faults
from sanitizers.native.gemini.write_parts import answers_call, sound_parts, write_result, write_turn
from sanitizers.native.protocol import Item, Items, Span
from sanitizers.profiles import Profile
from sanitizers.work_limit import metered


def apply_messages(
    native: Items, projected: GeminiProjection, sanitized: Messages, profile: Profile
) -> Items:
    """Return *native* with the changes that *sanitized* has against the messages of *projected*.

    Consecutive results become one content of responses alone, which every model accepts. Each has the name and the id
    of its call. System messages belong to ``systemInstruction``. Returns *native* itself where nothing is changed.
    """
    return apply_contents(native, projected, sanitized, profile).items


def apply_contents(
    native: Items,
    projected: GeminiProjection,
    sanitized: Messages,
    profile: Profile,
    system: Any = None,
    *,
    mends: bool = True,
) -> ChangedContents:
    """Return *native* with the changes that *sanitized* has, as :func:`apply_messages` does, and what changed.

    *projected* was read from *native* and *system*, the request's system instruction. The result has a new one where
    the system messages have changed. Without *mends*, an item whose messages are unchanged stays even where it breaks a
    rule.
    """
    alone = len(native) == 1 and len(sanitized) <= projected.leading + 1
    writer = _Writer(native, projected, profile, alone=alone, mends=mends)
    written = [
        (content, run, number) for run in _runs(sanitized) for number, content in enumerate(writer.write(run))
    ]
    contents = [content for content, _, _ in written]
    same = len(contents) == len(native) and all(map(is_, contents, native))
    before = projected.messages[: projected.leading]
    after = [message for message in metered(sanitized) if message["role"] in SYSTEM_ROLES]
    is_new = len(before) != len(after) or not all(map(is_, before, after))
    return ChangedContents(
        native if same else contents,
        None if same else writer.origins_of([(run, number) for _, run, number in written]),
        () if same else tuple(writer.changes),
        is_new,
        write_system(system, before, after) if is_new else None,
    )


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

    def __init__(
        self, native: Items, projected: GeminiProjection, profile: Profile, *, alone: bool, mends: bool
    ) -> None:
        self.changes: list[Change] = []
        self._native = native
        self._alone = alone
        self._mends = mends
        self._projected = projected
        self._profile = profile
        self._places = {id(message): place for place, message in enumerate(projected.messages)}
        self._span_of: list[Span | None] = [None] * projected.leading
        self._span_of += [span for span in projected.spans for _ in span.messages]
        self._calls: dict[str, tuple[str, str | None]] = {}
        self._sources: TurnSources | None = None

    def write(self, run: Sequence[Message]) -> Sequence[Item]:
        """Return the content for *run*, or its unchanged contents, or none where it holds nothing."""
        places = [self._places.get(id(message)) for message in run]
        kept = self._unchanged_items(places)
        if run[0]["role"] == "tool":
            return self._results(run, places, kept)
        is_model = run[0]["role"] == "assistant"
        if is_model:
            self._calls = self._calls_of(run[0])
        if kept:
            return kept
        [place] = places
        source = place
        if place is not None:
            parts = sound_parts(self._projected.parts[place])
        elif is_model:
            source, parts = self._turn(run[0])
        else:
            parts = write_turn(run[0], self._projected.originals, self._projected.unnamed)
        if not parts:
            return ()
        made = {**self._further_fields(source), "role": "model" if is_model else "user", "parts": parts}
        return (self._as_it_was(made, source),)

    def origins_of(self, runs: Sequence[tuple[Sequence[Message], int]]) -> tuple[int, ...]:
        """Return the index in the native list, or a neighbour's, for the messages and the number of each content."""
        origins: list[int] = []
        for run, number in metered(runs):
            found = [self._origin_of(message) for message in run]
            before = origins[-1] if origins else 0
            origins.append(next((origin + number for origin in found if origin is not None), before))
        return tuple(origins)

    def _origin_of(self, message: Message) -> int | None:
        place = self._places.get(id(message))
        if place is None and message["role"] == "assistant":
            place = self._find_source(message)
        span = None if place is None else self._span_of[place]
        return None if span is None else span.items.start

    def _find_source(self, message: Message) -> int | None:
        if self._sources is None:
            self._sources = TurnSources(self._projected)
        return self._sources.find(message)

    def _turn(self, message: Message) -> tuple[int | None, list[Part]]:
        """Return a changed turn of the model with its parts, and the place of the message that it was."""
        source = self._find_source(message)
        if source is None or self._sources is None:
            return None, write_turn(message, self._projected.originals, self._projected.unnamed)
        self._report_faults(source)
        return source, self._sources.rewrite(message, source)

    def _report_faults(self, source: int) -> None:
        """Report the faults of a changed turn's contents that go with the change. Opened thoughts are seen as lost."""
        span = self._span_of[source]
        if span is None or span.items.start not in self._projected.odd:
            return
        is_opened = "thinking_blocks" in self._projected.messages[source]
        items, index = self._native[span.items.start : span.items.stop], span.items.start
        for rule in find_turn_faults(items, index, self._profile, alone=self._alone):
            if not (is_opened and rule == "sealed_signature"):
                self._report(source, rule)

    def _as_it_was(self, made: Item, source: int | None) -> Item:
        """Return the item that *made* was written from where nothing has changed in it, or *made*."""
        if source is None or (span := self._span_of[source]) is None or len(span.messages) != 1:
            return made
        item = self._native[span.items.start]
        parts = item.get("parts")
        same = (
            isinstance(parts, list)
            and item.get("role") == made["role"]
            and len(parts) == len(made["parts"])
            and all(map(is_, parts, made["parts"]))
        )
        return item if same else made

    def _results(
        self, run: Sequence[Message], places: Sequence[int | None], kept: Sequence[Item]
    ) -> Sequence[Item]:
        results = []
        for message, place in zip(run, places, strict=True):
            original = None if place is None else self._projected.parts[place][0]
            call_id = message.get("tool_call_id") or ""
            name, wire_id = self._calls.get(call_id, (message.get("name") or "", call_id or None))
            if kept and not (original and answers_call(original, name, wire_id)):
                self._report(places[0], "response_mismatch")
                kept = ()
            results.append(_Result(message, original, name, wire_id))
        if kept:
            return kept
        spans = {id(self._span_of[place]) for place in places if place is not None}
        if len(spans) > 1:
            self._report(places[0], "response_count")
        parts = [*map(self._response, results)]
        return ({**self._further_fields(places[0]), "role": "user", "parts": parts},)

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
        if place is None or (span := self._span_of[place]) is None:
            return {}
        item = self._native[span.items.start]
        return {key: value for key, value in item.items() if key not in ("parts", "role")}

    def _unchanged_items(self, places: Sequence[int | None]) -> Sequence[Item]:
        """Return the items of the messages at *places*, or none if they form no item or an item breaks a rule."""
        first = places[0]
        if first is None or (span := self._span_of[first]) is None:
            return ()
        if len(span.messages) != len(places) or any(map(ne, span.messages, places)):
            return ()
        index = span.items.start
        items = self._native[index : span.items.stop]
        if not self._mends or (index not in self._projected.odd and items[0].get("role")):
            return items
        for rule in (faults := find_turn_faults(items, index, self._profile, alone=self._alone)):
            self._report(first, rule)
        return () if faults else items

    def _report(self, place: int | None, rule: str) -> None:
        if place is not None and (span := self._span_of[place]) is not None:
            self.changes.append(Change(STEP, "replaced", span.items.start, rule))
