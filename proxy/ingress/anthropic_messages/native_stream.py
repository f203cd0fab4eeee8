"""Relays the events of a provider that speaks the Messages API, with the client's names in them.

The events stay as the provider wrote them, but for the name of the model, the ids of calls, and the indexes behind a
block that was left out. Where a repair changed what an event says, canonical blocks come instead: the open block is
handed over or ended, and nothing native follows.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proxy.core.json_text import write_json
from proxy.core.upstream_call import Chunk
from proxy.ingress.anthropic_messages.answer_context import AnswerContext
from proxy.ingress.anthropic_messages.block_queue import BlockQueue
from proxy.ingress.anthropic_messages.native_answer import own_block, own_message
from proxy.ingress.anthropic_messages.open_blocks import OpenCall
from proxy.ingress.anthropic_messages.stream_output import (
    StreamOutput,
    write_block_stop,
)
from proxy.ingress.anthropic_messages.usage import first_usage, write_usage

_START, _DELTA, _STOP = "content_block_start", "content_block_delta", "content_block_stop"

_FIRST_TOKEN = 4
"""The characters of one token, which Anthropic counts at the start. Counts must not fall at the end."""


class _OpenBlock:
    """A block that has begun: its *index* here, its content, and the *call* of which it is the native form."""

    __slots__ = ("arguments", "block", "call", "index")

    def __init__(self, index: int, block: dict[str, Any], call: int | None) -> None:
        self.index = index
        self.block = block
        self.call = call
        self.arguments: list[str] = []


class NativeStream:
    """The provider's events of one stream. Blocks get their indexes from *output*."""

    def __init__(self, context: AnswerContext, output: StreamOutput) -> None:
        self._context = context
        self._output = output
        self._open: dict[int, _OpenBlock] = {}
        self._last: Mapping[str, Any] | None = None
        self.has_begun = False
        self.has_reason = False
        """True once ``message_delta`` was written."""

    def write(self, event: Mapping[str, Any], chunk: Chunk) -> bytes:
        """Return *event* with the client's names. *chunk* is its canonical form.

        Nothing is returned for the last event, which :meth:`write_last` returns, and for events of a block whose
        beginning was left out.
        """
        kind: str = event["type"]
        if kind == _DELTA:
            held = self._open.get(event["index"])
            if held is None:
                return b""
            if held.call is not None:
                piece = event["delta"].get("partial_json")
                if isinstance(piece, str):
                    held.arguments.append(piece)
            return _encode(kind, event if held.index == event["index"] else {**event, "index": held.index})
        if kind == _START:
            return self._begin_block(event, chunk)
        if kind == _STOP:
            held = self._open.pop(event["index"], None)
            return b"" if held is None else _encode(kind, {**event, "index": held.index})
        if kind == "message_start":
            self.has_begun = True
            message = own_message(event["message"], self._context.model)
            if not isinstance(message.get("usage"), dict):
                message["usage"] = first_usage(self._context.numbers().requested)
            return _encode(kind, {**event, "message": message})
        if kind == "message_stop":
            self._last = event
            return b""
        if kind == "message_delta":
            self.has_reason = True
            if not isinstance(event.get("usage"), dict):
                event = {**event, "usage": self._estimate(chunk)}
        return _encode(kind, event)

    def write_last(self) -> bytes:
        """Return the event that ends the stream."""
        return _encode("message_stop", self._last or {"type": "message_stop"})

    def hand_over(self, queue: BlockQueue) -> bytes:
        """Give the open text or call to *queue*, which goes on with it. Return the events that end other blocks."""
        events = []
        self._output.said += _FIRST_TOKEN
        for held in self._open.values():
            kind = held.block.get("type")
            if kind == "text":
                queue.adopt_text(held.index)
            elif held.call is not None:
                call = OpenCall(self._output, held.block["id"], held.block["name"], held.index)
                call.skip("".join(held.arguments))
                queue.adopt_call(held.call, call)
            else:
                events.append(write_block_stop(held.index))
        self._open.clear()
        return b"".join(events)

    def _estimate(self, chunk: Chunk) -> dict[str, Any]:
        """Return counts for a server that sends none. Without them, anthropic's SDK for Python raises an error."""
        return write_usage(chunk.get("usage"), self._context.numbers().requested, self._output.said)

    def _begin_block(self, event: Mapping[str, Any], chunk: Chunk) -> bytes:
        block = event["content_block"]
        piece = _first_piece(chunk)
        if piece is not None and block.get("type") == "tool_use":
            block = own_block(block, piece)
            self._output.has_calls = True
        index = self._output.next_index()
        self._open[event["index"]] = _OpenBlock(index, block, None if piece is None else piece["index"])
        if block is event["content_block"] and index == event["index"]:
            return _encode(_START, event)
        return _encode(_START, {**event, "index": index, "content_block": block})


def _encode(kind: str, event: Mapping[str, Any]) -> bytes:
    return b"event: %s\ndata: %s\n\n" % (kind.encode(), write_json(event))


def _first_piece(chunk: Chunk) -> Mapping[str, Any] | None:
    for choice in chunk["choices"]:
        for piece in choice["delta"].get("tool_calls") or ():
            found: Mapping[str, Any] = piece
            return found
    return None
