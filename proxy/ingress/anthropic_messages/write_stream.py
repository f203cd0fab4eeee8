"""Writes the chunks of an answer as the event sequence of the Messages API.

    message_start
    for each block: content_block_start, its deltas, content_block_stop
    message_delta, message_stop

``message_start`` has an estimate of the input's tokens, and ``message_delta`` the truth, which replaces it in Claude
Code (2.1.197, run in 2026-11). There is no ``[DONE]``. A stream that fails ends with ``error``: Claude Code then asks
again without streaming, while it takes a silent end for a whole answer.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

from proxy.core.errors import ProxyError, UpstreamFault
from proxy.core.failures import Cause
from proxy.core.json_text import write_json
from proxy.core.source import ANTHROPIC_MESSAGES
from proxy.core.upstream_call import Chunk
from proxy.ingress.anthropic_messages.answer_context import AnswerContext
from proxy.ingress.anthropic_messages.block_queue import BlockQueue
from proxy.ingress.anthropic_messages.errors import describe_error
from proxy.ingress.anthropic_messages.native_stream import NativeStream
from proxy.ingress.anthropic_messages.stop_reasons import describe_stop
from proxy.ingress.anthropic_messages.stream_output import StreamOutput, write_event
from proxy.ingress.anthropic_messages.usage import first_usage, write_usage

_BROKEN = "The answer ended before it was complete."


class MessagesStream:
    """Writes one streamed answer (:class:`proxy.forwarding.answer_format.StreamWriter`). It reads the first choice."""

    format = ANTHROPIC_MESSAGES

    def __init__(self, context: AnswerContext) -> None:
        self._context = context
        self._output = StreamOutput()
        self._blocks: BlockQueue | None = None
        self._native: NativeStream | None = None
        self._reason: str | None = None
        self._usage: Mapping[str, Any] | None = None
        self._text_head = b""
        """The beginning of a text event of the open block, where nothing waits behind the block."""

        self._ended = False

    def write_chunk(self, chunk: Chunk, /) -> bytes:
        """Return the events of *chunk*, a strict chunk. They are empty for what the format has no event for."""
        choices = chunk["choices"]
        if self._text_head and len(choices) == 1:
            choice = choices[0]
            delta = choice["delta"]
            if (
                len(delta) == 1
                and (text := delta.get("content"))
                and choice["finish_reason"] is None
                and choice["index"] == 0
            ):
                self._output.said += len(text)
                return self._text_head + write_json(text) + b"}}\n\n"  # as most chunks are
        if self._ended:
            return b""
        events = b""
        if (usage := chunk.get("usage")) is not None:
            self._usage = usage
        if not choices:
            return events
        if self._blocks is None:
            events, self._blocks = self._begin()
        for choice in choices:
            if choice["index"] == 0 and self._reason is None:
                events += self._blocks.read_choice(choice)
                self._reason = choice["finish_reason"]
        index = self._blocks.text_index
        self._text_head = b"" if index is None else _TEXT_HEAD % index
        return events

    def write_encoded(self, chunk: bytes, /) -> bytes:
        """Return the events of *chunk*, the JSON of a canonical chunk that was held back."""
        return self.write_chunk(orjson.loads(chunk))

    def write_native(self, event: Any, chunk: Chunk, /) -> bytes:
        """Return *event* with the name of the model, or the events of *chunk* where canonical ones went before."""
        if self._blocks is not None or self._ended:
            return self.write_chunk(chunk)
        if self._native is None:
            self._native = NativeStream(self._context, self._output)
        return self._native.write(event, chunk)

    def write_end(self) -> bytes:
        """Return the last events. An answer without a stop reason ends with an error, since it was cut off."""
        if self._ended:
            return b""
        if self._native is not None and self._native.has_reason and self._blocks is None:
            self._ended = True
            return self._native.write_last()
        if self._reason is None:
            return self.write_error(UpstreamFault(_BROKEN, cause=Cause.TRUNCATED))
        self._ended = True
        stop = describe_stop(self._reason)
        if self._output.has_calls and self._reason == "stop":
            stop["stop_reason"] = "tool_use"
        usage = write_usage(self._usage, self._context.numbers().requested, self._output.said)
        last = write_event("message_delta", {"delta": stop, "usage": usage})
        return last + write_event("message_stop", {})

    def write_error(self, error: ProxyError, /) -> bytes:
        """Return the event that ends a stream with *error*."""
        if self._ended:
            return b""
        self._ended = True
        self._text_head = b""
        context = self._context
        described = describe_error(error, context.request_id, context.places, context.numbers())
        return b"event: error\ndata: %s\n\n" % write_json(described)

    def _begin(self) -> tuple[bytes, BlockQueue]:
        """Return the events that come before canonical blocks, and the queue of the blocks."""
        queue = BlockQueue(self._output, self._context)
        if self._native is not None and self._native.has_begun:
            return self._native.hand_over(queue), queue
        context = self._context
        message: dict[str, Any] = {
            "id": context.message_id,
            "type": "message",
            "role": "assistant",
            "model": context.model,
            "content": [],
            "stop_reason": None,
            "stop_sequence": None,
            "usage": first_usage(context.numbers().requested),
        }
        return write_event("message_start", {"message": message}), queue


_TEXT_HEAD = (
    b"event: content_block_delta\n"
    b'data: {"type":"content_block_delta","index":%d,"delta":{"type":"text_delta","text":'
)
