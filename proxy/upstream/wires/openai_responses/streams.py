"""Reads the events of a streamed response as chunks of a chat.

Each event becomes one chunk at most, so that the event itself can go to a client of the same format. Text, refusals,
thoughts and the arguments of functions come as they are written. The arguments of other calls come with the end of
their item, since they have another form there.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from proxy.core.errors import UpstreamFault
from proxy.core.failures import Cause
from proxy.core.source import OPENAI_RESPONSES, SOURCE, AnswerSource
from proxy.core.upstream_call import Chunk
from proxy.upstream.wires.native_events import attach_event
from proxy.upstream.wires.openai_responses.answers import finish_reason, output_of
from proxy.upstream.wires.openai_responses.failures import raise_broken_off, raise_failure, refuse_response
from proxy.upstream.wires.openai_responses.output import (
    CallNames,
    arguments_of,
    call_id_of,
    is_call,
    logprobs_in,
    read_citation,
    read_delta,
    read_logprobs,
    text_in,
)
from proxy.upstream.wires.openai_responses.positions import Positions
from proxy.upstream.wires.openai_responses.usage import read_usage
from proxy.upstream.wires.payloads import load_payload
from sanitizers.merging import SEPARATOR

_DONE = b"[DONE]"
_TEXT_DELTA = "response.output_text.delta"
_DELTAS: Mapping[str, str] = MappingProxyType(
    {
        _TEXT_DELTA: "content",
        "response.reasoning_summary_text.delta": "reasoning_content",
        "response.reasoning_text.delta": "reasoning_content",
        "response.refusal.delta": "refusal",
    }
)
"""The field of a delta for each event with a piece of text."""

_WHOLE: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "response.output_text.done": ("text", "content"),
        "response.reasoning_summary_text.done": ("text", "reasoning_content"),
        "response.reasoning_text.done": ("text", "reasoning_content"),
        "response.refusal.done": ("refusal", "refusal"),
    }
)
"""The field of the event, and that of a delta, for each event with a whole text."""

_LAST = frozenset({"response.completed", "response.incomplete"})
_BEGINNINGS = frozenset({"response.created", "response.in_progress", "response.queued"})
_Delta = dict[str, Any]


class StreamReader:
    """Reads the payloads of one stream. With *native*, each chunk has its event as its source.

    Without *native*, an empty line separates the texts of several messages.

    ``ended`` is true after the last event. The stream has no ``[DONE]``, and one is accepted.
    """

    def __init__(self, names: CallNames, *, native: bool) -> None:
        self.ended = False
        self._names = names
        self._native = native
        self._positions = Positions()
        self._seen = False
        self._head: dict[str, Any] = {}
        self._has_text = False
        self._gap = ""
        self._has_said = False
        self._said: set[Any] = set()
        """The items that have come in pieces. Some servers send whole texts alone."""

    def feed(self, payload: bytes) -> list[Chunk]:
        """Return the chunk of the event in *payload*, or nothing for an event without a form in a chat.

        Raises :class:`UpstreamFault` for a failed response, an error, and a payload that is no event.
        """
        if payload[:1] != b"{":
            payload = payload.strip()
        if self.ended or not payload or payload == _DONE:
            return []
        event = load_payload(payload)
        kind = event.get("type") if isinstance(event, dict) else None
        if not isinstance(kind, str):
            if not isinstance(event, dict):
                refuse_response()
            raise_failure(event.get("error") or event)
        if kind == _TEXT_DELTA and not event.get("logprobs"):
            text, place = event.get("delta"), event.get("output_index")
            if text.__class__ is str and self._positions.has_id(place, event.get("item_id")):
                self._said.add(place)
                self._has_text = True
                if self._gap:
                    text, self._gap = self._gap + text, ""
                choice = {"index": 0, "delta": {"content": text}, "finish_reason": None}
                chunk: Chunk = {**self._head, "choices": [choice]}
                if self._native:
                    chunk[SOURCE] = AnswerSource(OPENAI_RESPONSES, event)
                return [chunk]  # as most events are
        event = self._positions.mend(event)
        if kind in _LAST:
            event = self._positions.fill(event)
        chunks = self._read(kind, event)
        if not self._native:
            return chunks
        return attach_event(chunks, OPENAI_RESPONSES, event)

    def may_end(self, wanted: int) -> bool:
        """Return True after the last event."""
        return self.ended

    def is_over(self) -> bool:
        """Return True: nothing follows the last event."""
        return True

    def usage_so_far(self) -> None:
        """Return None: only the last event reports usage."""

    def close(self) -> list[Chunk]:
        """Return nothing. Raises :class:`UpstreamFault` for a stream without a last event."""
        if not self._seen:
            raise UpstreamFault("The provider's stream ended without an answer.", cause=Cause.EMPTY)
        if not self.ended:
            raise_broken_off()
        return []

    def _read(self, kind: str, event: dict[str, Any]) -> list[Chunk]:
        if (name := _DELTAS.get(kind)) is not None:
            self._said.add(event.get("output_index"))
            return self._say(name, text_in(event, "delta"), logprobs_in(event))
        if kind in _BEGINNINGS:
            return self._begin(event)
        if kind in _LAST:
            return self._end(event)
        if kind == "response.failed":
            response = event.get("response")
            raise_failure(response.get("error") if isinstance(response, dict) else None)
        if kind == "error":
            raise_failure(event.get("error") or event)
        if kind == "response.output_item.added":
            return self._begin_item(event)
        if kind == "response.function_call_arguments.delta":
            place = self._positions.call_at(event)
            self._said.add(event.get("output_index"))
            return [] if place is None else self._chunk(_piece(place, text_in(event, "delta")))
        if kind in _WHOLE or kind == "response.function_call_arguments.done":
            return self._read_whole(kind, event)
        if kind == "response.output_item.done":
            return self._end_item(event)
        if kind == "response.output_text.annotation.added":
            cited = read_citation(event.get("annotation"))
            return [] if cited is None else self._chunk({"annotations": [cited]})
        return []

    def _begin(self, event: Mapping[str, Any]) -> list[Chunk]:
        """Keep the head of the response. It has no chunk of its own, as the first delta has the role."""
        response = event.get("response")
        if not isinstance(response, dict):
            refuse_response()
        self._seen = True
        self._head = {
            "id": response.get("id"),
            "object": "chat.completion.chunk",
            "created": response.get("created_at"),
            "model": response.get("model"),
        }
        return [{**self._head, "choices": []}]

    def _begin_item(self, event: Mapping[str, Any]) -> list[Chunk]:
        self._seen = True
        item = event.get("item")
        if not isinstance(item, dict):
            refuse_response()
        if not is_call(item):
            if self._has_text and not self._native and item.get("type") == "message":
                self._gap = SEPARATOR
            return []
        head = {"id": call_id_of(item), "type": "function"}
        place = self._positions.begin_call(event)
        return self._chunk(_piece(place, "", head, self._names.flat_name(item)))

    def _read_whole(self, kind: str, event: Mapping[str, Any]) -> list[Chunk]:
        """Return a whole text that has not come in pieces."""
        if event.get("output_index") in self._said:
            return []
        if kind in _WHOLE:
            field, name = _WHOLE[kind]
            text = event.get(field)
            return self._say(name, text) if isinstance(text, str) and text else []
        place, arguments = self._positions.call_at(event), event.get("arguments")
        if place is None or not isinstance(arguments, str) or not arguments:
            return []
        self._said.add(event.get("output_index"))
        return self._chunk(_piece(place, arguments))

    def _end_item(self, event: Mapping[str, Any]) -> list[Chunk]:
        """Return the arguments of a call that came whole with the end of its item."""
        item, place = event.get("item"), self._positions.call_at(event)
        if not isinstance(item, dict):
            refuse_response()
        if place is None or not is_call(item):
            return []
        if event.get("output_index") in self._said:
            return []
        return self._chunk(_piece(place, arguments_of(item)))

    def _end(self, event: Mapping[str, Any]) -> list[Chunk]:
        response = event["response"]
        output = output_of(response)
        reason = finish_reason(response, output, has_said=bool(self._said))
        self.ended = self._seen = True
        if self._said or self._has_said or self._positions.has_calls:
            [chunk] = self._chunk({}, reason=reason)
        else:  # some servers send the answer in the last event alone
            delta = read_delta(output, self._names, "" if self._native else SEPARATOR)
            [chunk] = self._chunk(delta, read_logprobs(output), reason)
            self._native = self._native and not delta  # events must begin the items, and none has come
        usage = read_usage(response.get("usage"))
        if usage is not None:
            chunk = {**chunk, "usage": usage, "service_tier": response.get("service_tier")}
        return [chunk]

    def _say(self, name: str, text: str, logprobs: list[Any] | None = None) -> list[Chunk]:
        """Return a piece of text, behind a gap where it is the first one of a later message."""
        self._has_said = True
        if name == "content" and text:
            text, self._gap, self._has_text = self._gap + text, "", True
        return self._chunk({name: text}, logprobs)

    def _chunk(
        self, delta: _Delta, logprobs: list[Any] | None = None, reason: str | None = None
    ) -> list[Chunk]:
        choice: dict[str, Any] = {"index": 0, "delta": delta, "finish_reason": reason}
        if logprobs:
            choice["logprobs"] = {"content": logprobs, "refusal": None}
        return [{**self._head, "choices": [choice]}]


def _piece(
    place: int, arguments: str, head: Mapping[str, Any] | None = None, name: str | None = None
) -> _Delta:
    function = {"arguments": arguments} if name is None else {"name": name, "arguments": arguments}
    return {"tool_calls": [{"index": place, **(head or {}), "function": function}]}
