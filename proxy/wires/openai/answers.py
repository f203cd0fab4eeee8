"""What an OpenAI-compatible server answers: whole answers, stream events, errors.

Answers are in our format already; :mod:`proxy.normalize` brings every provider's into the one shape. Here it is decided
whether something is an answer at all, and whether it is a whole one: an answer that was broken off never looks like one
that the model ended.
"""

from __future__ import annotations

import json
import re
from typing import Any

import orjson

from proxy.errors import UpstreamFault
from proxy.upstream import Answer, Chunk
from proxy.wires.openai.shapes import NO_COMPLETION, read_choices

DONE = b"[DONE]"
"""The payload that ends a stream."""

_BROKEN_OFF = "The provider's answer broke off before it was complete."
_HALF_A_CHARACTER = re.compile(rb"\\u[dD][89a-fA-F]")


def read_answer(body: bytes) -> Answer:
    """Return a whole answer.

    Raises :class:`UpstreamFault` for a 200 that holds none: HTML, an error object, JSON of another kind, a choice
    that does not say why it ended.
    """
    value = load_object(body)
    _raise_error(value)
    if value.get("choices") is None:
        raise UpstreamFault(NO_COMPLETION)
    if not all(choice.get("finish_reason") for choice in read_choices(value, "message")):
        raise UpstreamFault(_BROKEN_OFF)
    return value


class StreamReader:
    """Reads one stream's payloads; ``ended`` says that ``[DONE]`` has come.

    A stream is complete when every choice that was seen in it has said why it ended. ``[DONE]`` alone is no such word,
    and is not waited for, since some servers leave it out.
    """

    def __init__(self) -> None:
        self.ended = False
        self._seen: set[int] = set()
        self._finished: set[int] = set()

    def feed(self, payload: bytes) -> list[Chunk]:
        """Return the chunk in *payload*, if it holds one.

        Raises :class:`UpstreamFault` for an error object and for what is no chunk. What comes behind
        ``[DONE]`` is not looked at.
        """
        if self.ended or not (payload := payload.strip()):
            return []
        if payload == DONE:
            self.ended = True
            return []
        value = load_object(payload)
        _raise_error(value)
        for choice in read_choices(value, "delta"):  # none in a chunk of usage, or of Azure's prompt filter
            self._seen.add(choice["index"])
            if choice.get("finish_reason"):
                self._finished.add(choice["index"])
        return [value]

    def may_end(self, wanted: int) -> bool:
        """Tell whether as many choices as were asked for, and any other that was seen, have said why they ended."""
        return len(self._finished) >= max(wanted, len(self._seen))

    def close(self) -> list[Chunk]:
        """Return nothing; raises :class:`UpstreamFault` for a stream that is not complete."""
        if not self._seen:
            raise UpstreamFault("The provider's stream ended without an answer.")
        if self._seen - self._finished:
            raise UpstreamFault("The provider's stream broke off before the answer was complete.")
        return []


def read_error(body: bytes) -> str | None:
    """Return the provider's own words out of an error's body, in whichever envelope; None without JSON.

    ``{"error": {"message"}}``, ``{"error": "text"}``, ``{"message"}``, ``{"detail"}`` and an array around any of
    them (Gemini's OpenAI endpoint: helix#1835).
    """
    try:
        value: Any = orjson.loads(body)
    except orjson.JSONDecodeError:
        return None
    if isinstance(value, list) and value:
        value = value[0]
    if not isinstance(value, dict):
        return None
    error = value.get("error")
    candidates = [
        error.get("message") if isinstance(error, dict) else error,
        value.get("message"),
        value.get("detail"),
    ]
    return next((text for text in candidates if isinstance(text, str) and text), None)


def load_object(text: bytes) -> dict[str, Any]:
    """Return the JSON object in *text*; raises :class:`UpstreamFault` where there is none."""
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError:
        value = _load_halves(text)
    if not isinstance(value, dict):
        raise UpstreamFault(NO_COMPLETION)
    return value


def _load_halves(text: bytes) -> Any:
    """Read JSON with lone surrogates: an escaped emoji that the provider cut in two, which orjson refuses."""
    if _HALF_A_CHARACTER.search(text):
        try:
            return json.loads(text.decode(), parse_constant=_refuse)
        except (ValueError, RecursionError):
            pass
    raise UpstreamFault("The provider answered with something that is not JSON.")


def _refuse(constant: str) -> Any:
    raise ValueError(constant)


def _raise_error(value: dict[str, Any]) -> None:
    """Raise the error that a 200 or an event carries, with its own status where it names one."""
    error = value if value.get("object") == "error" else value.get("error")  # the former is older vLLM's
    if error is None:
        return
    message = error.get("message") if isinstance(error, dict) else error
    code = error.get("code") if isinstance(error, dict) else None
    status = code if isinstance(code, int) and 400 <= code < 600 else None
    text = message if isinstance(message, str) and message else "The provider's answer carried an error."
    raise UpstreamFault(text, upstream_status=status)
