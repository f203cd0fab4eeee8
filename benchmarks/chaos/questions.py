"""Requests with distinguishable answers, and checks that an answer belongs to its request.

Both emulators answer from the request alone. Gemini's repeats the beginning of a text, OpenAI's counts its characters,
and both call a forced tool. So a text for another request, a repeated text or a partial text is noticed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from proxy.emulator.answers import ECHOED_CHARACTERS

_SHORTEST = 200
_OPENAI = re.compile(r"You wrote (\d+) characters\. This is answer number (\d+)\.")


class Violation(Exception):
    """A forbidden event: a lost, wrong, doubled or unfinished answer. The exception's text says which."""


@dataclass(frozen=True)
class Question:
    """One request, which differs from all others by its *number*."""

    number: int
    model: str
    stream: bool
    calls: bool
    """True where the question asks for a tool call, false where it asks for a text."""

    @property
    def prompt(self) -> str:
        """The user's text, which has another length for each question."""
        words = " ".join(f"q{self.number}w{place}" for place in range(600))
        return words[: _SHORTEST + self.number].rstrip(" ").ljust(_SHORTEST + self.number, "x")

    @property
    def tool(self) -> str:
        """The tool's name."""
        return f"tool_{self.number}"

    def body(self) -> dict[str, Any]:
        """Return the JSON body of the request."""
        body: dict[str, Any] = {
            "model": self.model,
            "messages": [{"role": "user", "content": self.prompt}],
            "stream": self.stream,
        }
        if self.calls:
            name = f"p{self.number}"
            schema = {"type": "object", "properties": {name: {"type": "string"}}, "required": [name]}
            body["tools"] = [
                {
                    "type": "function",
                    "function": {"name": self.tool, "description": "Call it.", "parameters": schema},
                }
            ]
            body["tool_choice"] = {"type": "function", "function": {"name": self.tool}}
        return body


@dataclass
class Heard:
    """The parts of an answer as a client assembled them."""

    text: str = ""
    calls: dict[int, dict[str, str]] = field(default_factory=dict)
    finish: str | None = None

    def add_text(self, text: Any) -> None:
        """Append a piece of the text."""
        self.text += text or ""

    def add_call(self, place: int, call: Mapping[str, Any]) -> None:
        """Add a piece of the tool call at the index *place*. If two calls share an index, the joined names show it."""
        known = self.calls.setdefault(place, {"id": "", "name": "", "arguments": ""})
        function = call.get("function") or {}
        known["id"] += call.get("id") or ""
        known["name"] += function.get("name") or ""
        known["arguments"] += function.get("arguments") or ""


def check_whole(question: Question, heard: Heard) -> int | None:
    """Return the number that OpenAI's emulator gave the answer, or None for Gemini's answers and for tool calls.

    Raises :class:`Violation` unless the answer is right, complete and given once.
    """
    if heard.finish != ("tool_calls" if question.calls else "stop"):
        raise Violation(f"{question}: ended with {heard.finish!r}: {heard}")
    if not question.calls:
        if heard.calls:
            raise Violation(f"{question}: a call nobody asked for: {heard}")
        if heard.text == _echo(question):
            return None
        found = _OPENAI.fullmatch(heard.text)
        if found is None or int(found[1]) != len(question.prompt):
            raise Violation(f"{question}: another text: {heard}")
        return int(found[2])
    if heard.text or [call["name"] for call in heard.calls.values()] != [question.tool]:
        raise Violation(f"{question}: another call: {heard}")
    try:
        arguments = json.loads(heard.calls[0]["arguments"])
    except (KeyError, ValueError):
        raise Violation(f"{question}: arguments are no JSON: {heard}") from None
    if list(arguments) != [f"p{question.number}"]:
        raise Violation(f"{question}: other arguments: {heard}")
    return None


def check_beginning(question: Question, heard: Heard) -> None:
    """Raise :class:`Violation` unless what was heard before an error is the beginning of the right answer."""
    known = {call["name"] for call in heard.calls.values()}
    texts = (_echo(question), f"You wrote {len(question.prompt)} characters. This is answer number ")
    fits = any(text.startswith(heard.text) or heard.text.startswith(text) for text in texts)
    if not fits or known - {question.tool} or len(heard.calls) > 1:
        raise Violation(f"{question}: the beginning of another answer: {heard}")


def _echo(question: Question) -> str:
    return f'I read your message: "{question.prompt[:ECHOED_CHARACTERS]}"'
