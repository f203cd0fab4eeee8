"""Builds response objects and event streams as a provider of the Responses API sends them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

THOUGHT = {"id": "rs_1", "type": "reasoning", "summary": [], "encrypted_content": "gAAAAthought"}
CALL = {
    "id": "fc_1",
    "type": "function_call",
    "status": "completed",
    "arguments": '{"x":1}',
    "call_id": "call_abc",
    "name": "f",
}
SEARCH = {
    "id": "ws_1",
    "type": "web_search_call",
    "status": "completed",
    "action": {"type": "search", "query": "q"},
}
MESSAGE = {
    "id": "msg_1",
    "type": "message",
    "status": "completed",
    "role": "assistant",
    "phase": "commentary",
    "content": [{"type": "output_text", "text": "Well. ✓", "annotations": [], "logprobs": []}],
}
FUNCTION = {"type": "function", "name": "f", "parameters": {"type": "object", "properties": {}}}
TOOLS: list[dict[str, Any]] = [
    FUNCTION,
    {"type": "web_search"},
    {"type": "custom", "name": "ex", "format": {"type": "text"}},
]


CUSTOM = {
    "id": "ctc_1",
    "type": "custom_tool_call",
    "status": "completed",
    "call_id": "call_c",
    "name": "ex",
    "input": 'text("hi")',
}
ITEMS: list[dict[str, Any]] = [THOUGHT, SEARCH, MESSAGE, CALL]


def response(output: Sequence[Any], status: str = "completed", **fields: Any) -> dict[str, Any]:
    """Return a response object of the provider's."""
    usage = {
        "input_tokens": 10,
        "input_tokens_details": {"cached_tokens": 4},
        "output_tokens": 5,
        "output_tokens_details": {"reasoning_tokens": 2},
        "total_tokens": 15,
    }
    return {
        "id": "resp_theirs",
        "object": "response",
        "created_at": 1_760_000_001,
        "status": status,
        "background": False,
        "completed_at": 1_760_000_002 if status == "completed" else None,
        "error": None,
        "frequency_penalty": 0.0,
        "incomplete_details": None,
        "instructions": None,
        "max_output_tokens": None,
        "max_tool_calls": None,
        "metadata": {},
        "model": "grok-4",
        "output": list(output),
        "parallel_tool_calls": True,
        "presence_penalty": 0.0,
        "previous_response_id": None,
        "prompt_cache_key": None,
        "reasoning": {"effort": "high", "summary": None},
        "safety_identifier": None,
        "service_tier": "default",
        "store": False,
        "temperature": 1.0,
        "text": {"format": {"type": "text"}, "verbosity": "medium"},
        "tool_choice": "auto",
        "tools": [],
        "top_logprobs": 0,
        "top_p": 1.0,
        "truncation": "disabled",
        "usage": usage if status == "completed" else None,
        "user": None,
        "moderation": {"kind": "theirs"},
        **fields,
    }


def stream_of(items: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the provider's events for an answer of *items*."""
    events: list[dict[str, Any]] = []

    def add(kind: str, **fields: Any) -> None:
        events.append({"type": f"response.{kind}", "sequence_number": len(events), **fields})

    add("created", response=response([], "in_progress"))
    add("in_progress", response=response([], "in_progress"))
    for index, item in enumerate(items):
        at = {"output_index": index, "item_id": item["id"]}
        draft = {**item, "status": "in_progress"} if "status" in item else item
        if item["type"] == "function_call":
            add("output_item.added", output_index=index, item={**draft, "arguments": ""})
            for text in (item["arguments"][:3], item["arguments"][3:]):
                add("function_call_arguments.delta", **at, delta=text, obfuscation="xy")
            add("function_call_arguments.done", **at, name=item["name"], arguments=item["arguments"])
        elif item["type"] == "custom_tool_call":
            add("output_item.added", output_index=index, item={**draft, "input": ""})
            for text in (item["input"][:2], item["input"][2:]):
                add("custom_tool_call_input.delta", **at, delta=text)
            add("custom_tool_call_input.done", **at, input=item["input"])
        elif item["type"] == "message":
            [part] = item["content"]
            place = {**at, "content_index": 0}
            add("output_item.added", output_index=index, item={**draft, "content": []})
            add("content_part.added", **place, part={**part, "text": ""})
            for text in (part["text"][:2], part["text"][2:]):
                add("output_text.delta", **place, delta=text, logprobs=[], obfuscation="z")
            add("output_text.done", **place, text=part["text"], logprobs=[])
            add("content_part.done", **place, part=part)
        else:
            add("output_item.added", output_index=index, item=draft)
            if item["type"] == "web_search_call":
                add("web_search_call.searching", **at)
        add("output_item.done", output_index=index, item=item)
    add("completed", response=response(items))
    return events


def write_stream(events: list[dict[str, Any]]) -> bytes:
    """Return *events* as the provider sends them."""
    return b"".join(
        b"event: %s\ndata: %s\n\n" % (event["type"].encode(), json.dumps(event).encode()) for event in events
    )
