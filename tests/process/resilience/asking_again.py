"""Sends one request through the proxy to a failing provider, and returns the answer, the calls and the time."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import httpx

from tests.process.asking import Answer
from tests.process.emulators import Gemini
from tests.process.running import Served
from tests.support.builders import user

MAIN, SPARE, LARGER = "gemini-3.6-flash", "gemini-2.5-pro", "gemini-3-pro-preview"
"""The models behind the configured names: the requested model, its fallback, and its larger fallback."""

TEXT = "one two three four five six seven eight nine ten eleven twelve"
"""The provider's text, which is longer than one piece of a stream."""

SAID: Mapping[str, Any] = MappingProxyType({"text": TEXT})
CALLED: Mapping[str, Any] = MappingProxyType({"functionCall": {"name": "read", "args": {"path": "/a"}}})
READ = ("read", {"path": "/a"})
"""The call that a client reads from :data:`CALLED`."""

TOOLS = (
    {
        "type": "function",
        "function": {
            "name": "read",
            "description": "Reads a file.",
            "parameters": {"type": "object", "properties": {"path": {"type": "string"}}},
        },
    },
)
MAX_ANSWERS = 4
"""The answers that are queued at the emulator before each request, so that retries get an answer too."""

SLACK_S = 15.0
"""Seconds that a busy machine may add to a request."""


@dataclass(frozen=True)
class Outcome:
    """The client's answer, and the calls of Gemini models that the emulator saw."""

    answer: Answer
    seconds: float
    entries: Sequence[dict[str, Any]] = field(repr=False)
    """The Gemini emulator's journal."""

    @property
    def called(self) -> list[str]:
        """The Gemini models that the proxy called, in the order of the calls."""
        return [entry["model"] for entry in self.entries]

    @property
    def attempts(self) -> int:
        """The value of ``x-turnright-attempts``."""
        return int(self.answer.headers["x-turnright-attempts"])

    @property
    def is_stream(self) -> bool:
        """True if the answer came as events."""
        return self.answer.headers["content-type"].startswith("text/event-stream")

    @property
    def chunks(self) -> list[dict[str, Any]]:
        """The chunks of a stream, without comments, the error and ``[DONE]``."""
        return [event for event in self._events() if "error" not in event]

    @property
    def text(self) -> str:
        """All the text that the client got."""
        if not self.is_stream:
            return self.answer.json["choices"][0]["message"]["content"] or ""
        return "".join(delta.get("content") or "" for delta in self._deltas())

    @property
    def calls(self) -> list[tuple[str, Any]]:
        """All the tool calls that the client got: name and arguments."""
        if not self.is_stream:
            given = self.answer.json["choices"][0]["message"].get("tool_calls", [])
            return [(one["function"]["name"], json.loads(one["function"]["arguments"])) for one in given]
        pieces: dict[int, list[str]] = {}
        for delta in self._deltas():
            for one in delta.get("tool_calls", ()):
                name, arguments = pieces.setdefault(one["index"], ["", ""])
                function = one.get("function", {})
                pieces[one["index"]] = [
                    name + function.get("name", ""),
                    arguments + function.get("arguments", ""),
                ]
        return [(name, json.loads(arguments)) for name, arguments in pieces.values()]

    @property
    def error(self) -> dict[str, Any]:
        """The error: an envelope, or the last event of a started stream without ``[DONE]``."""
        if not self.is_stream:
            return self.answer.error
        *_, last = self._events()
        error: dict[str, Any] = last["error"]
        assert error.keys() >= {"message", "type", "param", "code"}
        assert "[DONE]" not in self.answer.text
        return error

    @property
    def comments(self) -> int:
        """The number of comments in a stream."""
        return sum(event.startswith(":") for event in self._frames())

    def _frames(self) -> list[str]:
        assert self.answer.text.endswith("\n\n")
        return self.answer.text.removesuffix("\n\n").split("\n\n")

    def _events(self) -> list[dict[str, Any]]:
        frames = [frame for frame in self._frames() if not frame.startswith(":")]
        assert all(frame.startswith("data: ") for frame in frames)
        data = [frame.removeprefix("data: ") for frame in frames]
        return [json.loads(event) for event in data if event != "[DONE]"]

    def _deltas(self) -> list[dict[str, Any]]:
        return [choice["delta"] for chunk in self.chunks for choice in chunk["choices"]]


class Asker:
    """Sends requests to one process, and reads its provider's journal."""

    def __init__(self, http: httpx.Client, served: Served, gemini: Gemini, *, stream: bool) -> None:
        self._http = http
        self._served = served
        self._gemini = gemini
        self.stream = stream

    def ask(
        self,
        model: str,
        messages: Any = None,
        *,
        says: Mapping[str, Any] = SAID,
        finish_reason: str = "STOP",
        **parameters: Any,
    ) -> Outcome:
        """Send a request for *model*, which the provider answers with the one part *says*, and return the outcome."""
        self._gemini.clear("requests", "answers")
        for _ in range(MAX_ANSWERS):
            self._gemini.answer(says, finish_reason=finish_reason)
        begun = time.monotonic()
        answer = self.ask_only(model, messages, **parameters)
        return Outcome(answer, time.monotonic() - begun, self._gemini.journal())

    def ask_only(
        self, model: str, messages: Any = None, *, timeout: float = 90.0, **parameters: Any
    ) -> Answer:
        """Ask *model*, and do not touch the provider's queues and journal. *timeout* is the client's."""
        request = {"model": model, "messages": messages or [user("go")], "stream": self.stream, **parameters}
        url = f"{self._served.base_url}/chat/completions"
        answer = self._http.post(url, json=request, timeout=timeout)
        return Answer(answer.status_code, answer.headers, answer.text)
