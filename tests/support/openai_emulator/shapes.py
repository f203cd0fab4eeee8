"""Checks messages against OpenAI's schema (types, lengths, enumerations), one by one, for ``judging.py``.

The error texts are OpenAI's own. ``judging.py`` lists their sources. Faults are yielded in order, since the
live API reports the first one.
"""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

ROLES = ("system", "assistant", "user", "function", "tool", "developer")
PART_TYPES = ("text", "image_url", "input_audio", "refusal", "audio", "file")
MAX_ID = 40
MAX_NAME = 64
NAME = re.compile(r"[a-zA-Z0-9_-]+", re.ASCII)
STRING_OR_PARTS = "one of a string or array of objects"


class ShapeFault(NamedTuple):
    """A field with the wrong shape."""

    message: str
    param: str
    code: str


def list_faults(messages: Any) -> Iterator[ShapeFault]:
    """Yield every fault in the shape of `messages`, in the order of the list."""
    if not isinstance(messages, list):
        yield _wrong_type("messages", "an array of objects", messages)
        return
    if not messages:
        yield _empty_array("messages")
    for index, message in enumerate(messages):
        yield from _message_faults(f"messages[{index}]", message)


def _message_faults(where: str, message: Any) -> Iterator[ShapeFault]:
    if not isinstance(message, dict):
        yield _wrong_type(where, "an object", message)
        return
    role = message.get("role")
    if role is None:
        yield _missing(f"{where}.role")
    elif not isinstance(role, str):
        yield _wrong_type(f"{where}.role", "one of " + _listed(ROLES, "or"), role)
    elif role not in ROLES:
        yield _unsupported(f"{where}.role", role, ROLES)
    yield from _content_faults(where, message)
    if role == "assistant":
        yield from _calls_faults(f"{where}.tool_calls", message.get("tool_calls"))
        if message.get("function_call") is not None:
            yield from _function_faults(f"{where}.function_call", message["function_call"])
    if role == "tool" and message.get("tool_call_id") is not None:
        yield from _id_faults(f"{where}.tool_call_id", message["tool_call_id"])


def _content_faults(where: str, message: dict[str, Any]) -> Iterator[ShapeFault]:
    content, path = message.get("content"), f"{where}.content"
    if message.get("role") == "developer" and content is None:
        if "content" not in message:
            yield _missing(path)
        yield _wrong_type(path, STRING_OR_PARTS, None)
    if content is None or isinstance(content, str):
        return
    if not isinstance(content, list):
        yield _wrong_type(path, STRING_OR_PARTS, content)
        return
    for index, part in enumerate(content):
        yield from _part_faults(where, f"{path}[{index}]", message.get("role"), part)


def _part_faults(where: str, path: str, role: Any, part: Any) -> Iterator[ShapeFault]:
    if not isinstance(part, dict):
        yield _wrong_type(path, "an object", part)
        return
    kind = part.get("type")
    if kind is None:
        yield _missing(f"{path}.type")
    elif kind not in PART_TYPES:
        yield _unsupported(f"{path}.type", kind, PART_TYPES)
    elif kind == "text" and not isinstance(part.get("text"), str):
        yield _not_a_string(f"{path}.text", part, "text")
    elif kind == "refusal" and role != "assistant":
        yield _unsupported(f"{path}.type", kind, tuple(known for known in PART_TYPES if known != kind))
    elif kind == "image_url" and role != "user":
        words = (
            f"Invalid '{where}'. Image URLs are only allowed for messages with role 'user', "
            f"but this message with role '{role}' contains an image URL."
        )
        yield ShapeFault(words, where, "invalid_value")


def _calls_faults(where: str, calls: Any) -> Iterator[ShapeFault]:
    if calls is None:
        return
    if not isinstance(calls, list):
        yield _wrong_type(where, "an array of objects", calls)
        return
    if not calls:
        yield _empty_array(where)
    for index, entry in enumerate(calls):
        yield from _call_faults(f"{where}[{index}]", entry)


def _call_faults(where: str, entry: Any) -> Iterator[ShapeFault]:
    if not isinstance(entry, dict):
        yield _wrong_type(where, "an object", entry)
        return
    if "id" not in entry:
        yield _missing(f"{where}.id")
    yield from _id_faults(f"{where}.id", entry.get("id"))
    kind = entry.get("type")
    if kind is None:
        yield _missing(f"{where}.type")
    elif kind not in ("function", "custom"):
        yield _unsupported(f"{where}.type", kind, ("function", "custom"))
    elif kind == "function":
        if "function" not in entry:
            yield _missing(f"{where}.function")
        yield from _function_faults(f"{where}.function", entry.get("function"))


def _function_faults(where: str, function: Any) -> Iterator[ShapeFault]:
    if not isinstance(function, dict):
        yield _wrong_type(where, "an object", function)
        return
    name = function.get("name")
    if not isinstance(name, str):
        yield _not_a_string(f"{where}.name", function, "name")
    elif not name:
        yield _empty_string(f"{where}.name")
    elif not NAME.fullmatch(name):
        words = (
            f"Invalid '{where}.name': string does not match pattern. "
            "Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'."
        )
        yield ShapeFault(words, f"{where}.name", "invalid_value")
    elif len(name) > MAX_NAME:
        yield _too_long(f"{where}.name", name, MAX_NAME)
    if not isinstance(function.get("arguments"), str):
        yield _not_a_string(f"{where}.arguments", function, "arguments")


def _id_faults(where: str, value: Any) -> Iterator[ShapeFault]:
    if not isinstance(value, str):
        yield _wrong_type(where, "a string", value)
    elif not value and where.endswith(".id"):
        yield _empty_string(where)
    elif len(value) > MAX_ID:
        yield _too_long(where, value, MAX_ID)


def _missing(path: str) -> ShapeFault:
    return ShapeFault(f"Missing required parameter: '{path}'.", path, "missing_required_parameter")


def _not_a_string(path: str, holder: dict[str, Any], key: str) -> ShapeFault:
    return _wrong_type(path, "a string", holder[key]) if key in holder else _missing(path)


def _wrong_type(path: str, expected: str, value: Any) -> ShapeFault:
    words = f"Invalid type for '{path}': expected {expected}, but got {_kind(value)} instead."
    return ShapeFault(words, path, "invalid_type")


def _empty_array(path: str) -> ShapeFault:
    words = (
        f"Invalid '{path}': empty array. Expected an array with minimum length 1, "
        "but got an empty array instead."
    )
    return ShapeFault(words, path, "empty_array")


def _empty_string(path: str) -> ShapeFault:
    words = (
        f"Invalid '{path}': empty string. Expected a string with minimum length 1, "
        "but got an empty string instead."
    )
    return ShapeFault(words, path, "empty_string")


def _too_long(path: str, value: str, limit: int) -> ShapeFault:
    words = (
        f"Invalid '{path}': string too long. Expected a string with maximum length {limit}, "
        f"but got a string with length {len(value)} instead."
    )
    return ShapeFault(words, path, "string_above_max_length")


def _unsupported(path: str, value: Any, allowed: tuple[str, ...]) -> ShapeFault:
    words = f"Invalid value: '{value}'. Supported values are: {_listed(allowed, 'and')}."
    return ShapeFault(words, path, "invalid_value")


def _listed(values: tuple[str, ...], last: str) -> str:
    quoted = [f"'{value}'" for value in values]
    if len(quoted) == 2:
        return f" {last} ".join(quoted)
    return ", ".join(quoted[:-1]) + f", {last} {quoted[-1]}"


def _kind(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "a boolean"
    kinds = {int: "an integer", float: "a decimal number", str: "a string", list: "an array"}
    return kinds.get(type(value), "an object")
