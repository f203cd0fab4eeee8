"""Joins a stream's chunks into one whole answer, for deployments that the proxy only asks for streams."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from proxy.core.source import SOURCE
from proxy.core.upstream_call import Answer, Chunk

_JOINED = frozenset({"content", "reasoning_content", "reasoning", "refusal"})
"""Texts of a delta that continue those of earlier deltas."""

_OF_CHOICES = frozenset({"choices", "object", SOURCE})


def chunks_as_whole(chunks: Iterable[Chunk]) -> Answer:
    """Return the answer that *chunks* stream, in the form of an answer that is not streamed.

    Texts and the arguments of calls are joined. Lists grow, objects are merged, and of any other field the last value
    counts. A choice without a finish reason has none in the answer either.
    """
    answer: dict[str, Any] = {}
    choices: dict[int, _Choice] = {}
    for chunk in chunks:
        answer.update(
            {name: value for name, value in chunk.items() if name not in _OF_CHOICES and value is not None}
        )
        for at, part in enumerate(chunk.get("choices") or ()):
            index = part.get("index")
            choices.setdefault(index if isinstance(index, int) else at, _Choice()).add(part)
    whole = [choices[index].as_choice(index) for index in sorted(choices)]
    return {**answer, "object": "chat.completion", "choices": whole}


class _Choice:
    def __init__(self) -> None:
        self._message: dict[str, Any] = {"role": "assistant", "content": None}
        self._calls: dict[int, dict[str, Any]] = {}
        self._finish_reason: str | None = None
        self._logprobs: dict[str, Any] = {}

    def add(self, part: dict[str, Any]) -> None:
        self._finish_reason = part.get("finish_reason") or self._finish_reason
        _join(self._logprobs, part.get("logprobs") or {})
        delta = dict(part.get("delta") or {})
        for at, piece in enumerate(delta.pop("tool_calls", None) or ()):
            index = piece.get("index")
            self._add_call(index if isinstance(index, int) else at, piece)
        _join(self._message, delta)

    def _add_call(self, index: int, piece: dict[str, Any]) -> None:
        call = self._calls.setdefault(index, {"function": {"name": "", "arguments": ""}})
        said = piece.get("function") or {}
        function = call["function"]
        name, arguments = said.get("name"), said.get("arguments")
        if isinstance(name, str) and name != function["name"]:  # some servers repeat the whole name
            function["name"] += name
        if isinstance(arguments, str) and isinstance(function["arguments"], str):
            function["arguments"] += arguments
        elif arguments is not None:
            function["arguments"] = arguments
        known = ("index", "function")
        call.update({field: value for field, value in piece.items() if field not in known and value})

    def as_choice(self, index: int) -> dict[str, Any]:
        message = self._message
        if self._calls:
            message["tool_calls"] = [self._calls[at] for at in sorted(self._calls)]
        choice = {"index": index, "message": message, "finish_reason": self._finish_reason}
        return {**choice, "logprobs": self._logprobs} if self._logprobs else choice


def _join(whole: dict[str, Any], part: dict[str, Any]) -> None:
    """Add the fields of *part* to those of *whole*."""
    for name, value in part.items():
        if value is None:
            continue
        before = whole.get(name)
        if name in _JOINED and isinstance(value, str) and isinstance(before, str):
            whole[name] = before + value
        elif isinstance(value, list) and isinstance(before, list):
            whole[name] = [*before, *value]
        elif isinstance(value, dict) and isinstance(before, dict):
            whole[name] = {**before, **value}
        else:
            whole[name] = value
