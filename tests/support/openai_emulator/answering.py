"""What the emulated model says: pure functions from a request to an answer, a completion and chunks.

The answer depends on the request and a sequence number only. A request whose newest message is a user
message that mentions declared tools gets one parallel call for each of them; any other gets a text.
Chunks follow the live API: the role first, a call's id and name before its argument fragments, the finish
reason in a chunk of its own, and the usage, when it was asked for, in a last chunk with no choices.
"""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

CREATED = 1_760_000_000
FRAGMENT = 8  # characters of text or of arguments in one chunk


@dataclass(frozen=True, slots=True)
class Answer:
    """One assistant turn."""

    text: str | None
    calls: list[dict[str, Any]] = field(default_factory=list)

    @property
    def finish_reason(self) -> str:
        """Return why the model stopped."""
        return "tool_calls" if self.calls else "stop"


def answer_to(body: dict[str, Any], sequence: int) -> Answer:
    """Choose the answer to an accepted request."""
    newest = body["messages"][-1]
    tools = _wanted_tools(body, newest)
    if tools:
        return calling([(tool["name"], _arguments(tool)) for tool in tools], sequence)
    if newest["role"] in ("tool", "function"):
        return Answer("I have read the tool results.")
    return Answer(f"You wrote {len(text_of(newest))} characters. This is answer number {sequence}.")


def calling(calls: Iterable[tuple[str, dict[str, Any]]], sequence: int) -> Answer:
    """Return the answer that makes these calls, names and arguments, at once."""
    return Answer(
        None,
        [
            _call(name, arguments, f"call_{sequence:06d}_{index}")
            for index, (name, arguments) in enumerate(calls)
        ],
    )


def completion(body: dict[str, Any], answer: Answer, sequence: int) -> dict[str, Any]:
    """Build the answer to a request that does not stream."""
    message: dict[str, Any] = {"role": "assistant", "content": answer.text, "refusal": None}
    if answer.calls:
        message["tool_calls"] = answer.calls
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": answer.finish_reason}
    head = _head(body, sequence, "chat.completion")
    return {**head, "choices": [choice], "usage": usage(body, answer)}


def chunks(body: dict[str, Any], answer: Answer, sequence: int) -> Iterator[dict[str, Any]]:
    """Build the events of a stream, without the closing `[DONE]`."""
    head = _head(body, sequence, "chat.completion.chunk")
    with_usage = bool((body.get("stream_options") or {}).get("include_usage"))
    if with_usage:
        head["usage"] = None
    for delta in _deltas(answer):
        yield {**head, "choices": [_choice(delta, None)]}
    yield {**head, "choices": [_choice({}, answer.finish_reason)]}
    if with_usage:
        yield {**head, "choices": [], "usage": usage(body, answer)}


def usage(body: dict[str, Any], answer: Answer) -> dict[str, Any]:
    """Count four characters as a token: plausible, and the same on every run."""
    prompt = 3 + len(json.dumps(body["messages"], ensure_ascii=False)) // 4
    reply = 1 + len(json.dumps([answer.text, answer.calls], ensure_ascii=False)) // 4
    return {
        "prompt_tokens": prompt,
        "completion_tokens": reply,
        "total_tokens": prompt + reply,
        "prompt_tokens_details": {"cached_tokens": 0},
    }


def text_of(message: dict[str, Any]) -> str:
    """Join the texts of a message."""
    content = message.get("content") or ""
    if isinstance(content, str):
        return content
    return " ".join(part["text"] for part in content if part["type"] == "text")


def _wanted_tools(body: dict[str, Any], newest: dict[str, Any]) -> list[dict[str, Any]]:
    choice = body.get("tool_choice")
    functions = [tool["function"] for tool in body.get("tools") or () if tool.get("type") == "function"]
    if choice == "none":
        return []
    if isinstance(choice, dict):
        forced = choice.get("function", {}).get("name")
        return [function for function in functions if function["name"] == forced]
    if newest["role"] != "user":
        return []
    words = set(re.findall(r"[A-Za-z0-9_-]+", text_of(newest)))
    named = [function for function in functions if function["name"] in words]
    return named[:1] if body.get("parallel_tool_calls") is False else named


def _arguments(function: dict[str, Any]) -> dict[str, Any]:
    schema = function.get("parameters") or {}
    properties = schema.get("properties") or {}
    samples: dict[Any, Any] = {"integer": 1, "number": 1.5, "boolean": True, "array": [], "object": {}}
    return {
        name: samples.get((properties.get(name) or {}).get("type"), f"some {name}")
        for name in schema.get("required") or properties
    }


def _call(name: str, arguments: dict[str, Any], call_id: str) -> dict[str, Any]:
    called = {"name": name, "arguments": json.dumps(arguments, ensure_ascii=False)}
    return {"id": call_id, "type": "function", "function": called}


def _deltas(answer: Answer) -> Iterator[dict[str, Any]]:
    yield {"role": "assistant", "content": None if answer.calls else "", "refusal": None}
    for fragment in _fragments(answer.text or ""):
        yield {"content": fragment}
    for index, entry in enumerate(answer.calls):
        function = {"name": entry["function"]["name"], "arguments": ""}
        yield {"tool_calls": [{"index": index, **entry, "function": function}]}
        for fragment in _fragments(entry["function"]["arguments"]):
            yield {"tool_calls": [{"index": index, "function": {"arguments": fragment}}]}


def _fragments(value: str) -> Iterator[str]:
    for start in range(0, len(value), FRAGMENT):
        yield value[start : start + FRAGMENT]


def _choice(delta: dict[str, Any], finish_reason: str | None) -> dict[str, Any]:
    return {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish_reason}


def _head(body: dict[str, Any], sequence: int, kind: str) -> dict[str, Any]:
    return {
        "id": f"chatcmpl-{sequence:06d}",
        "object": kind,
        "created": CREATED + sequence,
        "model": body["model"],
        "system_fingerprint": "fp_emulated",
    }
