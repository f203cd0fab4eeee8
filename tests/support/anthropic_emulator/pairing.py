"""Checks calls and results: the very next message must begin with one result for each call.

Sources. Unanswered: claude-code#8612, OpenHands#7512; that results come first,
docs.anthropic.com/en/docs/agents-and-tools/tool-use/implement-tool-use ("Any text must come AFTER all tool results").
Orphan: claude-code#18947, #13460. Two results: OpenHands' patterns. Repeated ids: opencode#1279, claude-code#28515,
here over the whole history. The wrong role: from memory.
"""

from collections.abc import Iterator
from typing import Any

UNANSWERED = (
    "messages.{index}: `tool_use` ids were found without `tool_result` blocks immediately after: {ids}. "
    "Each `tool_use` block must have a corresponding `tool_result` block in the next message."
)
ORPHAN = (
    "{path}: unexpected `tool_use_id` found in `tool_result` blocks: {id}. "
    "Each `tool_result` block must have a corresponding `tool_use` block in the previous message."
)
TWICE = "{path}: each tool_use must have a single result. Found multiple `tool_result` blocks with id: {id}"
REPEATED = "{path}: `tool_use` ids must be unique"
WRONG_ROLE = "{path}: `{kind}` blocks can only be in `{role}` messages"


def pairing_faults(messages: list[dict[str, Any]]) -> Iterator[str]:
    """Yield the error text of each fault between calls and results. Neighbouring messages of one role count as one."""
    called: list[str] = []
    called_at = 0
    seen: set[str] = set()
    for index, message in _turns(messages):
        yield from _role_faults(index, message)
        if message["role"] == "user":
            yield from _answer_faults(index, message["content"], called, called_at)
            called = []
            continue
        called, called_at = [], index
        for place, block in enumerate(message["content"]):
            if block["type"] == "tool_use":
                if block["id"] in seen:
                    yield REPEATED.format(path=f"messages.{index}.content.{place}")
                seen.add(block["id"])
                called.append(block["id"])
    if called:
        yield UNANSWERED.format(index=called_at, ids=", ".join(called))


def blocks_of(message: dict[str, Any]) -> list[dict[str, Any]]:
    """Return a message's content as blocks. A string becomes one text block."""
    content = message["content"]
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def _turns(messages: list[dict[str, Any]]) -> Iterator[tuple[int, dict[str, Any]]]:
    """Merge neighbouring messages of one role, as the API does (source: the versioning page of Anthropic's API).

    Messages of the role `system` are left out.
    """
    start, role = 0, ""
    merged: list[dict[str, Any]] = []
    for index, message in enumerate(messages):
        if message["role"] == "system":
            continue
        if message["role"] != role:
            if role:
                yield start, {"role": role, "content": merged}
            start, role, merged = index, message["role"], []
        merged += blocks_of(message)
    if role:
        yield start, {"role": role, "content": merged}


def _answer_faults(
    index: int, blocks: list[dict[str, Any]], called: list[str], called_at: int
) -> Iterator[str]:
    leading = 0
    while leading < len(blocks) and blocks[leading]["type"] == "tool_result":
        leading += 1
    answered = [block["tool_use_id"] for block in blocks[:leading]]
    missing = [call_id for call_id in called if call_id not in answered]
    if missing:
        yield UNANSWERED.format(index=called_at, ids=", ".join(missing))
    seen: set[str] = set()
    for place, block in enumerate(blocks):
        if block["type"] != "tool_result":
            continue
        path, call_id = f"messages.{index}.content.{place}", block["tool_use_id"]
        if call_id not in called:
            yield ORPHAN.format(path=path, id=call_id)
        elif call_id in seen:
            yield TWICE.format(path=path, id=call_id)
        seen.add(call_id)


def _role_faults(index: int, message: dict[str, Any]) -> Iterator[str]:
    places = {"tool_use": "assistant", "tool_result": "user", "image": "user", "search_result": "user"}
    thoughts = {"thinking": "assistant", "redacted_thinking": "assistant"}
    for place, block in enumerate(message["content"]):
        role = (places | thoughts).get(block["type"], message["role"])
        if role != message["role"]:
            yield WRONG_ROLE.format(path=f"messages.{index}.content.{place}", kind=block["type"], role=role)
