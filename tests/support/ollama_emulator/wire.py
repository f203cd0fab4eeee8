"""Ollama's own wire format: `/api/chat`, streams of JSON lines, arguments as objects, thoughts in `thinking`.

Source: github.com/ollama/ollama, docs/api.md. Calls have ids since 0.12, but a client need not send the ids back.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tests.support.emulated import Asked, Prompt, Refused, Said, fragments, token_counts
from tests.support.ollama_emulator.judging import Refusal, judge_ollama


@dataclass(frozen=True, slots=True)
class OllamaWire:
    """See `Wire`."""

    base_path: str = ""
    paths: tuple[str, ...] = ("/api/chat",)
    stream_type: str = "application/x-ndjson"

    def judge(self, asked: Asked) -> Refused | None:
        """See `Wire`."""
        return judge_ollama(asked.body)

    def wants_stream(self, asked: Asked) -> bool:
        """Return whether the answer is a stream, as it is unless the request has `stream: false` (see `Wire`)."""
        return asked.body.get("stream") is not False

    def prompt(self, asked: Asked) -> Prompt:
        """See `Wire`."""
        newest = (asked.body.get("messages") or [{"role": "system"}])[-1]
        functions = [tool["function"] for tool in asked.body.get("tools") or ()]
        return Prompt(
            newest=newest.get("content") or "",
            after_result=newest["role"] == "tool",
            from_user=newest["role"] == "user",
            tools=tuple((function["name"], function.get("parameters") or {}) for function in functions),
            thinks=bool(asked.body.get("think")),
        )

    def whole(self, asked: Asked, said: Said, sequence: int) -> Any:
        """See `Wire`."""
        return _line(asked, _message(said, sequence), said)

    def events(self, asked: Asked, said: Said, sequence: int) -> Iterator[bytes]:
        """See `Wire`."""
        for piece in fragments(said.reasoning or ""):
            yield _encoded(_line(asked, {"role": "assistant", "content": "", "thinking": piece}))
        for piece in fragments(said.text or ""):
            yield _encoded(_line(asked, {"role": "assistant", "content": piece}))
        if said.calls:
            message = {"role": "assistant", "content": "", "tool_calls": _calls(said, sequence)}
            yield _encoded(_line(asked, message))
        yield _encoded(_line(asked, {"role": "assistant", "content": ""}, said))

    def closing(self) -> bytes:
        """Return no bytes, since the line with `done` ends a stream (see `Wire`)."""
        return b""

    def broken_event(self) -> bytes:
        """See `Wire`."""
        return b'{"model": "m", "message": {"role": \n'

    def scripted(self, status: int, message: str, type: str | None, code: str | None) -> Refused:
        """See `Wire`."""
        return Refusal(message, status)

    def other(self, method: str, path: str) -> Refused | Any:
        """See `Wire`."""
        return {"models": []} if path == "/api/tags" else Refusal("404 page not found", 404)


OLLAMA = OllamaWire()


def _message(said: Said, sequence: int) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": said.text or ""}
    if said.reasoning is not None:
        message["thinking"] = said.reasoning
    if said.calls:
        message["tool_calls"] = _calls(said, sequence)
    return message


def _calls(said: Said, sequence: int) -> list[dict[str, Any]]:
    return [
        {
            "id": f"call_{sequence:04x}{index:04x}",
            "function": {"index": index, "name": name, "arguments": dict(arguments)},
        }
        for index, (name, arguments) in enumerate(said.calls)
    ]


def _line(asked: Asked, message: dict[str, Any], ended: Said | None = None) -> dict[str, Any]:
    line = {
        "model": asked.body["model"],
        "created_at": "2026-11-22T00:00:00.000000Z",
        "message": message,
        "done": ended is not None,
    }
    if ended is None:
        return line
    prompt, reply = token_counts(asked.body.get("messages"), ended)
    counts = {"prompt_eval_count": prompt, "eval_count": reply}
    return {**line, "done_reason": "stop", "total_duration": 1_000_000, **counts}


def _encoded(line: dict[str, Any]) -> bytes:
    return json.dumps(line, ensure_ascii=False).encode() + b"\n"
