"""Judges a chat request by DeepSeek's rules, with DeepSeek's own error texts.

Sources. Unanswered calls: vscode-unify-chat-provider#248. Orphans: deepx-code#94. Names: Clawith#251. The reasoner's
alternation: DeepSeek-R1#21, aider#2974 (2025); its last message: from memory. Thinking: hermes-agent#15353 (v4),
GitNexus#43 (the reasoner), kimi-cli#2141; an empty `reasoning_content` will do (hermes-agent#15353). Sources disagree
on which messages must carry `reasoning_content`. This judge requires it of messages with calls. Parts, and the
deserializer's words: DeepSeek-Reasonix#7859. At most 128 functions: api-docs.deepseek.com/api/create-chat-completion,
in OpenAI's words.

Known to be legal, and so accepted: unknown fields, a system message anywhere, an assistant message first, empty texts.
"""

from collections.abc import Iterator
from typing import Any

from tests.support.chat_emulator.errors import DeepSeekRefusal

UNANSWERED = (
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each "
    "'tool_call_id'. (insufficient tool messages following tool_calls message)"
)
ORPHAN = "Messages with role 'tool' must be a response to a preceding message with 'tool_calls'"
NO_REASONING = "The `reasoning_content` in the thinking mode must be passed back to the API."
NO_REASONING_AT = (
    "Missing `reasoning_content` field in the assistant message at message index {index}. For more "
    "information, please refer to https://api-docs.deepseek.com/guides/thinking_mode#tool-calls"
)
SUCCESSIVE = (
    "deepseek-reasoner does not support successive user or assistant messages (messages[{before}] and "
    "messages[{index}] in your input). You should interleave the user/assistant messages in the message sequence."
)
LAST = (
    "The last message of deepseek-reasoner must be a user message, or an assistant message with prefix mode on "
    "(refer to https://api-docs.deepseek.com/guides/chat_prefix_completion)."
)
NOTHING = "Invalid assistant message: content or tool_calls must be set"
NO_MESSAGES = "Empty input messages"
DUPLICATE = "Tool names must be unique."
MANY = (
    "Invalid 'tools': array too long. Expected an array with maximum length 128, "
    "but got an array with length {count} instead."
)
JSON = "Failed to deserialize the JSON body into the target type: {what}"
ROLES = ("system", "user", "assistant", "tool")
MAX_TOOLS = 128


def thinks(body: dict[str, Any]) -> bool:
    """Return whether the model thinks: if `thinking.type` enables thinking, or by default for the reasoner and V4."""
    switched = (body.get("thinking") or {}).get("type")
    if switched is not None:
        return bool(switched == "enabled")
    return str(body["model"]).startswith(("deepseek-reasoner", "deepseek-v4"))


def judge_deepseek(body: Any) -> DeepSeekRefusal | None:
    """Return the first fault that DeepSeek would report, or None if DeepSeek accepts the request."""
    if not isinstance(body, dict):
        return DeepSeekRefusal(JSON.format(what="expected value at line 1 column 1"))
    return next((DeepSeekRefusal(words) for words in _faults(body)), None)


def _faults(body: dict[str, Any]) -> Iterator[str]:
    for name in ("messages", "model"):
        if name not in body:
            yield JSON.format(what=f"missing field `{name}`")
    for index, message in enumerate(body["messages"]):
        yield from _shape_faults(f"messages[{index}]", message)
    if not body["messages"]:
        yield NO_MESSAGES
    names = [tool["function"]["name"] for tool in body.get("tools") or ()]
    if len(names) > MAX_TOOLS:
        yield MANY.format(count=len(names))
    if len(set(names)) < len(names):
        yield DUPLICATE
    for message in body["messages"]:
        if (
            message["role"] == "assistant"
            and message.get("content") is None
            and not message.get("tool_calls")
        ):
            yield NOTHING
    yield from _pairing_faults(body["messages"])
    if str(body["model"]).startswith("deepseek-reasoner"):
        yield from _reasoner_faults(body["messages"])
    if thinks(body):
        yield from _thinking_faults(body)


def _shape_faults(path: str, message: dict[str, Any]) -> Iterator[str]:
    role, content = message.get("role"), message.get("content")
    if role not in ROLES:
        expected = ", ".join(f"`{name}`" for name in ROLES)
        yield JSON.format(what=f"{path}.role: unknown variant `{role}`, expected one of {expected}")
    if role != "assistant" and content is None:
        yield JSON.format(what=f"{path}: missing field `content`")
    for part in content if isinstance(content, list) else ():
        if part.get("type") != "text":
            yield JSON.format(what=f"{path}: unknown variant `{part.get('type')}`, expected `text`")
    for entry in message.get("tool_calls") or ():
        for name in ("id", "type", "function"):
            if entry.get(name) is None:
                yield JSON.format(what=f"{path}: missing field `{name}`")
    if role == "tool" and message.get("tool_call_id") is None:
        yield JSON.format(what=f"{path}: missing field `tool_call_id`")


def _pairing_faults(messages: list[dict[str, Any]]) -> Iterator[str]:
    called: set[str] = set()
    answered: set[str] = set()
    for message in messages:
        if message["role"] == "tool":
            if message["tool_call_id"] not in called:
                yield ORPHAN
            answered.add(message["tool_call_id"])
            continue
        if called - answered:
            yield UNANSWERED
        called = {entry["id"] for entry in message.get("tool_calls") or ()}
        answered = set()
    if called - answered:
        yield UNANSWERED


def _reasoner_faults(messages: list[dict[str, Any]]) -> Iterator[str]:
    for index, message in enumerate(messages[1:], 1):
        role = message["role"]
        if role in ("user", "assistant") and role == messages[index - 1]["role"]:
            yield SUCCESSIVE.format(before=index - 1, index=index)
    if messages[-1]["role"] == "assistant" and not messages[-1].get("prefix"):
        yield LAST


def _thinking_faults(body: dict[str, Any]) -> Iterator[str]:
    by_index = str(body["model"]).startswith("deepseek-reasoner")
    for index, message in enumerate(body["messages"]):
        if message.get("tool_calls") and not isinstance(message.get("reasoning_content"), str):
            yield NO_REASONING_AT.format(index=index) if by_index else NO_REASONING
