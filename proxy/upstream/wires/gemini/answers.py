"""Reads a whole ``generateContent`` answer as a ``chat.completion``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proxy.upstream.wires.gemini.reading import ResponseReader


def read_answer(body: Any, *, model: str, relays: bool = False) -> dict[str, Any]:
    """Return the answer in *body*, the parsed JSON of a 200. *model* is used when Gemini does not name its model.

    *relays* is as in :class:`~proxy.upstream.wires.gemini.reading.ResponseReader`.

    :mod:`proxy.answers.normalize`, which has the clock, adds ``created`` and a missing ``id``. Raises
    :class:`proxy.core.errors.UpstreamFault` for a 200 that is no answer, for an empty answer and for one that broke
    off.
    """
    reader = ResponseReader(model, relays=relays)
    deltas = {one.choice: one for one in reader.read(body)}
    choices: list[dict[str, Any]] = []
    ends = reader.final_deltas()
    for index, reason in reader.finish().items():
        one = deltas.get(index)
        message = {**_message(one.delta if one else {}), **ends.get(index, {})}
        choice = {"index": index, "message": message, "finish_reason": reason}
        if one and one.logprobs:
            choice["logprobs"] = one.logprobs
        choices.append(choice)
    answer: dict[str, Any] = {"object": "chat.completion", "model": reader.model, "choices": choices}
    if reader.id is not None:
        answer = {"id": reader.id, **answer}
    usage = reader.usage()
    if usage is not None:
        answer["usage"] = usage
    if reader.tier is not None:
        answer["service_tier"] = reader.tier
    return answer


def _message(delta: Mapping[str, Any]) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": delta.get("content")}
    if "reasoning_content" in delta:
        message["reasoning_content"] = delta["reasoning_content"]
    if "tool_calls" in delta:
        message["tool_calls"] = [
            {name: value for name, value in call.items() if name != "index"} for call in delta["tool_calls"]
        ]
    return message
