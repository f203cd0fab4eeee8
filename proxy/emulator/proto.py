"""Reads JSON as a proto message, as Google's front end does: known names, right types, all faults at once.

The result is the same message in one form: names in camelCase, enums in capitals, repeated fields as lists. So the
rules need not know that ``function_call`` and ``functionCall`` are one field. Each fault has its path in proto
spelling: ``contents[2].parts[0].function_response``.

Texts:

- `Unknown name "x" at 'path': Cannot find field.` (CLIProxyAPI#97)
- `Proto field is not repeating, cannot start list.` (google_workspace_mcp#1099)
- `Invalid value at 'path' (TYPE), value` (azure-devops-mcp#145, generative-ai-js#320)
- `Base64 decoding failed` (ruby_llm#521, openclaw#82995)
"""

from __future__ import annotations

import binascii
import json
from base64 import b64decode
from collections.abc import Mapping
from typing import Any

from proxy.emulator.errors import FieldViolation
from proxy.emulator.messages import ENUMS, MESSAGES, ONEOF, Field

API_TYPES = "type.googleapis.com/google.ai.generativelanguage.v1beta."
STRUCT_TYPE = "type.googleapis.com/google.protobuf.Struct"
MAX_DEPTH = 100
"""Protobuf's default recursion limit (protobuf.dev, ``CodedInputStream::SetRecursionLimit``)."""
QUOTED_CHARACTERS = 120
"""Characters of a wrong value that an error repeats."""

NEVER_NULL = ("args", "response")
"""Structs that must be objects if they are given (AstrBot#7134, #7216). In other fields null means unset."""

_TO_STANDARD = str.maketrans("-_", "+/")

Message = dict[str, Any]
Faults = list[FieldViolation]


def decode_base64(text: str) -> bytes | None:
    """Return the bytes of *text* in padded base64 of either alphabet, or ``None`` for other text.

    Source: python-genai#2105 (alphabets), snow-cli#84 and ruby_llm#521 (truncated and joined values).
    """
    standard = text.translate(_TO_STANDARD) if "+" not in text and "/" not in text else text
    try:
        return b64decode(standard.encode("ascii"), validate=True)
    except (binascii.Error, ValueError):
        return None


def is_too_deep(value: Any) -> bool:
    """Tell whether *value* is nested deeper than ``MAX_DEPTH``. The check does not recurse, so any depth is safe."""
    level = [value]
    for _ in range(MAX_DEPTH):
        level = [child for node in level for child in _children(node)]
        if not level:
            return False
    return True


def _children(node: Any) -> list[Any]:
    values: Any = ()
    if isinstance(node, Mapping):
        values = node.values()
    elif isinstance(node, list | tuple):
        values = node
    return [value for value in values if isinstance(value, Mapping | list | tuple)]


def read_message(kind: str, value: Any) -> tuple[Message, tuple[FieldViolation, ...]]:
    """Return *value* as a message of *kind* with names in camelCase, and every fault in it.

    Never raises for JSON of up to ``MAX_DEPTH`` levels.
    """
    if not isinstance(value, Mapping):
        text = 'Invalid JSON payload received. Unknown name "": Root element must be a message.'
        return {}, (FieldViolation("", text),)
    faults: Faults = []
    return _message(kind, value, "", faults), tuple(faults)


def _message(kind: str, value: Mapping[Any, Any], path: str, faults: Faults) -> Message:
    fields = MESSAGES[kind]
    message: Message = {}
    for name, given in value.items():
        field = fields.get(name)
        if field is None:
            _unknown(name, path, "Cannot find field.", faults)
            continue
        if given is None and field.name not in NEVER_NULL:
            continue
        if field.name in ONEOF.get(kind, ()) and any(other in message for other in ONEOF[kind]):
            faults.append(
                FieldViolation(
                    path,
                    f"Invalid value at '{path}' (oneof), oneof field 'data' is already set. Cannot set '{name}'",
                )
            )
            continue
        message[field.name] = _field(field, name, given, path, faults)
    return message


def _field(field: Field, name: str, given: Any, parent: str, faults: Faults) -> Any:
    path = f"{parent}.{field.proto_name}" if parent else field.proto_name
    if field.shape == "map":
        return _map(field, given, path, faults)
    if isinstance(given, list | tuple) and field.kind != "Value":
        if field.shape == "repeated":
            return [_one(field.kind, item, f"{path}[{i}]", faults) for i, item in enumerate(given)]
        if field.kind == "Struct":
            return _invalid(path, STRUCT_TYPE, _quoted(given), faults)
        return _unknown(name, parent, "Proto field is not repeating, cannot start list.", faults)
    one = _one(field.kind, given, path, faults)
    # Google's parser accepts a bare value as a list of one, and its own examples use that.
    return [one] if field.shape == "repeated" else one


def _map(field: Field, given: Any, path: str, faults: Faults) -> Any:
    if not isinstance(given, Mapping):
        return _invalid(path, "Map", _quoted(given), faults)
    return {
        str(key): _one(field.kind, item, f"{path}[{i}].value", faults)
        for i, (key, item) in enumerate(given.items())
    }


def _one(kind: str, given: Any, path: str, faults: Faults) -> Any:
    if kind in MESSAGES:
        if isinstance(given, Mapping):
            return _message(kind, given, path, faults)
        return _invalid(path, API_TYPES + kind, _quoted(given), faults, fallback={})
    if kind == "Value":
        return given
    if kind == "Struct":
        if isinstance(given, Mapping):
            return given
        return _invalid(path, STRUCT_TYPE, _quoted(given), faults, fallback={})
    if isinstance(given, Mapping):
        return _invalid(path, kind, "Starting an object on a scalar field", faults)
    if kind in ENUMS:
        return _enum(kind, given, path, faults)
    if kind == "TYPE_BYTES" and isinstance(given, str) and decode_base64(given) is None:
        return _invalid(path, kind, f"Base64 decoding failed for {_quoted(given)}", faults)
    return given if _fits(kind, given) else _invalid(path, kind, _quoted(given), faults)


def _enum(kind: str, given: Any, path: str, faults: Faults) -> Any:
    values = ENUMS[kind]
    if isinstance(given, str) and given.upper() in values:
        return given.upper()
    if isinstance(given, int) and not isinstance(given, bool) and 0 <= given < len(values):
        return values[given]
    return _invalid(path, API_TYPES + kind, _quoted(given), faults)


def _fits(kind: str, given: Any) -> bool:
    """Tell whether *given* is JSON for the scalar *kind*. Numbers may be quoted, as in proto JSON."""
    if kind in ("TYPE_STRING", "TYPE_BYTES"):
        return isinstance(given, str)
    if kind == "TYPE_BOOL":
        return isinstance(given, bool)
    if isinstance(given, bool) or not isinstance(given, int | float | str):
        return False
    try:
        number = float(given)
    except (ValueError, OverflowError):
        return False
    return number.is_integer() if kind in ("TYPE_INT32", "TYPE_INT64") else True


def _quoted(given: Any) -> str:
    try:
        text = json.dumps(given, ensure_ascii=False, default=str)
    except (ValueError, TypeError):
        text = "?"
    return text if len(text) <= QUOTED_CHARACTERS else f"{text[:QUOTED_CHARACTERS]}..."


def _invalid(path: str, kind: str, what: str, faults: Faults, *, fallback: Any = None) -> Any:
    faults.append(FieldViolation(path, f"Invalid value at '{path}' ({kind}), {what}"))
    return fallback


def _unknown(name: Any, path: str, why: str, faults: Faults) -> None:
    place = f" at '{path}'" if path else ""
    faults.append(FieldViolation(path, f'Invalid JSON payload received. Unknown name "{name}"{place}: {why}'))
