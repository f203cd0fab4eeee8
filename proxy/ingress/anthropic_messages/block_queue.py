"""The blocks of a streamed answer: the open one, and those that wait for its end.

    thoughts        ──▶ thinking block
    text, refusal   ──▶ text block
    pieces of calls ──▶ tool_use block; what comes before its input is whole waits behind it

Clients die of a second open block ("Content block not found", 9router#2248). A signature goes into a thinking block
before its call. One that comes when the call has begun is found in the store alone.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import Any, TypeAlias

from proxy.ingress.anthropic_messages.answer_context import AnswerContext
from proxy.ingress.anthropic_messages.open_blocks import OpenCall, OpenText, OpenThinking
from proxy.ingress.anthropic_messages.stream_output import StreamOutput

OpenBlock: TypeAlias = OpenCall | OpenText | OpenThinking

_LEGACY = -1
"""The place of a call in the older form ``function_call``, of which an answer has one at most."""


class BlockQueue:
    """Turns the deltas of one answer into blocks, whose events go to *output*."""

    def __init__(self, output: StreamOutput, context: AnswerContext) -> None:
        self._output = output
        self._context = context
        self._queue: deque[OpenBlock] = deque()
        self._calls: dict[int, OpenCall] = {}

    @property
    def text_index(self) -> int | None:
        """The index of the open text block, where nothing waits behind it. None otherwise."""
        if len(self._queue) != 1:
            return None
        only = self._queue[0]
        return only.index if isinstance(only, OpenText) else None

    def adopt_text(self, index: int) -> None:
        """Go on with the text block at *index*, which has begun in another way."""
        self._queue.append(OpenText(self._output, index))

    def adopt_call(self, place: int, call: OpenCall) -> None:
        """Go on with *call*, which has begun in another way. *place* is its number among the answer's calls."""
        self._calls[place] = call
        self._queue.append(call)

    def read_choice(self, choice: Mapping[str, Any]) -> bytes:
        """Return the events of a strict chunk's *choice*."""
        delta, events = choice["delta"], []
        thoughts = delta.get("reasoning_content")
        if thoughts and self._context.thinking.has_blocks:
            events.append(self._take_thinking().add(thoughts))
        for name in ("content", "refusal"):
            if text := delta.get(name):
                events.append(self._take_text().add(text))
        for piece in delta.get("tool_calls") or ():
            events.append(self._read_piece(piece))
        if legacy := delta.get("function_call"):
            events.append(self._read_legacy(legacy))
        reason = choice["finish_reason"]
        events.append(self._advance() if reason is None else self._close_all(reason))
        return b"".join(events)

    def _take_thinking(self) -> OpenThinking:
        last = self._queue[-1] if self._queue else None
        if isinstance(last, OpenThinking):
            return last
        thinking = OpenThinking(self._output, self._context)
        self._queue.append(thinking)
        return thinking

    def _take_text(self) -> OpenText:
        last = self._queue[-1] if self._queue else None
        if isinstance(last, OpenText):
            return last
        text = OpenText(self._output)
        self._queue.append(text)
        return text

    def _read_piece(self, piece: Mapping[str, Any]) -> bytes:
        index, function = piece["index"], piece["function"]
        call = self._calls.get(index)
        if call is None:
            if piece.get("id") is None:
                return b""  # the native block of this call has ended, and nothing can be added to it
            call = self._calls[index] = OpenCall(self._output, piece["id"], function.get("name") or "")
            extra = piece.get("extra_content")
            if extra is not None and self._context.thinking.has_blocks:
                signature = extra["google"]["thought_signature"]
                self._take_thinking().signature = self._context.seal_call(piece["id"], signature)
            self._queue.append(call)
            return call.add("", function["arguments"])
        return call.add(function.get("name") or "", function["arguments"])

    def _read_legacy(self, piece: Mapping[str, Any]) -> bytes:
        """Return the events of a piece of a call in the older form. Some servers answer tools with it."""
        call = self._calls.get(_LEGACY)
        if call is None:
            call = self._calls[_LEGACY] = OpenCall(self._output, self._context.legacy_call_id, "")
            self._queue.append(call)
        return call.add(piece.get("name") or "", piece.get("arguments") or "")

    def _advance(self) -> bytes:
        """Return the events of blocks that can begin or end now. The last block of the queue stays open."""
        events, queue = [], self._queue
        while queue:
            head, is_followed = queue[0], len(queue) > 1
            if head.index is None:
                if head.can_open or (is_followed and isinstance(head, OpenCall)):
                    events.append(head.open())
                elif is_followed:
                    queue.popleft()  # a blank text
                    continue
                else:
                    break
            if not (is_followed and head.may_close):
                break
            events.append(head.close())
            queue.popleft()
        return b"".join(events)

    def _close_all(self, reason: str) -> bytes:
        """Return the events that end all blocks. *reason* is the finish reason.

        An answer that says nothing gets a blank text, since some clients wait for content.
        """
        events = []
        for block in self._queue:
            if block.index is None:
                if not (block.can_open or isinstance(block, OpenCall)):
                    continue
                events.append(block.open())
            events.append(block.close())
        self._queue.clear()
        if not self._output.blocks and reason in ("stop", "tool_calls"):
            blank = OpenText(self._output)
            blank.add(" ")
            events += [blank.open(), blank.close()]
        return b"".join(events)
