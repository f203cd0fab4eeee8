"""The calls of gemini-cli that the tests let the models make. It refuses commands with a substitution."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

SHELL = "run_shell_command"
WRITE = {"command": "printf 'real-%d\\n' 0x2a > note.txt; cat note.txt", "description": "Write"}
APPEND = {"command": "printf 'more-%d\\n' 0x35 >> note.txt; cat note.txt", "description": "Append"}
AGAIN = {"command": "printf 'last-%d\\n' 0x40 >> note.txt; cat note.txt", "description": "Again"}
SLOW = {"command": "sleep 1; printf 'first-%d\\n' 0x2", "description": "Slow"}
FAST = {"command": "printf 'third-%d\\n' 0x6", "description": "Fast"}
PROMPT = "Please work with the note."
THOUGHT = {"type": "thinking", "thinking": "Let me see."}
TEXT = {"type": "text", "text": "Let me write."}


def call(name: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return a call of one of gemini-cli's tools as a block."""
    return {"type": "tool_use", "name": name, "input": dict(given)}


def results_by_call(body: Mapping[str, Any]) -> list[Any]:
    """Return the results in a request to a provider, in the order of their calls."""
    if "contents" in body:
        parts = [part for turn in body["contents"] for part in turn["parts"]]
        return [part["functionResponse"] for part in parts if "functionResponse" in part]
    if any("tool_calls" in message for message in body["messages"]):
        calls = [made for message in body["messages"] for made in message.get("tool_calls", ())]
        results = {m["tool_call_id"]: m for m in body["messages"] if m["role"] == "tool"}
        return [results[made["id"]] for made in calls]
    blocks = [
        block for message in body["messages"] for block in message["content"] if isinstance(block, dict)
    ]
    answers = {block["tool_use_id"]: block for block in blocks if block["type"] == "tool_result"}
    return [answers[block["id"]] for block in blocks if block["type"] == "tool_use"]
