"""Reads the events of a streamed message as chunks of a chat.

Each event becomes one chunk at most, so that the event itself can go to a client of the same format. The arguments of a
call come as they are written. A call that comes whole, without pieces, has its arguments with the end of its block. A
call without arguments has its ``{}`` with the end of the answer: the normalizer would hold it back until then, since it
may be a placeholder, and would separate it from its event.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proxy.core.canonical_chat import THINKING_LAYOUT
from proxy.core.errors import UpstreamFault
from proxy.core.failures import Cause
from proxy.core.json_text import write_json
from proxy.core.source import ANTHROPIC_MESSAGES, SOURCE, AnswerSource
from proxy.core.upstream_call import Chunk
from proxy.core.usage_so_far import UsageSoFar
from proxy.upstream.wires.anthropic.finishing import finish_reason, raise_broken_off
from proxy.upstream.wires.anthropic.layout import Layout
from proxy.upstream.wires.anthropic.refusals import raise_error, refuse_message
from proxy.upstream.wires.anthropic.usage import merge_usage, read_usage
from proxy.upstream.wires.payloads import load_payload

_Delta = dict[str, Any]


class _Block:
    """A block that has begun: its kind and its first form, the pieces so far, and the place of a call."""

    __slots__ = ("begun", "call", "kind", "length", "pieces", "signatures")

    def __init__(self, kind: Any, begun: Mapping[str, Any], call: int) -> None:
        self.kind = kind
        self.begun = begun
        self.call = call
        self.length = 0
        self.pieces: list[str] = []
        self.signatures: list[str] = []


class StreamReader:
    """Reads the payloads of one stream. With *native*, each chunk has its event as its source.

    *thinks* is true where the request asked for thoughts.

    ``ended`` is true after the last event. The stream has no ``[DONE]``, and one is accepted.
    """

    def __init__(self, *, native: bool, thinks: bool = False) -> None:
        self.ended = False
        self._native = native
        self._thinks = thinks
        self._head: dict[str, Any] | None = None
        self._usage: Mapping[str, Any] = {}
        self._blocks: dict[Any, _Block] = {}
        self._layout = Layout()
        self._calls = 0
        self._empty_calls: list[_Delta] = []
        self._is_finished = False

    def feed(self, payload: bytes) -> list[Chunk]:
        """Return the chunk of the event in *payload*, or nothing for an event without a form in a chat.

        Raises :class:`UpstreamFault` for an error, and for a payload that is no event.
        """
        if payload[:1] != b"{":
            payload = payload.strip()
            if self.ended or not payload or payload == b"[DONE]":
                return []
        event = load_payload(payload)
        if event.__class__ is not dict:
            refuse_message()
        kind = event.get("type")
        if self.ended:
            return []
        if kind == "content_block_delta":
            delta = event.get("delta")
            index = event.get("index")
            block = self._blocks.get(index) if index.__class__ is int else None
            if delta.__class__ is not dict or block is None:
                refuse_message()
            if delta.get("type") == "text_delta":
                text = delta.get("text")
                if text.__class__ is not str or block.kind != "text":
                    refuse_message()
                block.pieces.append(text)
                said: _Delta | None = {"content": text}
            else:
                said = self._read_delta(delta, block)
        else:
            said = self._read(kind, event)
        if said is None:
            if not self._native:
                return []
            chunk: Chunk = {**(self._head or {}), "choices": []}
        else:
            choice = {"index": 0, "delta": said, "finish_reason": said.pop("finish_reason", None)}
            chunk = {**(self._head or {}), "choices": [choice]}
            if choice["finish_reason"] is not None and (usage := read_usage(self._usage)) is not None:
                chunk["usage"] = usage
        if self._native:
            chunk[SOURCE] = AnswerSource(ANTHROPIC_MESSAGES, event)
        return [chunk]

    def may_end(self, wanted: int) -> bool:
        """Return True once the answer has a stop reason."""
        return self._is_finished

    def is_over(self) -> bool:
        """Return True: only ``message_stop`` follows the stop reason."""
        return True

    def usage_so_far(self) -> UsageSoFar | None:
        """Return the counts of the first event: the whole prompt, and the first tokens of the answer."""
        usage = read_usage(self._usage)
        return None if usage is None else UsageSoFar(usage, covers_text=self._is_finished)

    def close(self) -> list[Chunk]:
        """Return nothing. Raises :class:`UpstreamFault` for a stream without a stop reason."""
        if self._head is None:
            raise UpstreamFault("The provider's stream ended without an answer.", cause=Cause.EMPTY)
        if not self._is_finished:
            raise_broken_off()
        return []

    def _read(self, kind: Any, event: dict[str, Any]) -> _Delta | None:
        if kind == "content_block_start":
            return self._begin_block(event)
        if kind == "content_block_stop":
            index = event.get("index")
            block = self._blocks.pop(index, None) if index.__class__ is int else None
            if block is None:
                refuse_message()
            return self._end_block(block)
        if kind == "message_start":
            self._begin(event)
            return None
        if kind == "message_delta":
            return self._end(event)
        if kind == "message_stop":
            if not self._is_finished:
                raise_broken_off()
            self.ended = True
            return None
        raise_error(event)
        if not isinstance(kind, str):
            refuse_message()
        return None  # a ping, or an event of a later version

    def _begin(self, event: Mapping[str, Any]) -> None:
        message = event.get("message")
        if not isinstance(message, dict):
            refuse_message()
        self._head = {
            "id": message.get("id"),
            "object": "chat.completion.chunk",
            "model": message.get("model"),
        }
        self._usage = merge_usage(self._usage, message.get("usage"))

    def _begin_block(self, event: Mapping[str, Any]) -> _Delta | None:
        """Begin a block. Some servers write the first piece into the block itself."""
        begun = event.get("content_block")
        index = event.get("index")
        if not isinstance(begun, dict) or type(index) is not int:
            refuse_message()
        kind = begun.get("type")
        if index in self._blocks:
            refuse_message()
        block = self._blocks[index] = _Block(kind, begun, self._calls)
        if kind == "tool_use":
            call_id, name = begun.get("id"), begun.get("name")
            if not isinstance(call_id, str) or not isinstance(name, str):
                refuse_message()
            self._calls += 1
            function = {"name": name, "arguments": ""}
            piece = {"index": block.call, "id": call_id, "type": "function", "function": function}
            return {"tool_calls": [piece]}
        if kind == "text" and isinstance(text := begun.get("text"), str) and text:
            block.pieces.append(text)
            return {"content": text}
        if kind == "thinking" and isinstance(thought := begun.get("thinking"), str) and thought:
            block.pieces.append(thought)
            return {"reasoning_content": thought}
        return None

    def _read_delta(self, delta: Mapping[str, Any], block: _Block) -> _Delta | None:
        """Return the delta of a chat for a piece of a call or of a thought. A citation has no form in a chat."""
        kind = delta.get("type")
        if kind == "input_json_delta" and block.kind == "tool_use":
            piece = delta.get("partial_json")
            if not isinstance(piece, str):
                refuse_message()
            if not piece or (piece == "{}" and not block.length):
                return None
            block.length += len(piece)
            return {"tool_calls": [{"index": block.call, "function": {"arguments": piece}}]}
        if kind == "thinking_delta":
            thought = delta.get("thinking")
            if not isinstance(thought, str) or block.kind != "thinking":
                refuse_message()
            block.pieces.append(thought)
            return {"reasoning_content": thought} if thought else None
        if kind == "signature_delta" and isinstance(signature := delta.get("signature"), str):
            block.signatures.append(signature)
        return None

    def _end_block(self, block: _Block) -> _Delta | None:
        """End a block, and return the arguments of a call that came whole."""
        kind, begun = block.kind, block.begun
        if kind == "text":
            self._layout.add_text("".join(block.pieces))
        elif kind == "thinking":
            signature = "".join(block.signatures) or begun.get("signature") or ""
            thought = {"type": "thinking", "thinking": "".join(block.pieces), "signature": signature}
            self._layout.add_thought(thought)
        elif kind == "redacted_thinking":
            self._layout.add_thought(dict(begun))
        elif kind == "tool_use":
            self._layout.add_call(begun["id"])
            if not block.length:
                given = begun.get("input")
                arguments = given if isinstance(given, str) and given else write_json(given or {}).decode()
                piece = {"index": block.call, "function": {"arguments": arguments}}
                if arguments != "{}":
                    return {"tool_calls": [piece]}
                self._empty_calls.append(piece)
        return None

    def _end(self, event: Mapping[str, Any]) -> _Delta | None:
        """Return the last delta with the finish reason. A second ``message_delta`` has later counts alone."""
        self._usage = merge_usage(self._usage, event.get("usage"))
        delta = event.get("delta")
        reason = delta.get("stop_reason") if isinstance(delta, dict) else None
        if reason is None or self._is_finished:
            return None
        self._is_finished = True
        layout = self._layout
        last: _Delta = {}
        for block in self._blocks.values():  # some servers do not end their last block
            if (piece := self._end_block(block)) is not None:
                last.setdefault("tool_calls", []).extend(piece["tool_calls"])
        self._blocks.clear()
        if self._empty_calls:
            last.setdefault("tool_calls", []).extend(self._empty_calls)
        last["finish_reason"] = finish_reason(reason)
        if layout.has_thoughts or (self._thinks and self._calls):
            last[THINKING_LAYOUT] = layout.as_value()
        return last
