"""Builds an answer in OpenAI's format, as a completion or as chunks, from a request and the answer's content.

Chunks follow the live API: the role comes first, and a call's id and name before its argument fragments. The finish
reason comes in a separate chunk. The usage, if requested, is in a last chunk without choices. Reasoning comes before
the text, as `reasoning_content`.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from tests.support.emulated.answering import Prompt, Said, fragments, token_counts

CREATED = 1_760_000_000

CallId = Callable[[int, int], str]
"""Makes a call's id from the number of the answer and the call's index in the answer."""


def prompt_in(body: dict[str, Any], *, thinks: bool = False) -> Prompt:
    """Return the parts of a request in OpenAI's shape that decide its answer."""
    newest = body["messages"][-1]
    choice = body.get("tool_choice")
    functions = [tool["function"] for tool in body.get("tools") or () if tool.get("type") == "function"]
    return Prompt(
        newest=text_of(newest),
        after_result=newest["role"] in ("tool", "function"),
        from_user=newest["role"] == "user",
        tools=tuple((function["name"], function.get("parameters") or {}) for function in functions),
        may_call=choice != "none",
        parallel=body.get("parallel_tool_calls") is not False,
        forced=choice.get("function", {}).get("name") if isinstance(choice, dict) else None,
        thinks=thinks,
    )


def completion(body: dict[str, Any], said: Said, sequence: int, call_id: CallId) -> dict[str, Any]:
    """Return the answer to a request that does not stream."""
    message: dict[str, Any] = {"role": "assistant", "content": said.text, "refusal": None}
    if said.reasoning is not None:
        message["reasoning_content"] = said.reasoning
    if said.calls:
        message["tool_calls"] = _calls(said, sequence, call_id)
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": _finish_reason(said)}
    head = _head(body, sequence, "chat.completion")
    return {**head, "choices": [choice], "usage": usage(body, said)}


def chunks(
    body: dict[str, Any], said: Said, sequence: int, call_id: CallId, *, unasked_usage: bool = False
) -> Iterator[dict[str, Any]]:
    """Yield the chunks of a stream, without the closing `[DONE]`.

    With *unasked_usage*, the chunk that finishes the choice has the usage beside it, as Mistral sends it.
    """
    head = _head(body, sequence, "chat.completion.chunk")
    with_usage = bool((body.get("stream_options") or {}).get("include_usage"))
    if with_usage:
        head["usage"] = None
    for delta in _deltas(said, sequence, call_id):
        yield {**head, "choices": [_choice(delta, None)]}
    last = {**head, "choices": [_choice({}, _finish_reason(said))]}
    yield last | {"usage": usage(body, said)} if unasked_usage else last
    if with_usage:
        yield {**head, "choices": [], "usage": usage(body, said)}


def usage(body: dict[str, Any], said: Said) -> dict[str, Any]:
    """Return the usage of an answer."""
    prompt, reply = token_counts(body["messages"], said)
    return {
        "prompt_tokens": prompt,
        "completion_tokens": reply,
        "total_tokens": prompt + reply,
        "prompt_tokens_details": {"cached_tokens": 0},
    }


def calls_in(said: Said, ids: Iterable[str]) -> list[dict[str, Any]]:
    """Return the calls of an answer as `tool_calls`, with the call ids *ids*."""
    return [
        {
            "id": call_id,
            "type": "function",
            "function": {"name": name, "arguments": json.dumps(arguments, ensure_ascii=False)},
        }
        for call_id, (name, arguments) in zip(ids, said.calls, strict=True)
    ]


def text_of(message: dict[str, Any]) -> str:
    """Return the texts of a message, joined by spaces."""
    content = message.get("content") or ""
    if isinstance(content, str):
        return content
    return " ".join(part["text"] for part in content if part["type"] == "text")


def _finish_reason(said: Said) -> str:
    return "tool_calls" if said.calls else "stop"


def _calls(said: Said, sequence: int, call_id: CallId) -> list[dict[str, Any]]:
    return calls_in(said, [call_id(sequence, index) for index in range(len(said.calls))])


def _deltas(said: Said, sequence: int, call_id: CallId) -> Iterator[dict[str, Any]]:
    yield {"role": "assistant", "content": None if said.calls else "", "refusal": None}
    for fragment in fragments(said.reasoning or ""):
        yield {"reasoning_content": fragment}
    for fragment in fragments(said.text or ""):
        yield {"content": fragment}
    for index, entry in enumerate(_calls(said, sequence, call_id)):
        function = {"name": entry["function"]["name"], "arguments": ""}
        yield {"tool_calls": [{"index": index, **entry, "function": function}]}
        for fragment in fragments(entry["function"]["arguments"]):
            yield {"tool_calls": [{"index": index, "function": {"arguments": fragment}}]}


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
