"""Cohere's v2 wire format: requests in OpenAI's shape, answers in Cohere's own.

Source: docs.cohere.com/reference/chat and /reference/chat-stream. A whole answer with calls has a plan. A stream has no
plan. For each call it has a start, pieces of the arguments and an end. The last event has the finish reason and the
usage. A client that accepts only `application/json` gets one line per event, as in v1. litellm sends this header, and
reads only this form of a stream.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tests.support.cohere_emulator.judging import Refusal, judge_cohere
from tests.support.emulated import Asked, Prompt, Refused, Said, fragments, token_counts
from tests.support.openai_emulator.answering import calls_in, prompt_in


def call_id(name: str, sequence: int, index: int) -> str:
    """Return a call id in Cohere's form: the tool's name, letters and digits."""
    return f"{name}_emulated{sequence:04d}{index:02d}"


@dataclass(frozen=True, slots=True)
class CohereWire:
    """See `Wire`."""

    base_path: str = "/v2/chat"
    paths: tuple[str, ...] = ("/v2/chat",)
    stream_type: str = "text/event-stream"

    def judge(self, asked: Asked) -> Refused | None:
        """See `Wire`."""
        return judge_cohere(asked.body)

    def wants_stream(self, asked: Asked) -> bool:
        """See `Wire`."""
        return bool(asked.body.get("stream"))

    def prompt(self, asked: Asked) -> Prompt:
        """See `Wire`."""
        return prompt_in(asked.body)

    def whole(self, asked: Asked, said: Said, sequence: int) -> Any:
        """See `Wire`."""
        message: dict[str, Any] = {"role": "assistant"}
        if said.text is not None:
            message["content"] = [{"type": "text", "text": said.text}]
        if said.calls:
            message["tool_plan"] = "I will call the tools."
            message["tool_calls"] = _calls(said, sequence)
        return {
            "id": f"emulated-{sequence:06d}",
            "finish_reason": _reason(said),
            "message": message,
            "usage": _usage(asked, said),
        }

    def events(self, asked: Asked, said: Said, sequence: int) -> Iterator[bytes]:
        """See `Wire`."""
        in_lines = _accepts_lines(asked)
        for event in _events(asked, said, sequence):
            data = json.dumps(event, ensure_ascii=False)
            yield f"{data}\n".encode() if in_lines else f"event: {event['type']}\ndata: {data}\n\n".encode()

    def closing(self) -> bytes:
        """Return no bytes, since `message-end` is the last event (see `Wire`)."""
        return b""

    def broken_event(self) -> bytes:
        """See `Wire`."""
        return b'event: content-delta\ndata: {"type": "content-delta", "delta": \n\n'

    def scripted(self, status: int, message: str, type: str | None, code: str | None) -> Refused:
        """See `Wire`."""
        return Refusal(message, status)

    def other(self, method: str, path: str) -> Refused | Any:
        """See `Wire`."""
        return Refusal("404 page not found", 404)


COHERE = CohereWire()


def _accepts_lines(asked: Asked) -> bool:
    accepted = {name.lower(): value for name, value in asked.headers.items()}.get("accept", "")
    return accepted == "application/json"


def _calls(said: Said, sequence: int) -> list[dict[str, Any]]:
    return calls_in(said, [call_id(name, sequence, index) for index, (name, _) in enumerate(said.calls)])


def _events(asked: Asked, said: Said, sequence: int) -> Iterator[dict[str, Any]]:
    start = {"role": "assistant", "content": [], "tool_plan": "", "tool_calls": [], "citations": []}
    yield {"type": "message-start", "id": f"emulated-{sequence:06d}", "delta": {"message": start}}
    if said.text:
        yield _event("content-start", 0, {"content": {"type": "text", "text": ""}})
        for piece in fragments(said.text):
            yield _event("content-delta", 0, {"content": {"text": piece}})
        yield {"type": "content-end", "index": 0}
    for index, entry in enumerate(_calls(said, sequence)):
        function = {"name": entry["function"]["name"], "arguments": ""}
        yield _event("tool-call-start", index, {"tool_calls": {**entry, "function": function}})
        for piece in fragments(entry["function"]["arguments"]):
            yield _event("tool-call-delta", index, {"tool_calls": {"function": {"arguments": piece}}})
        yield {"type": "tool-call-end", "index": index}
    yield {
        "type": "message-end",
        "delta": {"finish_reason": _reason(said), "usage": _usage(asked, said)},
    }


def _event(kind: str, index: int, message: dict[str, Any]) -> dict[str, Any]:
    return {"type": kind, "index": index, "delta": {"message": message}}


def _reason(said: Said) -> str:
    return "TOOL_CALL" if said.calls else "COMPLETE"


def _usage(asked: Asked, said: Said) -> dict[str, Any]:
    prompt, reply = token_counts(asked.body["messages"], said)
    counts = {"input_tokens": prompt, "output_tokens": reply}
    return {"billed_units": counts, "tokens": counts}
