"""Judges a chat request by Mistral's rules, with Mistral's own error texts.

Sources. Order (code 3230): datapizza-ai#98, onyx#6458 and avante.nvim#2562 (user after tool), crush#279 (tool after
user), litellm#4931 (last role; azure), mistral-inference#135 (a result with nothing before it), SurfSense#287 (system
first). As many results as calls, one each: mistral-common, `instruct/validator.py`, and client-ts#106. Ids (3280):
gptel#1203, magentic#276. Assistant messages with nothing: OpenHands#8685, solbrowse#16. Names: mistral-common. Unknown
fields (422): eca#231, crush#1590, litellm#30882, mistral-go#2; the known ones are those of the client `mistralai` 3.
The names of results, the types of calls, and the parts of a declaration: mistral-common 1.13.1.

Known to be legal, and so accepted: successive user or assistant messages, an assistant message first, and results in
any order. So are several system messages at the head, and an assistant message at the end with `prefix: true`.
"""

import re
from collections.abc import Iterator
from types import MappingProxyType
from typing import Any

from tests.support.chat_emulator.errors import MistralRefusal

LAST = "Expected last role to be one of: [tool, user] but got {role}"
AFTER = "Unexpected role '{role}' after role '{before}'"
TOOL_ALONE = "Unexpected role RoleEnum.tool"
COUNT = "Not the same number of function calls and responses"
UNEXPECTED_ID = "Unexpected tool call id {id} in tool results"
REPEATED_RESULT = "Duplicate tool call id {id} in tool results"
REPEATED_CALL = "Duplicate tool call id {id} in assistant message"
BAD_ID = "Tool call id was {id} but must be a-z, A-Z, 0-9, with a length of 9."
BAD_NAME = (
    "Function name was {name} but must be a-z, A-Z, 0-9, or contain underscores and dashes, "
    "with a maximum length of 64."
)
NOTHING = "Assistant message must have either content or tool_calls, but not none."
PREFIX = "Assistant message with prefix True must be last message"
NO_TYPE = "Input should be 'function'"
NO_OBJECT = "Input should be a valid dictionary"
NO_TEXT = "Input should be a valid string"
NO_MESSAGES = "Conversation must have at least one message"

ID = re.compile(r"[a-zA-Z0-9]{9}", re.ASCII)
NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}", re.ASCII)

FIELDS = frozenset(
    {
        "frequency_penalty",
        "guardrails",
        "max_tokens",
        "messages",
        "metadata",
        "model",
        "n",
        "parallel_tool_calls",
        "prediction",
        "presence_penalty",
        "prompt_cache_key",
        "prompt_mode",
        "random_seed",
        "reasoning_effort",
        "response_format",
        "safe_prompt",
        "stop",
        "stream",
        "temperature",
        "tool_choice",
        "tools",
        "top_p",
    }
)
MESSAGE_FIELDS = MappingProxyType(
    {
        "system": ("content",),
        "user": ("content",),
        "assistant": ("content", "tool_calls", "prefix"),
        "tool": ("content", "tool_call_id", "name"),
    }
)
MAY_FOLLOW = MappingProxyType(
    {
        "system": ("system", "user", "assistant"),
        "user": ("user", "assistant"),
        "assistant": ("assistant", "user", "tool"),
        "tool": ("tool", "assistant"),
    }
)
CALL_FIELDS = ("id", "type", "function", "index")
FUNCTION_FIELDS = ("name", "arguments")
PARTS = ("text", "image_url", "document_url", "file", "input_audio", "reference", "thinking")

Fault = MistralRefusal


def judge_mistral(body: Any) -> MistralRefusal | None:
    """Return the first fault that Mistral would report, or None if Mistral accepts the request."""
    if not isinstance(body, dict):
        return _invalid(("body",), "json_invalid", "JSON decode error", None)
    return next(_faults(body), None)


def _faults(body: dict[str, Any]) -> Iterator[Fault]:
    yield from _shape_faults(body)
    messages = body["messages"]
    if not messages:
        yield _order(NO_MESSAGES)
    for tool in body.get("tools") or ():
        if not NAME.fullmatch(tool["function"]["name"]):
            words = BAD_NAME.format(name=tool["function"]["name"])
            yield MistralRefusal(words, type="invalid_tool_schema", code="3290")
    yield from _message_faults(messages)
    yield from _order_faults(messages)
    yield from _pairing_faults(messages)


def _shape_faults(body: dict[str, Any]) -> Iterator[Fault]:
    for name in ("model", "messages"):
        if name not in body:
            yield _invalid(("body", name), "missing", "Field required", None)
    for name, value in body.items():
        if name not in FIELDS:
            yield _extra(("body", name), value)
    for index, message in enumerate(body["messages"]):
        role = message.get("role")
        if role not in MESSAGE_FIELDS:
            words = (
                f"Input tag '{role}' found using 'role' does not match any of the expected tags: "
                "'assistant', 'system', 'tool', 'user'"
            )
            yield _invalid(("body", "messages", index), "union_tag_invalid", words, message)
            continue
        place = ("body", "messages", index, role)
        for name, value in message.items():
            if name not in ("role", *MESSAGE_FIELDS[role]):
                yield _extra((*place, name), value)
        yield from _call_shape_faults(place, message)
        if role != "assistant" and message.get("content") is None:
            yield _invalid((*place, "content"), "missing", "Field required", None)
        content = message.get("content")
        for part in content if isinstance(content, list) else ():
            if part.get("type") not in PARTS or (part["type"] == "image_url" and role != "user"):
                words = f"Input tag '{part.get('type')}' does not match any of the expected tags"
                yield _invalid((*place, "content"), "union_tag_invalid", words, part)

    for index, tool in enumerate(body.get("tools") or ()):
        yield from declaration_faults(("body", "tools", index, "function"), tool["function"])


def _call_shape_faults(place: tuple[Any, ...], message: dict[str, Any]) -> Iterator[Fault]:
    for at, entry in enumerate(message.get("tool_calls") or ()):
        here = (*place, "tool_calls", at)
        for name, value in entry.items():
            if name not in CALL_FIELDS:
                yield _extra((*here, name), value)
        function = entry.get("function")
        if not isinstance(function, dict):
            yield _invalid((*here, "function"), "model_attributes_type", NO_OBJECT, function)
            continue
        for name, value in function.items():
            if name not in FUNCTION_FIELDS:
                yield _extra((*here, "function", name), value)
        if not isinstance(function.get("name"), str):
            yield _invalid((*here, "function", "name"), "missing", "Field required", function)
        if entry.get("type", "function") != "function":
            yield _invalid((*here, "type"), "enum", NO_TYPE, entry["type"])


def declaration_faults(place: tuple[Any, ...], function: dict[str, Any]) -> Iterator[Fault]:
    """Yield the faults in the types of a declared function: its parameters are required, and no text is null."""
    if "parameters" not in function:
        yield _invalid((*place, "parameters"), "missing", "Field required", function)
    elif not isinstance(function["parameters"], dict):
        yield _invalid((*place, "parameters"), "dict_type", NO_OBJECT, function["parameters"])
    if not isinstance(function.get("description", ""), str):
        yield _invalid((*place, "description"), "string_type", NO_TEXT, function["description"])


def _message_faults(messages: list[dict[str, Any]]) -> Iterator[Fault]:
    for index, message in enumerate(messages):
        calls = message.get("tool_calls") or []
        if message["role"] == "assistant" and not message.get("content") and not calls:
            yield MistralRefusal(NOTHING, type="invalid_request_error")
        if message.get("prefix") and index != len(messages) - 1:
            yield MistralRefusal(PREFIX, type="invalid_request_error")
        for entry in calls:
            yield from _id_faults(entry.get("id"))
            if not NAME.fullmatch(entry["function"]["name"]):
                yield _call(BAD_NAME.format(name=entry["function"]["name"]))
        if message["role"] == "tool":
            yield from _id_faults(message.get("tool_call_id"))
            name = message.get("name")
            if name is not None and not NAME.fullmatch(name):
                yield _call(BAD_NAME.format(name=name))


def _id_faults(call_id: Any) -> Iterator[Fault]:
    if not isinstance(call_id, str) or not ID.fullmatch(call_id):
        yield _call(BAD_ID.format(id=call_id))


def _order_faults(messages: list[dict[str, Any]]) -> Iterator[Fault]:
    before: str | None = None
    for index, message in enumerate(messages):
        role = message["role"]
        if before is None and role == "tool":
            yield _order(TOOL_ALONE)
        elif before is not None and role not in MAY_FOLLOW[before]:
            called = any(earlier.get("tool_calls") for earlier in messages[:index])
            yield _order(AFTER.format(role=role, before=before) if called or role != "tool" else TOOL_ALONE)
        before = role
    last = messages[-1]
    if last["role"] not in ("user", "tool") and not last.get("prefix"):
        yield _order(LAST.format(role=last["role"]))


def _pairing_faults(messages: list[dict[str, Any]]) -> Iterator[Fault]:
    called: list[str] = []
    answered: list[str] = []
    for message in messages:
        if message["role"] == "tool":
            call_id = message["tool_call_id"]
            if call_id in answered:
                yield _order(REPEATED_RESULT.format(id=call_id))
            if call_id not in called:
                yield _order(UNEXPECTED_ID.format(id=call_id))
            answered.append(call_id)
            continue
        if len(called) != len(answered):
            yield _order(COUNT)
        if message["role"] == "assistant":
            called, answered = [], []
            for entry in message.get("tool_calls") or ():
                if entry["id"] in called:
                    yield _order(REPEATED_CALL.format(id=entry["id"]))
                called.append(entry["id"])
    if len(called) != len(answered):
        yield _order(COUNT)


def _order(words: str) -> MistralRefusal:
    return MistralRefusal(words, type="invalid_request_message_order", code="3230")


def _call(words: str) -> MistralRefusal:
    return MistralRefusal(words, type="invalid_function_call", code="3280")


def _extra(place: tuple[Any, ...], value: Any) -> MistralRefusal:
    return _invalid(place, "extra_forbidden", "Extra inputs are not permitted", value)


def _invalid(place: tuple[Any, ...], kind: str, words: str, value: Any) -> MistralRefusal:
    entry = {"type": kind, "loc": list(place), "msg": words, "input": value}
    return MistralRefusal(words, 422, detail=(entry,))
