"""Answers and chunks in the one shape that clients rely on. Pure.

What real clients break on was run with 13 of them: a first delta without a role, tool calls without an index,
a missing id, object or model, no finish reason. Vendors' extras (``vertex_ai_*``, a cost that litellm adds to
``usage``) go, since strict clients refuse what they do not know.
"""

from __future__ import annotations

from typing import Any

from proxy.answer_numbers import normalize_logprobs, normalize_usage
from proxy.call_places import CallPlaces
from proxy.half_characters import Held, join_halves, release_halves
from proxy.upstream import Answer, Chunk

_MESSAGE_FIELDS = frozenset(
    {"annotations", "audio", "content", "function_call", "reasoning_content", "refusal", "role", "tool_calls"}
)
_DELTA_FIELDS = _MESSAGE_FIELDS - {"role"}


def normalize_answer(answer: Answer, *, fallback_id: str, created: int, model: str) -> Answer:
    """Return *answer* as a ``chat.completion``.

    *fallback_id*, *created* (unix seconds) and *model* fill what the provider left out, or wrote as another type.
    """
    time = answer.get("created")
    normalized: Answer = {
        "id": _text(answer.get("id")) or fallback_id,
        "object": "chat.completion",
        "created": time if type(time) is int else created,
        "model": _text(answer.get("model")) or model,
        "choices": [
            _normalize_choice(choice, at, fallback_id)
            for at, choice in enumerate(answer.get("choices") or [])
        ],
    }
    for name in ("system_fingerprint", "service_tier"):
        if _text(answer.get(name)):
            normalized[name] = answer[name]
    if isinstance(answer.get("usage"), dict):
        normalized["usage"] = normalize_usage(answer["usage"])
    return normalized


def _normalize_choice(choice: dict[str, Any], at: int, fallback_id: str) -> dict[str, Any]:
    """Return a choice that is whole.

    One without a finish reason is said to have stopped. That is a concession to litellm, which loses the reason for
    some providers; on the direct transport such an answer was refused before (:mod:`proxy.wires`).
    """
    message = {name: v for name, v in (choice.get("message") or {}).items() if name in _MESSAGE_FIELDS}
    message["role"] = "assistant"
    message.setdefault("content", None)
    calls = message.get("tool_calls")
    index = choice.get("index")
    index = at if index is None else index
    if calls:
        places = CallPlaces(fallback_id, index)
        pieces = [places.read({**call, "index": None}) for call in calls]
        message["tool_calls"] = [
            {name: value for name, value in piece.items() if name != "index"} for piece in pieces if piece
        ]
    else:
        message.pop("tool_calls", None)
    normalized = {
        "index": index,
        "message": message,
        "finish_reason": _finish_reason(choice.get("finish_reason") or "stop", bool(calls)),
    }
    logprobs = normalize_logprobs(choice.get("logprobs"))
    if logprobs is not None:
        normalized["logprobs"] = logprobs
    return normalized


class ChunkNormalizer:
    """Brings one stream's chunks into shape; keeps what has to be the same, or said once, across chunks."""

    def __init__(self, *, fallback_id: str, created: int, model: str, include_usage: bool):
        self._fallback_id = self._id = fallback_id
        self._created = created
        self._model = model
        self._include_usage = include_usage
        self._named = False
        self._spoken: set[int] = set()  # choices whose role has been said
        self._calls: dict[int, CallPlaces] = {}  # of each choice that holds any
        self._finished: set[int] = set()
        self._halves: Held = {}
        self.usage: dict[str, Any] | None = None
        """The usage that the provider reported last, if any."""

    @property
    def finished(self) -> bool:
        """Whether an answer was brought to its end.

        One choice is enough here: litellm loses the finish reason of Gemini's further candidates in streams. The
        direct transport demands one of every choice, before its stream ends (:mod:`proxy.wires`).
        """
        return bool(self._finished)

    def normalize(self, chunk: Chunk) -> Chunk | None:
        """Return the chunk for the client, or None when it holds nothing for it."""
        if not self._named:  # the id stays the same from the first chunk on; litellm makes new ones up
            self._named = True
            self._id = _text(chunk.get("id")) or self._id
            self._model = _text(chunk.get("model")) or self._model
        choices = [
            normalized
            for choice in chunk.get("choices") or ()
            if (normalized := self._normalize_choice(choice)) is not None
        ]
        usage = chunk.get("usage")
        if usage:
            self.usage = usage = normalize_usage(usage)
        if not choices and not (usage and self._include_usage):
            return None
        normalized = {
            "id": self._id,
            "object": "chat.completion.chunk",
            "created": self._created,
            "model": self._model,
            "choices": choices,
        }
        if usage and self._include_usage:
            normalized["usage"] = usage
        return normalized

    def _normalize_choice(self, choice: dict[str, Any]) -> dict[str, Any] | None:
        index = choice.get("index") or 0
        if index in self._finished:
            return None
        given = choice.get("delta") or {}
        delta = {name: value for name, value in given.items() if name in _DELTA_FIELDS}
        for name, text in delta.items():
            if type(text) is str and (self._halves or not text.isascii()):
                delta[name] = join_halves(self._halves, (index, name), text)
        calls = delta.get("tool_calls")
        if calls:
            delta["tool_calls"] = self._read_calls(index, calls)
            if not delta["tool_calls"]:
                del delta["tool_calls"]
        if index not in self._spoken:
            self._spoken.add(index)
            delta = {"role": "assistant", **delta}
        normalized: dict[str, Any] = {"index": index, "delta": delta, "finish_reason": None}
        reason = choice.get("finish_reason")
        if reason:
            self._finished.add(index)
            if self._halves:
                release_halves(self._halves, index, delta)
            normalized["finish_reason"] = _finish_reason(reason, index in self._calls)
        logprobs = choice.get("logprobs")
        if logprobs is not None and (logprobs := normalize_logprobs(logprobs)) is not None:
            normalized["logprobs"] = logprobs
        return normalized

    def _read_calls(self, index: int, calls: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Return the pieces of calls that say anything, each with its place."""
        places = self._calls.get(index)
        if places is None:
            places = self._calls[index] = CallPlaces(self._fallback_id, index)
        pieces = [piece for call in calls if (piece := places.read(call)) is not None]
        for piece in pieces:
            function = piece.get("function") or {}
            text = function.get("arguments")
            if text and (self._halves or not text.isascii()):
                function["arguments"] = join_halves(self._halves, (index, piece["index"]), text)
        return pieces


def _finish_reason(reason: str, called: bool) -> str:
    """Return ``tool_calls`` for a finished answer that holds calls: Gemini says STOP to them as well."""
    return "tool_calls" if called and reason in ("stop", "function_call") else reason


def _text(value: Any) -> str | None:
    """Return *value* if it is a text."""
    return value if isinstance(value, str) else None
