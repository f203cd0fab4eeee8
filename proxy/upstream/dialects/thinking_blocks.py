"""Whether a history holds the thinking that a model must be given back to go on thinking. Pure."""

from __future__ import annotations

from typing import Any

from sanitizers import Message, Messages

_TYPES = frozenset({"redacted_thinking", "thinking"})


def lacks_thinking_blocks(messages: Messages) -> bool:
    """Tell whether the turn that *messages* leave open was begun without thinking.

    "When `thinking` is enabled, a final `assistant` message must start with a thinking block (preceeding the lastmost
    set of `tool_use` and `tool_result` blocks)" (openai-agents#1704, opencode#3077, haystack#2146): a round of tools
    belongs to one turn of the model's, so that it cannot begin to think in the middle of it. A turn that a user message
    has closed is not looked at.
    """
    for message in reversed(messages):
        if message["role"] == "user":
            return False
        if message["role"] == "assistant" and not _begins_with_thinking(message):
            return True
    return False


def _begins_with_thinking(message: Message) -> bool:
    """Tell whether thinking is the first thing in *message*: as a part, or where litellm has it."""
    blocks = message.get("thinking_blocks")
    if isinstance(blocks, list) and any(_is_thinking(block) for block in blocks):
        return True
    content = message.get("content")
    return isinstance(content, list) and bool(content) and _is_thinking(content[0])


def _is_thinking(part: Any) -> bool:
    return isinstance(part, dict) and part.get("type") in _TYPES
