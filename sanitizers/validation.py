"""Refuse histories that cannot be read.

An unknown role, an unknown content part and a value of the wrong type are the client's faults. Repairing them would
mean guessing. Each refusal names the message's index, in the notation of OpenAI's ``param`` (``messages[3].role``).
Null, missing and empty values are not faults: the ``shape`` step handles them.
"""

from __future__ import annotations

from typing import Any, NoReturn

from sanitizers.errors import Unrepairable
from sanitizers.messages import Messages, is_part_list
from sanitizers.outline import Outline, outline_of
from sanitizers.work_limit import metered

ROLES = frozenset({"system", "developer", "user", "assistant", "tool", "function"})
"""OpenAI's chat roles."""

PART_TYPES = frozenset(
    {
        "audio_url",
        "file",
        "image_url",
        "input_audio",
        "redacted_thinking",
        "refusal",
        "text",
        "thinking",
        "video_url",
    }
)
"""Content parts of OpenAI's chat format, with the media parts of vLLM and the thinking parts of litellm."""


def validate_messages(messages: object) -> Messages:
    """Return *messages* itself when every message can be read. Raises as :func:`read_history` does."""
    return read_history(messages).messages


def read_history(messages: object, outline: Outline | None = None) -> Outline:
    """Return the outline of *messages* when every message can be read.

    *outline* is the outline of *messages*, where the caller has it.

    Raises :class:`Unrepairable` where *messages* are no list or an empty list. An unknown role or content part also
    raises. A message or a checked field of the wrong type raises too.
    """
    if not isinstance(messages, list):
        _refuse(
            "messages_not_a_list", "messages", f"'messages' must be an array, not {_kind(messages)}.", None
        )
    if not messages:
        _refuse("no_messages", "messages", "'messages' is empty: there is nothing to send.", None)
    if outline is None:
        outline = outline_of(messages)
    for index in outline.odd and metered(outline.odd):
        _validate_message(messages[index], index)
    return outline


def _validate_message(message: object, index: int) -> None:
    place = f"messages[{index}]"
    if not isinstance(message, dict):
        _refuse("wrong_type", place, f"'{place}' must be an object, not {_kind(message)}.", index)
    role = message.get("role")
    if not isinstance(role, str) or role not in ROLES:
        _refuse_role(role, place, index)
    content = message.get("content")
    if content is not None and not isinstance(content, str):
        _validate_content(content, role, place, index)
    calls = message.get("tool_calls")
    if calls is not None:
        _validate_calls(calls, place, index)
    function_call = message.get("function_call")
    if function_call is not None:
        _expect(function_call, dict, f"{place}.function_call", index)
        _validate_function(function_call, f"{place}.function_call", index)
    for name in ("tool_call_id", "name"):
        value = message.get(name)
        if value is not None:
            _expect(value, str, f"{place}.{name}", index)


def _validate_content(content: object, role: str, place: str, index: int) -> None:
    if role in ("tool", "function") and not is_part_list(content):
        return  # a result given as a bare value is repaired to its JSON text
    if isinstance(content, list):
        for at, part in enumerate(metered(content)):
            _validate_part(part, f"{place}.content[{at}]", index)
    else:
        _refuse(
            "wrong_type",
            f"{place}.content",
            f"'{place}.content' must be a string, an array of content parts or null, not {_kind(content)}.",
            index,
        )


def _validate_part(part: object, place: str, index: int) -> None:
    if not isinstance(part, dict):
        _refuse("wrong_type", place, f"'{place}' must be an object, not {_kind(part)}.", index)
    kind = part.get("type")
    if not isinstance(kind, str) or kind not in PART_TYPES:
        shown = f"'{kind[:40]}'" if isinstance(kind, str) else _kind(kind)
        _refuse(
            "unknown_part",
            f"{place}.type",
            f"Unknown content part type {shown} at '{place}'. Known types: {', '.join(sorted(PART_TYPES))}.",
            index,
        )
    if kind == "text" and part.get("text") is not None:
        _expect(part["text"], str, f"{place}.text", index)
    elif kind == "refusal" and part.get("refusal") is not None:
        _expect(part["refusal"], str, f"{place}.refusal", index)
    elif kind in ("input_audio", "file"):
        _expect(part.get(kind), dict, f"{place}.{kind}", index)
    elif kind == "image_url":
        image = part.get("image_url")
        url = image.get("url") if isinstance(image, dict) else image
        _expect(url, str, f"{place}.image_url.url", index)


def _validate_calls(calls: object, place: str, index: int) -> None:
    _expect(calls, list, f"{place}.tool_calls", index)
    assert isinstance(calls, list)
    for at, call in enumerate(metered(calls)):
        here = f"{place}.tool_calls[{at}]"
        _expect(call, dict, here, index)
        if call.get("id") is not None:
            _expect(call["id"], str, f"{here}.id", index)
        for name in ("function", "custom"):
            if call.get(name) is not None:
                _expect(call[name], dict, f"{here}.{name}", index)
                _validate_function(call[name], f"{here}.{name}", index)


def _validate_function(function: dict[str, Any], place: str, index: int) -> None:
    if function.get("name") is not None:
        _expect(function["name"], str, f"{place}.name", index)


def _expect(value: object, wanted: type[str | list[Any] | dict[str, Any]], place: str, index: int) -> None:
    if not isinstance(value, wanted):
        _refuse("wrong_type", place, f"'{place}' must be {_kind(wanted())}, not {_kind(value)}.", index)


def _refuse_role(role: object, place: str, index: int) -> NoReturn:
    shown = f"'{role[:40]}'" if isinstance(role, str) else _kind(role)
    _refuse(
        "unknown_role",
        f"{place}.role",
        f"Invalid role {shown} at '{place}'. Supported roles: {', '.join(sorted(ROLES))}.",
        index,
    )


def _refuse(rule: str, param: str, message: str, index: int | None) -> NoReturn:
    raise Unrepairable(message, rule=rule, param=param, index=index)


def _kind(value: object) -> str:
    """Name a value's JSON type."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "a boolean"
    if isinstance(value, str):
        return "a string"
    if isinstance(value, list):
        return "an array"
    return "an object" if isinstance(value, dict) else "a number"
