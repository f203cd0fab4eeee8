"""Judges a request to Cohere's chat API v2 by Cohere's rules.

Sources. Unknown fields (422): openrouter-examples#71, garak#1202; the known ones are those of the client `cohere`
(7.3.1, 2026-11), whose types also say what a call and a declaration must have. An empty message: Risuai#504; an
assistant message with nothing: langchain-cohere#15. That each call has to be answered: agentdojo#200, which does not
quote the text. The error texts about calls without results, and results without calls, are made up here. v2, which is
the version that litellm uses, accepts a user message after results (langchain-oracle#9).

Known to be legal, and so accepted: successive messages of one role, results in any order, an assistant message first or
last.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

UNKNOWN = (
    "unknown field: parameter '{name}' is not a valid field. For proper usage, please refer to "
    "https://docs.cohere.com/reference/chat"
)
EMPTY = "invalid request: message must be at least 1 token long or tool results must be specified."
NOTHING = "invalid request: all elements in history must have a message."
NO_MESSAGES = "invalid request: messages must not be empty"
MISSING = "invalid request: missing required field: parameter '{name}' is required"
BAD_ROLE = "invalid type: parameter messages.role is of type string but '{role}' is not a valid role"
UNANSWERED = "invalid request: tool call '{id}' has no tool message that responds to it"
ORPHAN = (
    "invalid request: tool message '{id}' does not respond to a tool call of the previous assistant message"
)
TWICE = "invalid request: tool call '{id}' has more than one tool message that responds to it"

FIELDS = frozenset(
    {
        "citation_options",
        "documents",
        "frequency_penalty",
        "k",
        "logprobs",
        "max_tokens",
        "messages",
        "model",
        "p",
        "presence_penalty",
        "priority",
        "response_format",
        "safety_mode",
        "seed",
        "stop_sequences",
        "stream",
        "strict_tools",
        "temperature",
        "thinking",
        "tool_choice",
        "tools",
    }
)
MESSAGE_FIELDS = MappingProxyType(
    {
        "system": ("content",),
        "user": ("content",),
        "assistant": ("content", "tool_calls", "tool_plan", "citations"),
        "tool": ("content", "tool_call_id"),
    }
)
FUNCTION_FIELDS = ("name", "description", "parameters")
CALL_FIELDS = ("id", "type", "function")
CALLED_FIELDS = ("name", "arguments")


@dataclass(frozen=True, slots=True)
class Refusal:
    """Cohere's error for a request that it refuses."""

    message: str
    status: int = 400

    def envelope(self) -> dict[str, Any]:
        """Return the body of the answer."""
        return {"id": "00000000-0000-4000-8000-000000000000", "message": self.message}

    def headers(self) -> Mapping[str, str]:
        """Return the headers of the answer: none."""
        return {}


def judge_cohere(body: Any) -> Refusal | None:
    """Return the first fault that Cohere would report, or None if Cohere accepts the request."""
    if not isinstance(body, dict):
        return Refusal("invalid json syntax")
    for name in ("model", "messages"):
        if name not in body:
            return Refusal(MISSING.format(name=name))
    for name in _unknown(body):
        return Refusal(UNKNOWN.format(name=name), 422)
    typed = (*_call_faults(body["messages"]), *_tool_faults(body.get("tools") or ()))
    for words in (*typed, *_message_faults(body["messages"]), *_pairing_faults(body["messages"])):
        return Refusal(words)
    return None


def _unknown(body: dict[str, Any]) -> Iterator[str]:
    yield from (name for name in body if name not in FIELDS)
    for message in body["messages"]:
        known = MESSAGE_FIELDS.get(message.get("role"))
        if known is not None:
            yield from (name for name in message if name not in ("role", *known))
        for entry in message.get("tool_calls") or ():
            yield from (name for name in entry if name not in CALL_FIELDS)
            yield from (name for name in entry["function"] if name not in CALLED_FIELDS)
    for tool in body.get("tools") or ():
        yield from (name for name in tool["function"] if name not in FUNCTION_FIELDS)


def _call_faults(messages: list[dict[str, Any]]) -> list[str]:
    entries = [entry for message in messages for entry in message.get("tool_calls") or ()]
    return [MISSING.format(name="tool_calls.type") for entry in entries if entry.get("type") != "function"]


def _tool_faults(tools: Sequence[dict[str, Any]]) -> list[str]:
    untyped = [tool for tool in tools if not isinstance(tool["function"].get("parameters"), dict)]
    return [MISSING.format(name="tools.function.parameters") for _ in untyped]


def _message_faults(messages: list[dict[str, Any]]) -> list[str]:
    if not messages:
        return [NO_MESSAGES]
    found: list[str] = []
    for message in messages:
        role, content = message.get("role"), message.get("content")
        if role not in MESSAGE_FIELDS:
            found.append(BAD_ROLE.format(role=role))
        elif role == "assistant" and not content and not message.get("tool_calls"):
            found.append(NOTHING)
        elif role in ("user", "system") and not _says_something(content):
            found.append(EMPTY)
        elif role == "tool" and content is None:
            found.append(MISSING.format(name="content"))
    return found


def _says_something(content: Any) -> bool:
    if isinstance(content, str):
        return bool(content.strip())
    return any(part.get("type") != "text" or part["text"].strip() for part in content or ())


def _pairing_faults(messages: list[dict[str, Any]]) -> list[str]:
    found: list[str] = []
    called: list[Any] = []
    answered: list[Any] = []
    for message in (*messages, {"role": "end"}):
        if message.get("role") == "tool":
            call_id = message.get("tool_call_id")
            if call_id is None or call_id not in called:
                found.append(ORPHAN.format(id=call_id))
            elif call_id in answered:
                found.append(TWICE.format(id=call_id))
            answered.append(call_id)
            continue
        found += [UNANSWERED.format(id=call_id) for call_id in called if call_id not in answered]
        called = [entry.get("id") for entry in message.get("tool_calls") or ()]
        answered = []
    return found
