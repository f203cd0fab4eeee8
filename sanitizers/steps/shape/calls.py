"""Normalize the calls of one message: legacy forms, unreadable calls and arguments."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from sanitizers.changes import MessageChange
from sanitizers.messages import (
    CALL_FIELDS,
    FUNCTION_FIELDS,
    Entry,
    Message,
    function_of,
    is_custom,
    parse_arguments,
    tool_calls_of,
)
from sanitizers.profiles import Profile
from sanitizers.synthetic import RAW_ARGUMENTS


def normalize_calls(message: Message, profile: Profile, changes: list[MessageChange]) -> Message:
    """Return *message* with readable calls alone, or *message* itself when all of its calls are readable.

    Legacy ``function_call`` and role ``function`` become a tool call and a tool result where the profile refuses them.
    The module ``identities`` later gives these calls their ids. A call without a name is dropped, since no tool can run
    it. litellm would skip such a call silently and then fail on its result.
    """
    if "tool_calls" not in message and "function_call" not in message and message["role"] != "function":
        return message
    if message["role"] != "assistant":
        misplaced = [name for name in ("tool_calls", "function_call") if message.get(name) is not None]
        for name in misplaced:
            changes.append(MessageChange("dropped", "misplaced_calls", name))
        if misplaced:
            message = {name: value for name, value in message.items() if name not in misplaced}
    if message["role"] == "function" and not profile.legacy_calls:
        changes.append(MessageChange("replaced", "legacy_function", "role"))
        message = {**message, "role": "tool"}
    function_call = message.get("function_call")
    if function_call is not None and not profile.legacy_calls:
        changes.append(MessageChange("replaced", "legacy_function", "function_call"))
        message = {name: value for name, value in message.items() if name != "function_call"}
        present = message.get("tool_calls") or []
        if not any(
            _same_function(function_of(call), function_call) for call in present
        ):  # some SDKs fill both
            message["tool_calls"] = [*present, {"type": "function", "function": function_call}]
    elif function_call is not None and not isinstance(function_call.get("arguments"), str):
        changes.append(MessageChange("replaced", "arguments", "function_call"))
        readable = _readable_arguments(function_call.get("arguments"), profile)
        message = {**message, "function_call": {**function_call, "arguments": readable}}
    calls: list[dict[str, Any]] | None = message.get("tool_calls")
    if calls is None:
        return message
    kept = [_normalize_call(call, at, profile, changes) for at, call in enumerate(calls)]
    named = [call for call in kept if call is not None]
    if not named:
        if not calls:
            changes.append(MessageChange("dropped", "empty_tool_calls"))
        return {name: value for name, value in message.items() if name != "tool_calls"}
    if len(named) == len(calls) and all(new is old for new, old in zip(named, calls, strict=True)):
        return message
    return {**message, "tool_calls": named}


def _same_function(first: dict[str, Any], second: dict[str, Any]) -> bool:
    return first.get("name") == second.get("name") and first.get("arguments") == second.get("arguments")


def fit_result_to_call(
    message: Message, before: Sequence[Entry], profile: Profile, changes: list[MessageChange]
) -> Message:
    """Return a tool result in the form, legacy or not, of the call before the result.

    *before* are the shaped entries in front of the result. Some clients answer a call of one form with a result of the
    other form, and the provider does not pair the two. A legacy result without a name gets its call's name (OpenAI:
    "messages with role 'function' must have a 'name'"). ``orphan_drop`` drops a result without a call.
    """
    if not before:
        return message
    role = message["role"]
    last = before[-1].message
    legacy = last.get("function_call")
    if role == "tool" and legacy is not None and not tool_calls_of(last):
        changes.append(MessageChange("replaced", "legacy_function", "role"))
        kept = {name: value for name, value in message.items() if name != "tool_call_id"}
        return {**kept, "role": "function", "name": legacy.get("name")}
    if role == "function" and legacy is None and tool_calls_of(last) and profile.legacy_calls:
        changes.append(MessageChange("replaced", "legacy_function", "role"))
        return {**message, "role": "tool"}
    if role == "function" and not message.get("name") and legacy is not None and legacy.get("name"):
        changes.append(MessageChange("replaced", "legacy_function", "name"))
        return {**message, "name": legacy["name"]}
    return message


def _normalize_call(
    call: dict[str, Any], at: int, profile: Profile, changes: list[MessageChange]
) -> dict[str, Any] | None:
    place = f"tool_calls[{at}]"
    refused: set[str] = set()
    if not profile.refused_fields.isdisjoint(call):
        refused = (call.keys() & profile.refused_fields) - {"provider_specific_fields"}
    for name in sorted(refused):
        changes.append(MessageChange("dropped", "refused_field", f"{place}.{name}"))
    if refused:
        call = {name: value for name, value in call.items() if name not in refused}
    function = call.get("function")
    if "custom" in call and is_custom(call):
        if profile.custom_calls:
            return _normalize_custom(call, place, changes)
        custom = call["custom"]
        changes.append(MessageChange("replaced", "custom_call", place))
        function = {"name": custom.get("name"), "arguments": json.dumps({"input": custom.get("input")})}
        call = {**{k: v for k, v in call.items() if k != "custom"}, "type": "function", "function": function}
    if not function or not function.get("name"):
        changes.append(MessageChange("dropped", "call_unreadable", place))
        return None
    arguments = function.get("arguments")
    readable = _readable_arguments(arguments, profile)
    if readable != arguments:
        changes.append(MessageChange("replaced", "arguments", place))
        call = {**call, "function": {**function, "arguments": readable}}
    if call.get("type") != "function":
        changes.append(MessageChange("replaced", "call_type", place))
        call = {**call, "type": "function"}
    return _with_known_fields(call, place, changes) if profile.bare_calls else call


def _normalize_custom(
    call: dict[str, Any], place: str, changes: list[MessageChange]
) -> dict[str, Any] | None:
    """Return the *call* of a custom tool with its type and a text as its input, or None where it has no name."""
    custom = call["custom"]
    if not custom.get("name"):
        changes.append(MessageChange("dropped", "call_unreadable", place))
        return None
    given = custom.get("input")
    if not isinstance(given, str):
        changes.append(MessageChange("replaced", "arguments", place))
        call = {**call, "custom": {**custom, "input": "" if given is None else _dump(given)}}
    if call.get("type") != "custom":
        changes.append(MessageChange("replaced", "call_type", place))
        call = {**call, "type": "custom"}
    return call


def _with_known_fields(call: dict[str, Any], place: str, changes: list[MessageChange]) -> dict[str, Any]:
    """Return *call*, of a function, without the fields that OpenAI's format does not have.

    Source: Cohere "unknown field: parameter 'index'" (422). mistral-common "Extra inputs are not permitted", from
    ``tool_calls.0.index`` (until 1.8) and ``function.parsed_arguments``, which OpenAI's SDK writes. Other providers
    refuse ``parsed_arguments`` too.
    """
    function = call["function"]
    unknown = sorted(call.keys() - CALL_FIELDS)
    unknown += [f"function.{name}" for name in sorted(function.keys() - FUNCTION_FIELDS)]
    if not unknown:
        return call
    for name in unknown:
        changes.append(MessageChange("dropped", "refused_field", f"{place}.{name}"))
    known = {name: value for name, value in call.items() if name in CALL_FIELDS}
    return {**known, "function": {name: value for name, value in function.items() if name in FUNCTION_FIELDS}}


def _readable_arguments(arguments: Any, profile: Profile) -> str:
    """Return *arguments* as a string that the profile accepts, without losing information.

    Missing arguments become ``{}``. An object is written as JSON, and an object that was encoded twice is decoded once.
    Anything else is kept word for word under the key ``_raw``. Completing broken JSON would rewrite what the model
    wrote, and ``{}`` in its place would lose the arguments.
    """
    if arguments is None or (arguments == "" and profile.object_arguments):
        return "{}"
    text = arguments if isinstance(arguments, str) else _dump(arguments)
    if not profile.object_arguments or parse_arguments(text) is not None:
        return text
    inner = _string_inside(text)
    if inner is not None and parse_arguments(inner) is not None:
        return inner
    if not text.strip() or text.strip() == "null":
        return "{}"
    return _dump({RAW_ARGUMENTS: text})


def _dump(value: Any) -> str:
    return _ENCODER.encode(value)


_ENCODER = json.JSONEncoder(ensure_ascii=False)


def _string_inside(text: str) -> str | None:
    """Return the string that *text* encodes as JSON, or None where it encodes another value."""
    if not text.lstrip().startswith('"'):
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, str) else None
