"""Answers and chunks in the one shape that clients rely on. Pure.

What real clients break on was run with 13 of them: a first delta without a role, tool calls without an index,
a missing id, object or model, no finish reason. Vendors' extras (``vertex_ai_*``, a cost that litellm adds to
``usage``) go, since strict clients refuse what they do not know.
"""

from __future__ import annotations

from typing import Any

from proxy.upstream import Answer, Chunk

_ANSWER_FIELDS = (
    "id",
    "object",
    "created",
    "model",
    "choices",
    "usage",
    "system_fingerprint",
    "service_tier",
)
_MESSAGE_FIELDS = frozenset(
    {"annotations", "audio", "content", "function_call", "reasoning_content", "refusal", "role", "tool_calls"}
)


def normalize_answer(answer: Answer, *, fallback_id: str, created: int, model: str) -> Answer:
    """Return *answer* as a ``chat.completion``.

    *fallback_id*, *created* (unix seconds) and *model* fill what the provider left out.
    """
    known = {name: answer[name] for name in _ANSWER_FIELDS if answer.get(name) is not None}
    known = {
        "id": fallback_id,
        "object": "chat.completion",
        "created": created,
        "model": model,
        **known,
        "choices": [_normalize_choice(choice, at) for at, choice in enumerate(answer.get("choices") or [])],
    }
    if "usage" in known:
        known["usage"] = _normalize_usage(known["usage"])
    return known


def _normalize_choice(choice: dict[str, Any], at: int) -> dict[str, Any]:
    message = {name: v for name, v in (choice.get("message") or {}).items() if name in _MESSAGE_FIELDS}
    message["role"] = "assistant"
    message.setdefault("content", None)
    calls = message.get("tool_calls")
    if calls:
        message["tool_calls"] = [_known_call(call) for call in calls]
    else:
        message.pop("tool_calls", None)
    normalized = {
        "index": choice.get("index", at),
        "message": message,
        "finish_reason": _finish_reason(choice.get("finish_reason") or "stop", bool(calls)),
    }
    if choice.get("logprobs") is not None:
        normalized["logprobs"] = choice["logprobs"]
    return normalized


class ChunkNormalizer:
    """Brings one stream's chunks into shape; keeps what has to be the same, or said once, across chunks."""

    def __init__(self, *, fallback_id: str, created: int, model: str, include_usage: bool):
        self._id = fallback_id
        self._created = created
        self._model = model
        self._include_usage = include_usage
        self._named = False
        self._spoken: set[int] = set()  # choices whose role has been said
        self._calls: dict[int, list[str]] = {}  # ids of the tool calls of each choice that holds any
        self._finished: set[int] = set()
        self.usage: dict[str, Any] | None = None
        """The usage that the provider reported last, if any."""

    @property
    def finished(self) -> bool:
        """Whether an answer was brought to its end.

        One choice is enough: litellm loses the finish reason of Gemini's further candidates in streams.
        """
        return bool(self._finished)

    def normalize(self, chunk: Chunk) -> Chunk | None:
        """Return the chunk for the client, or None when it holds nothing for it."""
        if not self._named:  # the id stays the same from the first chunk on; litellm makes new ones up
            self._named = True
            self._id = chunk.get("id") or self._id
            self._model = chunk.get("model") or self._model
        choices = [
            normalized
            for choice in chunk.get("choices") or ()
            if (normalized := self._normalize_choice(choice)) is not None
        ]
        usage = chunk.get("usage")
        if usage:
            self.usage = usage = _normalize_usage(usage)
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
        index = choice.get("index", 0)
        if index in self._finished:
            return None
        delta = {
            name: value
            for name, value in (choice.get("delta") or {}).items()
            if name in _MESSAGE_FIELDS and name != "role"
        }
        calls = delta.get("tool_calls")
        if calls:
            ids = self._calls.setdefault(index, [])
            delta["tool_calls"] = [{**_known_call(call), "index": _call_index(call, ids)} for call in calls]
        if index not in self._spoken:
            self._spoken.add(index)
            delta = {"role": "assistant", **delta}
        normalized: dict[str, Any] = {"index": index, "delta": delta, "finish_reason": None}
        reason = choice.get("finish_reason")
        if reason:
            self._finished.add(index)
            normalized["finish_reason"] = _finish_reason(reason, index in self._calls)
        if choice.get("logprobs") is not None:
            normalized["logprobs"] = choice["logprobs"]
        return normalized


def _known_call(call: dict[str, Any]) -> dict[str, Any]:
    return {name: call[name] for name in ("id", "type", "function") if call.get(name) is not None}


def _call_index(call: dict[str, Any], ids: list[str]) -> int:
    """Return the index that the provider gave, or else one for each new id; *ids*, those so far, is appended to.

    A fragment with neither belongs to the call before it.
    """
    index: int | None = call.get("index")
    if index is not None:
        return index
    call_id = call.get("id") or (ids[-1] if ids else "")
    if call_id not in ids:
        ids.append(call_id)
    return ids.index(call_id)


def _finish_reason(reason: str, called: bool) -> str:
    """Return ``tool_calls`` for a finished answer that holds calls: Gemini says STOP to them as well."""
    return "tool_calls" if called and reason in ("stop", "function_call") else reason


def _normalize_usage(usage: dict[str, Any]) -> dict[str, Any]:
    """Return OpenAI's own usage fields only."""
    names = (
        "prompt_tokens",
        "completion_tokens",
        "total_tokens",
        "prompt_tokens_details",
        "completion_tokens_details",
    )
    return {name: usage[name] for name in names if usage.get(name) is not None}
