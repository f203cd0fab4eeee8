"""Finds out whether a history has the thinking blocks that extended thinking needs."""

from __future__ import annotations

from typing import Any

from sanitizers import Message, Messages

_TYPES = frozenset({"redacted_thinking", "thinking"})


def lacks_thinking_blocks(messages: Messages) -> bool:
    """Return True where an assistant message behind the last user message begins without a thinking block.

    "When `thinking` is enabled, a final `assistant` message must start with a thinking block (preceeding the lastmost
    set of `tool_use` and `tool_result` blocks)" (openai-agents#1704, opencode#3077, haystack#2146). A round of tools
    belongs to one turn of the model, so thinking cannot begin within it. Turns before the last user message are not
    checked.
    """
    for message in reversed(messages):
        if message["role"] == "user":
            return False
        if message["role"] == "assistant" and not _begins_with_thinking(message):
            return True
    return False


def _begins_with_thinking(message: Message) -> bool:
    """Tell whether *message* begins with thinking, as a content part or in litellm's ``thinking_blocks``."""
    blocks = message.get("thinking_blocks")
    if isinstance(blocks, list) and any(_is_thinking(block) for block in blocks):
        return True
    content = message.get("content")
    return isinstance(content, list) and bool(content) and _is_thinking(content[0])


def _is_thinking(part: Any) -> bool:
    return isinstance(part, dict) and part.get("type") in _TYPES
