"""Turns a request into one for a summary of its conversation, and writes the summary as one compaction item.

A client asks for it with ``POST /v1/responses/compact``, or with an item ``compaction_trigger``. The model of the
request summarizes. codex fails on an answer with another number of items than one (codex 0.169.0, run in 2026-11).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import orjson
from typing_extensions import override

from proxy.core.chat_request import ChatRequest
from proxy.core.errors import AnswerUnusable, ProxyError
from proxy.core.failures import Cause
from proxy.core.json_text import write_json
from proxy.core.source import OPENAI_RESPONSES
from proxy.core.upstream_call import Answer, Chunk
from proxy.ingress.openai_responses.answer import ResponsesAnswers
from proxy.ingress.openai_responses.echo import make_response, write_usage
from proxy.ingress.openai_responses.errors import describe_failure
from proxy.ingress.openai_responses.finish_response import failed
from proxy.ingress.openai_responses.ids import ItemIds
from proxy.ingress.openai_responses.stream_output import StreamOutput
from sanitizers.native.responses.envelope import pack_summary

PROMPT = (
    "Summarize the conversation above for a model that will go on with the work and will see nothing else of it. "
    "State the goal, the user's constraints in the user's words, decisions and their reasons, files and commands with "
    "what they showed, errors, and what is still to be done. Write plain text, and call no tool."
)
"""The user's message behind the conversation."""

_DROPPED = frozenset({"max_completion_tokens", "parallel_tool_calls", "response_format", "tool_choice"})


def ask_for_summary(chat: ChatRequest) -> ChatRequest:
    """Return *chat* as a request for a summary. Tools stay declared, since some providers refuse calls without them."""
    parameters = {name: value for name, value in chat.parameters.items() if name not in _DROPPED}
    if "tools" in parameters:
        parameters["tool_choice"] = "none"
    asked = {"role": "user", "content": PROMPT}
    return replace(
        chat,
        messages=[*chat.messages, asked],
        parameters=MappingProxyType(parameters),
        outline=None,
        source=None,
    )


class CompactionAnswers(ResponsesAnswers):
    """Writes the answer to a request for a summary: a response with one compaction item."""

    compacting: CompactionStream | None = None
    """The writer of the current attempt, for a stream."""

    @override
    def finish(self, answer: Answer | None) -> dict[str, Any] | None:
        if answer is None:
            return None if self.compacting is None else self.compacting.finish()
        if self.finished is None:
            choice = answer["choices"][0]
            summary = choice["message"].get("content") or ""
            self.finish_summary(summary, choice["finish_reason"], answer["model"], answer.get("usage"))
        return self.finished

    def finish_summary(
        self, summary: str, reason: str | None, model: str, usage: Mapping[str, Any] | None
    ) -> dict[str, Any]:
        """Return the response object for the text *summary*, and keep it as :attr:`finished`.

        An empty or cut summary would lose the conversation, so the response fails.
        """
        head = self.head_for(model)
        if reason != "stop" or not summary.strip():
            fault = AnswerUnusable("The model wrote no whole summary.", cause=Cause.EMPTY)
            self.finished = failed(head, [], describe_failure(fault), write_usage(usage))
        else:
            item = {
                "id": ItemIds(head.id).item_id("compaction", 0),
                "type": "compaction",
                "encrypted_content": pack_summary(summary),
            }
            now = self.completed_at(head.created_at)
            self.finished = make_response(
                head, "completed", [item], usage=write_usage(usage), completed_at=now
            )
        return self.finished

    @override
    def write_stream(self) -> CompactionStream:  # type: ignore[override]  # the other writer of the same protocol
        self.compacting = CompactionStream(self)
        return self.compacting


class CompactionStream:
    """Collects the summary, and writes the events of one compaction item at its end."""

    format = OPENAI_RESPONSES

    def __init__(self, answers: CompactionAnswers) -> None:
        self._answers = answers
        self._output = StreamOutput(answers.head.id)
        self._words: list[str] = []
        self._reason: str | None = None
        self._model = ""
        self._usage: Mapping[str, Any] | None = None
        self._begun = False

    def write_chunk(self, chunk: Chunk, /) -> bytes:
        """Return the events that begin the response, with the first *chunk*."""
        events = b"" if self._begun else self._begin(chunk["model"])
        for choice in chunk["choices"]:
            self._words.append(choice["delta"].get("content") or "")
            self._reason = choice["finish_reason"] or self._reason
        self._usage = chunk.get("usage") or self._usage
        return events

    def write_encoded(self, chunk: bytes, /) -> bytes:
        """Return the events of *chunk*, the JSON of a canonical chunk."""
        return self.write_chunk(orjson.loads(chunk))

    def write_native(self, event: Any, chunk: Chunk, /) -> bytes:
        """Return the events of the canonical *chunk*."""
        return self.write_chunk(chunk)

    def finish(self) -> dict[str, Any]:
        """Return the finished response, as :meth:`write_end` sends it."""
        return self._answers.finished or self._answers.finish_summary(
            "".join(self._words), self._reason, self._model, self._usage
        )

    def write_end(self) -> bytes:
        """Return the events of the item, and the last event."""
        finished = self.finish()
        if finished["status"] == "failed":
            return self._write_failed(finished["error"], finished)
        [item] = finished["output"]
        place = self._output.begin_item("compaction")
        return (
            self._output.write_added(place, item)
            + self._output.write_done(place, item)
            + self._output.write_event("response.completed", {"response": finished})
        )

    def write_error(self, error: ProxyError, /) -> bytes:
        """Return the events that end the stream with *error*."""
        begun = b"" if self._begun else self._begin("")
        description = describe_failure(error)
        head = self._answers.head_for(self._model)
        return begun + self._write_failed(
            description, failed(head, [], description, write_usage(self._usage))
        )

    def _begin(self, model: str) -> bytes:
        self._begun, self._model = True, model
        response = {"response": make_response(self._answers.head_for(model), "in_progress")}
        created = self._output.write_event("response.created", response)
        return created + self._output.write_event("response.in_progress", response)

    def _write_failed(self, description: Mapping[str, Any], response: Mapping[str, Any]) -> bytes:
        first = self._output.write_event("error", {**description, "param": None})
        return first + self._output.write_event("response.failed", {"response": response})


class CompactAnswers(CompactionAnswers):
    """Writes the answer of ``POST /v1/responses/compact``, which is an object of its own."""

    @override
    def write_answer(self, answer: Answer, /) -> bytes:
        """Return the JSON of the compaction. Raises :class:`AnswerUnusable` where the model wrote no whole summary."""
        finished = self.finish(answer)
        assert finished is not None, "a whole answer has an end"
        if finished["status"] == "failed":
            raise AnswerUnusable(finished["error"]["message"], cause=Cause.EMPTY)
        names = ("id", "created_at", "output", "usage")
        return write_json({**{name: finished[name] for name in names}, "object": "response.compaction"})
