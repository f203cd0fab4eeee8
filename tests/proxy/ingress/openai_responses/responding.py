"""Builds the facts of a Responses request for the tests of its answers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from proxy.core.upstream_call import Chunk
from proxy.ingress.openai_responses.answer import ResponsesAnswers
from proxy.ingress.openai_responses.echo import ResponseHead, make_echo
from sanitizers.native.responses.tools import read_tools

TOOLS: list[dict[str, Any]] = [
    {"type": "function", "name": "f", "parameters": {"type": "object"}},
    {"type": "custom", "name": "ex"},
    {"type": "namespace", "name": "ns", "description": "", "tools": [{"type": "function", "name": "g"}]},
    {"type": "local_shell"},
    {"type": "shell"},
    {"type": "apply_patch"},
]
RESPONSE_ID = "resp_0123456789abcdef"


def answers(*, tools: Iterable[dict[str, Any]] = TOOLS, **facts: Any) -> ResponsesAnswers:
    """Return the format of one answer. The client asked for `m`."""
    declared = list(tools)
    echo = make_echo({"model": "m", "tools": declared})
    return ResponsesAnswers(ResponseHead(RESPONSE_ID, 1_760_000_000, echo), read_tools(declared, ()), **facts)


def chunk(delta: dict[str, Any] | None = None, finish: str | None = None, **choice: Any) -> Chunk:
    """Return a strict chunk with one choice. Keyword arguments become fields of the choice."""
    return {
        "id": "chatcmpl-a",
        "object": "chat.completion.chunk",
        "created": 1_760_000_000,
        "model": "gemini-x",
        "choices": [{"index": 0, "delta": delta or {}, "finish_reason": finish, **choice}],
    }


def usage_chunk(prompt: int = 3, completion: int = 4, **details: Any) -> Chunk:
    """Return the last chunk of a stream, which has the usage."""
    usage = {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}
    return {**chunk(), "choices": [], "usage": {**usage, **details}}


def piece(
    index: int, arguments: str = "", name: str | None = None, signature: str | None = None
) -> dict[str, Any]:
    """Return the delta with a piece of a call. A piece with a *name* is the call's first one."""
    head = {} if name is None else {"id": f"call_{index}", "type": "function"}
    function = {"arguments": arguments} if name is None else {"name": name, "arguments": arguments}
    signed = {} if signature is None else {"extra_content": {"google": {"thought_signature": signature}}}
    return {"tool_calls": [{"index": index, **head, "function": function, **signed}]}


def whole(message: dict[str, Any], finish: str = "stop", **fields: Any) -> dict[str, Any]:
    """Return a whole canonical answer."""
    return {
        "id": "chatcmpl-a",
        "object": "chat.completion",
        "created": 1_760_000_000,
        "model": "gemini-x",
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": None, **message},
                "finish_reason": finish,
            }
        ],
        **fields,
    }


def call(index: int, name: str, arguments: str, signature: str | None = None) -> dict[str, Any]:
    """Return a whole call."""
    made: dict[str, Any] = piece(index, arguments, name, signature)["tool_calls"][0]
    return made
