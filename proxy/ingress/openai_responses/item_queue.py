"""The items of a streamed answer: the open one, and those that wait for its end.

    thoughts, signatures ──▶ reasoning item in front of the words that follow them
    text, refusal        ──▶ message; thoughts within it wait for what follows it
    pieces of a call     ──▶ call; what comes before its arguments are whole waits behind it

A signature that comes when the item in front has ended goes into a further reasoning item, at the end or in front of
the next call.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import Any, TypeAlias

from proxy.answers.find_empty import CUT_OFF
from proxy.ingress.openai_responses.answer_context import AnswerContext
from proxy.ingress.openai_responses.open_call import OpenCall
from proxy.ingress.openai_responses.open_message import OpenMessage
from proxy.ingress.openai_responses.open_reasoning import OpenReasoning
from proxy.ingress.openai_responses.output_items import read_citations, read_logprobs
from proxy.ingress.openai_responses.stream_output import StreamOutput

OpenItem: TypeAlias = OpenMessage | OpenReasoning | OpenCall

_LEGACY = -1
"""The place of a call in the older form ``function_call``, of which an answer has one at most."""


class ItemQueue:
    """Turns the deltas of one answer by *model* into items, whose events go to *output*."""

    def __init__(self, output: StreamOutput, context: AnswerContext, model: str) -> None:
        self._output = output
        self._context = context
        self._model = model
        self._queue: deque[OpenItem] = deque()
        self._calls: dict[int, OpenCall] = {}
        self._front: OpenReasoning | None = None
        """The reasoning item that was put into the queue last."""

        self._late: OpenReasoning | None = None
        """Thoughts and signatures that came after the item in front of their words had ended."""

        self.message: OpenMessage | None = None
        """The message at the end of the queue, if there is one."""

    @property
    def open_item(self) -> OpenItem | None:
        """The item that has begun in the stream and not ended."""
        return self._queue[0] if self._queue and self._queue[0].is_open else None

    def read_choice(self, choice: Mapping[str, Any]) -> bytes:
        """Return the events of a strict chunk's *choice*."""
        delta, events = choice["delta"], []
        if thoughts := delta.get("reasoning_content"):
            events.append(self._add_thoughts(thoughts))
        logprobs = read_logprobs(choice.get("logprobs")) if self._context.shows_logprobs else ()
        if text := delta.get("content"):
            events.append(self._take_message().add_text(text, logprobs))
        elif logprobs and self.message is not None:
            self.message.add_logprobs(logprobs)
        if refusal := delta.get("refusal"):
            events.append(self._take_message().add_refusal(refusal))
        if (citations := read_citations(delta.get("annotations"))) and self.message is not None:
            events.append(self.message.add_annotations(citations))
        for piece in delta.get("tool_calls") or ():
            events.append(self._read_piece(piece))
        if legacy := delta.get("function_call"):
            call = self._take_call(_LEGACY, self._output.ids.legacy_call_id(), None)
            events.append(call.add(legacy.get("name") or "", legacy.get("arguments") or ""))
        if (signature := _signature_of(delta)) is not None:
            self._find_reasoning().text_signature = signature
        reason = choice["finish_reason"]
        events.append(self._advance() if reason is None else self._close_all(reason))
        return b"".join(events)

    def _add_thoughts(self, text: str) -> bytes:
        """Add thoughts to the item in front. Thoughts within a message wait for what follows it."""
        if not self._queue:
            self._put_front(self._new_reasoning())
        last = self._queue[-1] if self._queue else None
        if isinstance(last, OpenReasoning):
            return last.add_thoughts(text)
        self._late = self._late or self._new_reasoning()
        return self._late.add_thoughts(text)

    def _take_message(self) -> OpenMessage:
        """Return the message at the end of the queue, or a new one there."""
        if self.message is None:
            self.message = OpenMessage(self._output)
            self._push(self.message)
        return self.message

    def _read_piece(self, piece: Mapping[str, Any]) -> bytes:
        index, function, signature = piece["index"], piece["function"], _signature_of(piece)
        call = self._calls.get(index)
        if call is None:
            call = self._take_call(index, piece["id"], signature)
        elif signature is not None:
            self._find_reasoning().signatures[call.call_id] = signature
        return call.add(function.get("name") or "", function["arguments"])

    def _take_call(self, index: int, call_id: str, signature: str | None) -> OpenCall:
        """Return the call at *index*, or a new one at the end of the queue, with its *signature* in front of it."""
        call = self._calls.get(index)
        if call is None:
            call = self._calls[index] = OpenCall(self._output, call_id, self._context.table)
            self.message = None
            if signature is not None:
                last = self._queue[-1] if self._queue else None
                front = last if isinstance(last, OpenReasoning) else self._late or self._new_reasoning()
                if front is not last:
                    self._late = front
                front.signatures[call_id] = signature
            self._push(call)
        return call

    def _push(self, item: OpenItem) -> None:
        """Put *item* at the end of the queue, behind the thoughts and signatures that belong in front of it."""
        self._put_late()
        self._queue.append(item)

    def _put_late(self) -> None:
        if self._late is not None:
            self._put_front(self._late)
            self._late = None

    def _put_front(self, item: OpenReasoning) -> None:
        self._front = item
        self._queue.append(item)

    def _find_reasoning(self) -> OpenReasoning:
        """Return the item for a signature of earlier words: one that is not yet closed, or the one at the end."""
        if self._front is not None and not self._front.is_closed:
            return self._front
        self._late = self._late or self._new_reasoning()
        return self._late

    def _new_reasoning(self) -> OpenReasoning:
        return OpenReasoning(self._output, self._model, shows_thoughts=self._context.shows_thoughts)

    def _advance(self) -> bytes:
        """Return the events of items that can begin or end now. The last item of the queue stays open."""
        events, queue = [], self._queue
        while queue:
            head = queue[0]
            following = queue[1].can_open or len(queue) > 2 if len(queue) > 1 else False
            if not head.is_open:
                if not (head.can_open or (following and _is_named(head))):
                    break
                events.append(head.open())
            ends = following if isinstance(head, OpenReasoning) else len(queue) > 1
            if not (ends and head.may_close):
                break
            events.append(head.close(cut=False))
            queue.popleft()
        return b"".join(events)

    def _close_all(self, reason: str) -> bytes:
        """Return the events that end all items. *reason* is the finish reason."""
        cut, events = reason in CUT_OFF, []
        self._put_late()
        last = next((item for item in reversed(self._queue) if not isinstance(item, OpenReasoning)), None)
        for item in self._queue:
            is_lost = isinstance(item, OpenCall) and not item.is_whole and not item.is_deliverable_cut
            if cut and is_lost:
                continue
            if not item.is_open:
                events.append(item.open())
            events.append(item.close(cut=cut and (item is last or isinstance(item, OpenCall))))
        self._queue.clear()
        self.message = None
        return b"".join(events)


def _is_named(item: OpenItem) -> bool:
    """Return True for a call whose name is whole, since another item follows, and that may begin without arguments."""
    return not isinstance(item, OpenCall) or item.is_deliverable_cut


def _signature_of(holder: Mapping[str, Any]) -> str | None:
    """Return the thought signature of a call's piece or of a delta, or None."""
    extra = holder.get("extra_content")
    return None if extra is None else extra["google"]["thought_signature"]
