"""Writes the chunks of an answer as the event sequence of the Responses API.

    response.created, response.in_progress
    for each item: output_item.added, its own events, output_item.done
    response.completed, response.incomplete or response.failed

Each client needs another part of this sequence, and all clients accept the whole of it (nine clients run, 2026-11).
One item ends before the next begins, since langchain-openai fails on interleaved calls. What comes too early waits
(:mod:`proxy.ingress.openai_responses.item_queue`). There is no ``[DONE]``. A stream has exactly one last event, since
several clients take a stream without one for a whole answer.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

from proxy.core.errors import ProxyError, UpstreamFault
from proxy.core.failures import Cause
from proxy.core.source import OPENAI_RESPONSES
from proxy.core.upstream_call import Chunk
from proxy.ingress.openai_responses.answer_context import AnswerContext
from proxy.ingress.openai_responses.echo import ResponseHead, make_response, write_usage
from proxy.ingress.openai_responses.errors import describe_failure, rename_param
from proxy.ingress.openai_responses.finish_response import ends_in_silence, failed, finished
from proxy.ingress.openai_responses.item_queue import ItemQueue
from proxy.ingress.openai_responses.native_stream import NativeStream
from proxy.ingress.openai_responses.open_message import OpenMessage
from proxy.ingress.openai_responses.stream_output import StreamOutput

_BROKEN = "The answer ended before it was complete."


class ResponsesStream:
    """Writes one streamed answer (:class:`proxy.forwarding.answer_format.StreamWriter`). It reads the first choice."""

    format = OPENAI_RESPONSES

    def __init__(self, context: AnswerContext) -> None:
        self._context = context
        self._output = StreamOutput(context.head.id)
        self._head: ResponseHead | None = None
        self._items: ItemQueue | None = None
        self._native: NativeStream | None = None
        self._model = ""
        self._reason: str | None = None
        self._usage: Mapping[str, Any] | None = None
        self._finished: dict[str, Any] | None = None
        self._ended = False

    def write_chunk(self, chunk: Chunk, /) -> bytes:
        """Return the events of *chunk*, a strict chunk. They are empty for what the format has no event for."""
        items, choices = self._items, chunk["choices"]
        if (
            items is not None
            and (message := items.message) is not None
            and message.delta_head
            and len(choices) == 1
        ):
            choice = choices[0]
            delta = choice["delta"]
            if (
                len(delta) == 1
                and (text := delta.get("content"))
                and choice["finish_reason"] is None
                and choice["index"] == 0
                and "logprobs" not in choice
            ):
                return message.add_plain(text)  # as most chunks are
        if self._ended:
            return b""
        events = b""
        if self._native is not None:
            events, chunk = self._leave_native(self._native, chunk)
        elif self._items is None:
            events, self._items = self._begin(chunk["model"], chunk["created"])
        if self._items is None:
            return events
        for choice in chunk["choices"]:
            if choice["index"] == 0 and self._reason is None:
                events += self._items.read_choice(choice)
                self._reason = choice["finish_reason"]
        if (usage := chunk.get("usage")) is not None:
            self._usage = usage
            if self._reason is not None:
                self.finish()
        return events

    def write_encoded(self, chunk: bytes, /) -> bytes:
        """Return the events of *chunk*, the JSON of a canonical chunk that was held back."""
        return self.write_chunk(orjson.loads(chunk))

    def write_native(self, event: Any, chunk: Chunk, /) -> bytes:
        """Return *event* with the proxy's names, or the events of *chunk* where canonical ones went before."""
        if self._items is not None or self._ended:
            return self.write_chunk(chunk)
        if self._native is None:
            self._native = NativeStream(self._context, self._output)
        self._model = chunk["model"]
        return self._native.write(event, chunk)

    def _leave_native(self, native: NativeStream, chunk: Chunk) -> tuple[bytes, Chunk]:
        """Return the events that end or continue the native items, and the rest of *chunk*, a canonical one.

        The chunk with the usage says nothing that the native response does not have.
        """
        if not chunk["choices"]:
            if self._items is None:
                self._usage = chunk.get("usage") or self._usage
            return b"", chunk
        events, rest = native.pass_over(chunk)
        if self._items is None:
            self._head = head = self._context.head_for(chunk["model"], chunk["created"])
            self._items = ItemQueue(self._output, self._context, head.echo["model"])
        return events, rest

    def finish(self) -> dict[str, Any] | None:
        """Return the finished response, which :meth:`write_end` sends. None where no finish reason has come.

        The caller may store the response first, so that the next request finds it. What comes later is not in it.
        """
        if self._finished is None and self._native is not None and self._native.response is not None:
            self._finished = self._context.finished = self._native.response
        if self._finished is None and self._reason is not None:
            head, usage = self._find_head(), write_usage(self._usage)
            now = self._context.completed_at(head.created_at)
            self._finished = finished(head, self._output.items, self._reason, usage, now)
            self._context.finished = self._finished
        return self._finished

    def write_end(self) -> bytes:
        """Return the last event. An answer without a finish reason ends with an error, since it was cut off."""
        if self._ended:
            return b""
        response = self.finish()
        if response is None:
            return self.write_error(UpstreamFault(_BROKEN, cause=Cause.TRUNCATED))
        self._ended = True
        if self._reason is not None and ends_in_silence(self._output.items, self._reason):
            return self._write_failure(response["error"], None, response)
        return self._output.write_event(f"response.{response['status']}", {"response": response})

    def write_error(self, error: ProxyError, /) -> bytes:
        """Return the events that end a stream with *error*: ``error``, and then ``response.failed``.

        codex does not know ``error``, and openai-python raises on neither. Both together are understood by all.
        """
        if self._ended:
            return b""
        begun = b""
        if self._native is not None:
            begun = self._native.begin_rest()
        elif self._items is None:
            begun = self._begin("", 0)[0]
        self._ended = True
        description = describe_failure(error)
        response = failed(self._find_head(), self._kept_items(), description, write_usage(self._usage))
        self._context.finished = response
        self._items = None
        context, param = self._context, error.param
        if not error.of_deployment:
            param = rename_param(param, context.spans, context.earlier)
        return begun + self._write_failure(description, param, response)

    def _write_failure(
        self, description: Mapping[str, Any], param: str | None, response: Mapping[str, Any]
    ) -> bytes:
        first = self._output.write_event("error", {**description, "param": param})
        return first + self._output.write_event("response.failed", {"response": response})

    def _kept_items(self) -> list[Mapping[str, Any]]:
        """Return the items of an answer that breaks off: the ended ones, and the message that was open."""
        items = list(self._output.items if self._native is None else self._native.kept_items())
        open_item = None if self._items is None else self._items.open_item
        if open_item is None:
            return items
        kept = [open_item.as_item("incomplete")] if isinstance(open_item, OpenMessage) else []
        return [*items[:-1], *kept]

    def _find_head(self) -> ResponseHead:
        return self._head or self._context.head_for(self._model)

    def _begin(self, model: str, created: int) -> tuple[bytes, ItemQueue]:
        """Return the events that begin an answer by *model*, which was *created* at this time, and its empty queue."""
        self._head = head = self._context.head_for(model, created)
        response = {"response": make_response(head, "in_progress")}
        begun = self._output.write_event("response.created", response)
        begun += self._output.write_event("response.in_progress", response)
        return begun, ItemQueue(self._output, self._context, head.echo["model"])
