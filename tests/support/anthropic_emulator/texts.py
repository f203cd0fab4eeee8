"""Checks that texts are not blank, that the user comes first, and that the model accepts the last message.

Sources. Non-empty: claude-code#59812, litellm#2549. Non-whitespace, trailing whitespace, first message: from memory,
as crewAI#4430 and livekit#669 paraphrase them. Prefill: pipecat's Anthropic adapter. A result that tells of an error:
from memory; Bedrock words it alike (sample-multi-agent-orchestration-chat-on-agentcore#15).
"""

from collections.abc import Iterator
from typing import Any

from tests.support.anthropic_emulator.models import Claude
from tests.support.anthropic_emulator.pairing import blocks_of

EMPTY_MESSAGE = (
    "messages: all messages must have non-empty content except for the optional final assistant message"
)
EMPTY_TEXT = "{where}: text content blocks must be non-empty"
BLANK_TEXT = "{where}: text content blocks must contain non-whitespace text"
FIRST = 'messages: first message must use the "user" role'
TRAILING_SPACE = "messages: final assistant content cannot end with trailing whitespace"
PREFILL = (
    "This model does not support assistant message prefill. The conversation must end with a user message."
)
EMPTY_ERROR = "{path}: `tool_result` content cannot be empty if `is_error` is true"


def text_faults(body: dict[str, Any], model: Claude) -> Iterator[str]:
    """Yield the error text of each fault in the texts, the first message and the last message."""
    messages = body["messages"]
    system = body.get("system")
    for block in system if isinstance(system, list) else ():
        yield from _blank("system", block["text"])
    if messages[0]["role"] == "assistant":
        yield FIRST
    last = len(messages) - 1
    for index, message in enumerate(messages):
        if not message["content"]:
            if index != last or message["role"] != "assistant":
                yield EMPTY_MESSAGE
            continue
        yield from _block_faults(index, blocks_of(message))
    yield from _last_faults(messages[last], model)


def _block_faults(index: int, blocks: list[dict[str, Any]]) -> Iterator[str]:
    for place, block in enumerate(blocks):
        if block["type"] == "text":
            yield from _blank("messages", block["text"])
        elif block["type"] == "tool_result":
            content = block.get("content")
            if not content and block.get("is_error"):
                yield EMPTY_ERROR.format(path=f"messages.{index}.content.{place}")
            for inner in content if isinstance(content, list) else ():
                if inner["type"] == "text":
                    yield from _blank("messages", inner["text"])


def _blank(where: str, text: str) -> Iterator[str]:
    if not text:
        yield EMPTY_TEXT.format(where=where)
    elif not text.strip():
        yield BLANK_TEXT.format(where=where)


def _last_faults(message: dict[str, Any], model: Claude) -> Iterator[str]:
    if message["role"] != "assistant":
        return
    if not model.takes_prefill:
        yield PREFILL
    blocks = blocks_of(message)
    if blocks and blocks[-1]["type"] == "text" and blocks[-1]["text"] != blocks[-1]["text"].rstrip():
        yield TRAILING_SPACE
