"""Writes the chunks of an answer as a stream of ``GenerateContentResponse`` objects.

    for each text or thought: a response with this piece
    at the end: a response with the calls, the finish reason and the counts of all candidates

Events of a provider that speaks the same API go out as they came, unless a repair has changed them. A stream that fails
ends with ``{"error": …}`` and has no finish reason: google-genai takes a silent end for a whole answer.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import orjson

from proxy.core.errors import ProxyError, UpstreamFault
from proxy.core.failures import Cause
from proxy.core.json_text import write_json
from proxy.core.source import GEMINI_NATIVE
from proxy.core.upstream_call import Chunk
from proxy.ingress.gemini_native.answer_context import AnswerContext
from proxy.ingress.gemini_native.errors import write_error
from proxy.ingress.gemini_native.finish_reasons import FILTERED
from proxy.ingress.gemini_native.native_names import with_client_names
from proxy.ingress.gemini_native.open_candidate import OpenCandidate
from proxy.ingress.gemini_native.stream_framing import ARRAY, SSE
from proxy.ingress.gemini_native.usage import write_usage

_BROKEN = "The answer ended before it was complete."
_TEXT_HEAD = b'{"candidates":[{"content":{"parts":[{"text":'
_NOTHING: Mapping[str, Any] = MappingProxyType({})


class GeminiStream:
    """Writes one streamed answer (:class:`proxy.forwarding.answer_format.StreamWriter`)."""

    format = GEMINI_NATIVE

    def __init__(self, context: AnswerContext) -> None:
        self._context = context
        self._framing = ARRAY if context.is_array else SSE
        self._before = self._framing.first
        self._candidates: dict[int, OpenCandidate] = {}
        self._names: dict[str, Any] = {"modelVersion": context.model}
        self._usage: Mapping[str, Any] | None = None
        self._text_end = b""
        """The bytes behind the text of a plain event, once its candidate has begun."""

        self._said = 0
        self._writes_own = False
        """True once a response was written that the provider did not send."""

        self._relays_block = False
        """True once the provider's own word on a blocked prompt was written."""

        self._ended = False

    def write_chunk(self, chunk: Chunk, /) -> bytes:
        """Return the responses for *chunk*, a strict chunk. They are empty for what is written later."""
        choices = chunk["choices"]
        if self._text_end and len(choices) == 1:
            choice = choices[0]
            delta = choice["delta"]
            if (
                len(delta) == 1
                and (text := delta.get("content"))
                and len(choice) == 3
                and choice["finish_reason"] is None
                and choice["index"] == 0
            ):
                self._said += len(text)
                return self._before + _TEXT_HEAD + write_json(text) + self._text_end  # as most chunks are
        if self._ended:
            return b""
        if (usage := chunk.get("usage")) is not None:
            self._usage = usage
        if not choices:
            return b""
        self._names = {"modelVersion": chunk["model"], "responseId": chunk["id"]}
        written = []
        for choice in choices:
            candidate = self._candidate(choice["index"])
            if candidate.reason is None and (piece := candidate.read(choice)) is not None:
                written.append(piece)
                self._said += len(choice["delta"].get("content") or "")
            if candidate.reason is not None:
                self._text_end = b""
            self._writes_own = self._writes_own or candidate.holds_calls
        if not written:
            return b""
        self._writes_own = True
        framed = self._frame(write_json({"candidates": written, **self._names}))
        if self._may_write_plain():
            names = write_json(self._names)[1:]
            self._text_end = b'}],"role":"model"},"index":0}],' + names + self._framing.behind
        return framed

    def write_encoded(self, chunk: bytes, /) -> bytes:
        """Return the responses for *chunk*, the JSON of a canonical chunk that was held back."""
        return self.write_chunk(orjson.loads(chunk))

    def write_native(self, event: Any, chunk: Chunk, /) -> bytes:
        """Return *event* as it came, or the responses for *chunk* where canonical ones went before."""
        if self._writes_own or self._ended:
            return self.write_chunk(chunk)
        choices = chunk["choices"]
        if choices:
            self._names = {"modelVersion": chunk["model"], "responseId": chunk["id"]}
        for choice in choices:
            if "tool_calls" in choice["delta"]:
                event = with_client_names(event, choices)
                break
        if event is None:
            self._writes_own = True
            return self.write_chunk(chunk)
        self._relays_block = self._relays_block or "promptFeedback" in event
        deltas = {choice["index"]: choice["delta"] for choice in choices}
        for place, native in enumerate(event.get("candidates") or ()):
            index = native.get("index")
            index = place if index is None else index
            self._candidate(index).relay(deltas.get(index, _NOTHING), native)
        for choice in choices:
            if choice["finish_reason"] is not None:
                self._candidate(choice["index"]).reason = choice["finish_reason"]
        return self._frame(write_json(event))

    def write_end(self) -> bytes:
        """Return the last response. An answer without a finish reason ends with an error, since it was cut off."""
        if self._ended:
            return b""
        if not any(candidate.reason for candidate in self._candidates.values()):
            return self.write_error(UpstreamFault(_BROKEN, cause=Cause.TRUNCATED))
        ended = [one for one in self._candidates.values() if one.reason is not None]
        last: dict[str, Any]
        if len(self._candidates) == 1 and ended[0].is_blocked:
            if self._relays_block and not self._writes_own:
                return self._finish()
            last = {"promptFeedback": {"blockReason": FILTERED}}
        else:
            pieces = [piece for one in ended if (piece := one.end()) is not None]
            if not pieces and not self._writes_own:
                return self._finish()  # the provider's own end was relayed
            last = {"candidates": pieces} if pieces else {}
        usage = write_usage(self._usage, self._context.numbers().requested, self._said)
        return self._frame(write_json({**last, "usageMetadata": usage, **self._names})) + self._finish()

    def write_error(self, error: ProxyError, /) -> bytes:
        """Return the element that ends a stream with *error*."""
        if self._ended:
            return b""
        context = self._context
        return self._frame(write_error(error, context.places, context.numbers())) + self._finish()

    def _may_write_plain(self) -> bool:
        """Tell whether a further text of the first candidate can be written in the short way."""
        first = self._candidates.get(0)
        return first is not None and first.has_said and first.reason is None

    def _candidate(self, index: int) -> OpenCandidate:
        found = self._candidates.get(index)
        if found is None:
            found = self._candidates[index] = OpenCandidate(self._context, index)
        return found

    def _frame(self, body: bytes) -> bytes:
        framed = self._before + body + self._framing.behind
        self._before = self._framing.later
        return framed

    def _finish(self) -> bytes:
        self._ended = True
        self._text_end = b""
        return self._framing.end if self._before is self._framing.later else self._framing.empty_end
