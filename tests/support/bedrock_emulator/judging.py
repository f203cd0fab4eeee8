"""Judges a Converse request by Bedrock's rules, with Bedrock's own error texts.

Sources. Alternation: langchain-aws#130, cline#431; the beginning, the counts of results and blank texts: from memory,
as langchain-aws#192 and harness-sdk#1435 have them. Text beside calls and results, for models that are neither Claude's
nor Nova's: quarkus-langchain4j#1983, langchain-aws#141, harness-sdk#1223. Tools that are not declared: ironclaw#1629,
pentagi#196. An empty result that tells of an error: sample-multi-agent-orchestration-chat-on-agentcore#15. The text of
an error from the model itself begins with "The model returned the following errors" (skydiscover#15). The end of a
conversation, names, ids and thoughts: from memory.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tests.support.anthropic_emulator.signatures import is_signed
from tests.support.anthropic_emulator.texts import PREFILL, TRAILING_SPACE
from tests.support.anthropic_emulator.thinking import MISSING

ALTERNATE = (
    "A conversation must alternate between user and assistant roles. Make sure the conversation alternates "
    "between user and assistant roles and try again."
)
START = "A conversation must start with a user message. Try again with a conversation that starts with a user message."
END = "A conversation must end with a user message. Try again with a conversation that ends with a user message."
EMPTY = (
    "The content field in the Message object at messages.{index} is empty. Add a ContentBlock object to the "
    "content field and try again."
)
BLANK = (
    "The text field in the ContentBlock object at messages.{index}.content.{place} is blank. "
    "Add text to the text field, and try again."
)
BLANK_SYSTEM = (
    "The text field in the SystemContentBlock object at system.{place} is blank. "
    "Add text to the text field, and try again."
)
TOO_MANY = (
    "The number of toolResult blocks at messages.{index}.content exceeds the number of toolUse blocks of "
    "previous turn."
)
EXPECTED = "Expected toolResult blocks at messages.{index}.content for the following Ids: {ids}"
TEXT_BESIDE_CALL = (
    "messages.{index}.content: Conversation blocks and tool use blocks cannot be provided in the same turn."
)
TEXT_BESIDE_RESULT = (
    "messages.{index}.content: Conversation blocks and tool result blocks "
    "cannot be provided in the same turn."
)
NO_CONFIG = "The toolConfig field must be defined when using toolUse and toolResult content blocks."
EMPTY_ERROR = (
    "The content field at messages.{index}.content.{place}.toolResult "
    "cannot be empty when status value is error."
)
PATTERN = (
    "1 validation error detected: Value '{value}' at '{field}' failed to satisfy constraint: "
    "Member must satisfy regular expression pattern: [a-zA-Z0-9_-]+"
)
LONG = (
    "1 validation error detected: Value '{value}' at '{field}' failed to satisfy constraint: "
    "Member must have length less than or equal to 64"
)
DUPLICATE = "The tool {name} is already defined at toolConfig.tools.{index}."
NO_SIGNATURE = (
    "This model doesn't support the reasoningContent.reasoningText.signature field. "
    "Remove reasoningContent.reasoningText.signature and try again."
)
OF_THE_MODEL = "The model returned the following errors: {words}"

_NAME = re.compile(r"[a-zA-Z0-9_-]+", re.ASCII)
_CLAUDE = re.compile(r"claude-(?:opus|sonnet|haiku|[a-z]+)-(\d)(?:-(\d{1,2}))?(?!\d)")


@dataclass(frozen=True, slots=True)
class Refusal:
    """Bedrock's error for a request that it refuses."""

    message: str
    status: int = 400
    type: str = "ValidationException"

    def envelope(self) -> dict[str, Any]:
        """Return the body of the answer."""
        return {"message": self.message}

    def headers(self) -> Mapping[str, str]:
        """Return the headers of the answer, which hold the error's type."""
        return {"x-amzn-ErrorType": self.type}


def judge_bedrock(model: str, body: Any) -> Refusal | None:
    """Return the first fault that Bedrock would report for a request to *model*, or None if there is no fault."""
    if not isinstance(body, dict) or not isinstance(body.get("messages"), list):
        return Refusal("The messages field is required.", type="SerializationException")
    return next((Refusal(words) for words in _faults(model, body)), None)


def _faults(model: str, body: dict[str, Any]) -> Iterator[str]:
    messages = body["messages"]
    yield from _tool_faults(body)
    for place, block in enumerate(body.get("system") or ()):
        if "text" in block and not block["text"].strip():
            yield BLANK_SYSTEM.format(place=place)
    if not messages or messages[0]["role"] != "user":
        yield START
    for index, message in enumerate(messages):
        if index and message["role"] == messages[index - 1]["role"]:
            yield ALTERNATE
        yield from _content_faults(index, message)
        if not _mixes(model):
            yield from _mixing_faults(index, message["content"])
    yield from _pairing_faults(messages)
    yield from _end_faults(model, messages[-1])
    yield from _thought_faults(model, messages)
    thinking = (body.get("additionalModelRequestFields") or {}).get("thinking") or {}
    if "claude" in model and thinking.get("type") == "enabled":
        yield from _missing_thought_faults(messages)


def _mixes(model: str) -> bool:
    return "claude" in model or "amazon.nova" in model


def _content_faults(index: int, message: dict[str, Any]) -> Iterator[str]:
    if not message["content"]:
        yield EMPTY.format(index=index)
    for place, block in enumerate(message["content"]):
        if "text" in block and not block["text"].strip():
            yield BLANK.format(index=index, place=place)
        for key in ("toolUse", "toolResult"):
            if key in block:
                field = f"messages.{index + 1}.member.content.{place + 1}.member.{key}.toolUseId"
                yield from _pattern_faults(field, block[key]["toolUseId"])
        if "toolUse" in block:
            field = f"messages.{index + 1}.member.content.{place + 1}.member.toolUse.name"
            yield from _pattern_faults(field, block["toolUse"]["name"])
        result = block.get("toolResult") or {}
        if result.get("status") == "error" and not result.get("content"):
            yield EMPTY_ERROR.format(index=index, place=place)
        for inner, part in enumerate(result.get("content") or ()):
            if "text" in part and not part["text"].strip():
                yield BLANK.format(index=index, place=f"{place}.toolResult.content.{inner}")


def _mixing_faults(index: int, blocks: list[dict[str, Any]]) -> Iterator[str]:
    kinds = {key for block in blocks for key in block}
    if "toolUse" in kinds and kinds - {"toolUse", "cachePoint"}:
        yield TEXT_BESIDE_CALL.format(index=index)
    if "toolResult" in kinds and kinds - {"toolResult", "cachePoint"}:
        yield TEXT_BESIDE_RESULT.format(index=index)


def _pairing_faults(messages: list[dict[str, Any]]) -> Iterator[str]:
    called: list[str] = []
    for index, message in enumerate(messages):
        if message["role"] == "user":
            answered = _ids(message, "toolResult")
            if len(answered) > len(called):
                yield TOO_MANY.format(index=index)
            missing = [call_id for call_id in called if call_id not in answered]
            if missing:
                yield EXPECTED.format(index=index, ids=", ".join(missing))
        called = _ids(message, "toolUse")
    if called:
        yield EXPECTED.format(index=len(messages), ids=", ".join(called))


def _ids(message: dict[str, Any], key: str) -> list[str]:
    return [block[key]["toolUseId"] for block in message["content"] if key in block]


def _tool_faults(body: dict[str, Any]) -> Iterator[str]:
    config = body.get("toolConfig")
    used = any(
        key in block
        for message in body["messages"]
        for block in message["content"]
        for key in ("toolUse", "toolResult")
    )
    if used and not config:
        yield NO_CONFIG
    seen: set[str] = set()
    for index, tool in enumerate((config or {}).get("tools") or ()):
        if "toolSpec" not in tool:
            continue
        name = tool["toolSpec"]["name"]
        yield from _pattern_faults(f"toolConfig.tools.{index + 1}.member.toolSpec.name", name)
        if name in seen:
            yield DUPLICATE.format(name=name, index=index)
        seen.add(name)


def _pattern_faults(field: str, value: str) -> Iterator[str]:
    if not _NAME.fullmatch(value):
        yield PATTERN.format(value=value, field=field)
    elif len(value) > 64:
        yield LONG.format(value=value, field=field)


def _end_faults(model: str, message: dict[str, Any]) -> Iterator[str]:
    if message["role"] != "assistant":
        return
    if "claude" not in model:
        yield END
        return
    version = _CLAUDE.search(model)
    if version is not None and (int(version[1]), int(version[2] or 0)) >= (4, 6):
        yield OF_THE_MODEL.format(words=PREFILL)
    last = message["content"][-1]
    if "text" in last and last["text"] != last["text"].rstrip():
        yield OF_THE_MODEL.format(words=TRAILING_SPACE)


def _thought_faults(model: str, messages: list[dict[str, Any]]) -> Iterator[str]:
    for index, message in enumerate(messages):
        for place, block in enumerate(message["content"]):
            thought = (block.get("reasoningContent") or {}).get("reasoningText")
            if thought is None:
                continue
            signature = thought.get("signature")
            if "claude" not in model:
                if signature is not None:
                    yield NO_SIGNATURE
            elif not is_signed(thought["text"], signature or ""):
                words = f"messages.{index}.content.{place}: Invalid `signature` in `thinking` block"
                yield OF_THE_MODEL.format(words=words)


def _missing_thought_faults(messages: list[dict[str, Any]]) -> Iterator[str]:
    """Yield a fault if the last run of calls and results does not open with a thought, as Anthropic requires."""
    opening: int | None = None
    for index in range(len(messages) - 1, -1, -1):
        if messages[index]["role"] == "assistant":
            opening = index
        elif not any("toolResult" in block for block in messages[index]["content"]):
            break
    if opening is not None and "reasoningContent" not in messages[opening]["content"][0]:
        found = "tool_use" if "toolUse" in messages[opening]["content"][0] else "text"
        yield OF_THE_MODEL.format(words=MISSING.format(index=opening, found=found))
