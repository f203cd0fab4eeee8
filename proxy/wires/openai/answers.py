"""What an OpenAI-compatible server answers: whole answers, stream events, errors.

Answers are passed on as they came, since they are in our format already; :mod:`proxy.normalize` brings every
provider's into the one shape. Here it is only decided whether something is an answer at all.
"""

from __future__ import annotations

import json
import re
from typing import Any

import orjson

from proxy.errors import UpstreamFault
from proxy.upstream import Answer, Chunk

DONE = b"[DONE]"
"""The payload that ends a stream."""

_NO_COMPLETION = "The provider answered with something that is not a chat completion."
_HALF_A_CHARACTER = re.compile(rb"\\u[dD][89a-fA-F]")


def read_answer(body: bytes) -> Answer:
    """Return a whole answer.

    Raises :class:`UpstreamFault` for a 200 that holds none: HTML, an error object, JSON of another kind.
    """
    value = load_object(body)
    _raise_error(value)
    if not isinstance(value.get("choices"), list):
        raise UpstreamFault(_NO_COMPLETION)
    _check_shape(value, "message")
    return value


class StreamReader:
    """Reads one stream's payloads; ``ended`` says that ``[DONE]`` has come."""

    def __init__(self) -> None:
        self.ended = False

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
        _check_shape(value, "delta")
        return [value]

    def may_end(self, wanted: int) -> bool:
        """Say no: usage may come long after the last finish reason, and ``[DONE]`` after that."""
        return False

    def close(self) -> list[Chunk]:
        """Return nothing: a stream that broke off shows in its missing finish reason."""
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
        raise UpstreamFault(_NO_COMPLETION)
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


def _check_shape(value: dict[str, Any], said: str) -> None:
    """Refuse what nobody behind could read: the containers must be of their kinds, or null."""
    choices = value.get("choices") or []
    if not isinstance(choices, list) or not isinstance(value.get("usage") or {}, dict):
        raise UpstreamFault(_NO_COMPLETION)
    for choice in choices:
        if not isinstance(choice, dict) or not isinstance(choice.get("index") or 0, int):
            raise UpstreamFault(_NO_COMPLETION)
        message = choice.get(said) or {}
        if not isinstance(message, dict):
            raise UpstreamFault(_NO_COMPLETION)
        calls = message.get("tool_calls") or []
        if not isinstance(calls, list) or not all(map(_is_call, calls)):
            raise UpstreamFault(_NO_COMPLETION)


def _is_call(call: Any) -> bool:
    return isinstance(call, dict) and isinstance(call.get("function") or {}, dict)


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
