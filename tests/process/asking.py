"""Sends chat requests through the running process, and reads their answers."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import httpx

from tests.process.running import Served

GEMINI_MODELS = ("gemini-2.5-pro", "gemini-3-pro-preview", "gemini-3.6-flash")
OPENAI_MODEL = "gpt-4.1"
TARGETS = (*(f"gemini/{model}" for model in GEMINI_MODELS), f"openai/{OPENAI_MODEL}")


@dataclass(frozen=True)
class Answer:
    """The answer to a chat request, streamed or not."""

    status: int
    headers: httpx.Headers
    text: str

    @property
    def json(self) -> Any:
        """The body of an answer that was not streamed."""
        return json.loads(self.text)

    @property
    def error(self) -> dict[str, Any]:
        """The error of the answer, which must be in OpenAI's envelope."""
        error: dict[str, Any] = self.json["error"]
        assert error.keys() >= {"message", "type", "param", "code"}
        return error

    @property
    def events(self) -> list[str]:
        """The events of a stream, whose framing must be ``data: ...`` and an empty line."""
        assert self.headers["content-type"].startswith("text/event-stream")
        assert self.text.endswith("\n\n")
        events = self.text.removesuffix("\n\n").split("\n\n")
        assert all(event.startswith("data: ") for event in events)
        return [event.removeprefix("data: ") for event in events]

    @property
    def is_whole(self) -> bool:
        """True for a complete answer: a finish reason, and in a stream no error and ``[DONE]`` at the end."""
        if self.status != 200:
            return False
        if not self.headers["content-type"].startswith("text/event-stream"):
            return bool(self.json["choices"][0]["finish_reason"])
        *chunks, last = self.events
        read = [json.loads(chunk) for chunk in chunks]
        reasons = [choice["finish_reason"] for chunk in read for choice in chunk["choices"]]
        return last == "[DONE]" and any(reasons) and not any("error" in chunk for chunk in read)


def function_tool(name: str) -> dict[str, Any]:
    """Return the declaration of a tool without parameters."""
    schema = {"type": "object", "properties": {}}
    return {"type": "function", "function": {"name": name, "description": name, "parameters": schema}}


def body(model: str, messages: Any, *, tools: Sequence[str] = (), stream: bool = False) -> dict[str, Any]:
    """Return a chat request."""
    request: dict[str, Any] = {"model": model, "messages": messages, "stream": stream}
    if tools:
        request["tools"] = [function_tool(name) for name in tools]
    return request


def ask(http: httpx.Client, served: Served, request: dict[str, Any]) -> Answer:
    """Send a chat request and read its answer to the end."""
    response = http.post(f"{served.base_url}/chat/completions", content=json.dumps(request).encode())
    return Answer(response.status_code, response.headers, response.text)


def explain(http: httpx.Client, served: Served, request: dict[str, Any]) -> dict[str, Any]:
    """Return the answer of ``/v1/explain`` to a chat request."""
    response = http.post(f"{served.base_url}/explain", content=json.dumps(request).encode())
    explanation: dict[str, Any] = response.raise_for_status().json()
    return explanation


def metric(http: httpx.Client, origin: str, name: str) -> float:
    """Return the value of a metric that has no labels."""
    lines = http.get(f"{origin}/metrics").text.splitlines()
    return float(next(line for line in lines if line.startswith(f"{name} ")).split()[1])
