"""Read one part of a content, with its fields in camel case or snake case, as proto JSON allows."""

from __future__ import annotations

import json
from collections.abc import Iterator
from types import MappingProxyType
from typing import Any, NamedTuple, NoReturn, TypeAlias

import orjson

from sanitizers.errors import Unrepairable
from sanitizers.messages import Message
from sanitizers.native.gemini.envelope import is_own
from sanitizers.native.protocol import Item
from sanitizers.work_limit import metered

Part: TypeAlias = dict[str, Any]

_KINDS = MappingProxyType(
    {
        spelling: kind
        for kind, snake in {
            "text": "text",
            "inlineData": "inline_data",
            "fileData": "file_data",
            "functionCall": "function_call",
            "functionResponse": "function_response",
            "executableCode": "executable_code",
            "codeExecutionResult": "code_execution_result",
            "toolCall": "tool_call",
            "toolResponse": "tool_response",
        }.items()
        for spelling in (kind, snake)
    }
)
"""Maps the spellings of a part's ``data`` fields to camel case (oneof: ai.google.dev/api/caching#Part, 2026-08)."""


_TEXT_FIELDS = MappingProxyType(
    {
        "inlineData": ("mimeType", "mime_type", "data"),
        "fileData": ("fileUri", "file_uri", "mimeType", "mime_type"),
        "functionCall": ("id", "name"),
        "functionResponse": ("id", "name"),
        "executableCode": ("language", "code"),
        "codeExecutionResult": ("outcome", "output"),
    }
)
"""The fields of each kind of data that are texts, in both spellings."""


_PAIRS = MappingProxyType(
    {
        "inlineData": (("mimeType", "mime_type"),),
        "fileData": (("fileUri", "file_uri"), ("mimeType", "mime_type")),
    }
)
"""The two spellings of such fields."""

SIGNATURE_KEYS = ("thoughtSignature", "thought_signature")
"""The spellings of the field of a part's signature."""


_BESIDE_DATA = frozenset(
    {
        *("mediaResolution", "media_resolution", "partMetadata", "part_metadata"),
        *("thought", *SIGNATURE_KEYS, "videoMetadata", "video_metadata"),
    }
)
"""The fields that a part may have beside its data."""


class Data(NamedTuple):
    """The data of a part: its *kind* in camel case, the *key* under which it stands, and its *value*.

    *kind* is empty for a part without data. *several* says that the part has more than one field of the oneof.
    """

    kind: str
    key: str
    value: Any
    several: bool = False


_NO_DATA = Data("", "", None)


def data_of(part: Part) -> Data:
    """Return the data of *part*, or the first field of its data where it has several.

    A null counts as absent, as it does in proto JSON.
    """
    found = _NO_DATA
    for key, value in part.items():
        kind = _KINDS.get(key)
        if kind is not None and value is not None:
            if found.kind:
                return found._replace(several=True)
            found = Data(kind, key, value)
    return found


def unknown_data(part: Part) -> str | None:
    """Return the key of data of a kind that is not known here, for a *part* without known data, or None.

    A later version of Gemini's API may have it. Data is an object.
    """
    return next(
        (key for key, value in part.items() if isinstance(value, dict) and key not in _BESIDE_DATA), None
    )


def without_other_data(part: Part, data: Data) -> Part:
    """Return *part* with *data* and no other field of the oneof, or *part* itself where it has no other."""
    if not data.several:
        return part
    return {key: value for key, value in part.items() if key == data.key or key not in _KINDS}


def parts_of(content: Item, index: int) -> list[Part]:
    """Return the parts of *content*, the item at *index*. A bare part counts as a list of one, as Google reads it.

    Raises :class:`~sanitizers.errors.Unrepairable` for what is no list of parts.
    """
    if not isinstance(content, dict):
        refuse(f"contents[{index}]", "must be an object")
    parts = content.get("parts")
    if parts is None:
        return []
    if isinstance(parts, dict):
        parts = [parts]
    if not isinstance(parts, list):
        refuse(f"contents[{index}].parts", "must be a list")
    for number, part in enumerate(metered(parts)):
        if not isinstance(part, dict):
            refuse(f"contents[{index}].parts[{number}]", "must be an object")
        if not isinstance(part.get("text"), str | None):
            refuse(f"contents[{index}].parts[{number}].text", "must be a string")
        if len(part) > 1:
            if not isinstance(part.get("thought"), bool | None):
                refuse(f"contents[{index}].parts[{number}].thought", "must be a boolean")
            for name in SIGNATURE_KEYS:
                if not isinstance(part.get(name), str | None):
                    refuse(f"contents[{index}].parts[{number}].{name}", "must be a string")
            refuse_two_spellings(part, SIGNATURE_KEYS, f"contents[{index}].parts[{number}]")
    return parts


def is_call(part: Part) -> bool:
    """Tell whether *part* is a call."""
    return data_of(part).kind == "functionCall"


def is_thought(part: Part) -> bool:
    """Tell whether *part* is a thought of the model's."""
    return part.get("thought") is True


def without_signature(part: Part) -> Part:
    """Return *part* without a thought signature."""
    return {key: value for key, value in part.items() if key not in SIGNATURE_KEYS}


def signature_of(part: Part) -> str | None:
    """Return the thought signature of *part*."""
    signature = text_at(part, *SIGNATURE_KEYS)
    return signature or None


def is_sealed(part: Part) -> bool:
    """Tell whether the signature of *part* is an envelope of the proxy's, which no provider can read."""
    signature = signature_of(part) if len(part) > 1 else None
    return signature is not None and is_own(signature)


def text_at(holder: Part, *names: str) -> str:
    """Return the first text under one of *names*, or an empty text."""
    return next((value for name in names if isinstance(value := holder.get(name), str)), "")


def canonical_base64(text: str) -> str:
    """Return *text* in the standard alphabet of base64, padded. Proto JSON accepts either alphabet.

    google-genai for Python writes bytes in the alphabet of URLs, and other providers read the standard one.
    """
    if "-" in text or "_" in text:
        text = text.replace("-", "+").replace("_", "/")
    return text + "=" * (-len(text) % 4) if len(text) % 4 else text


def checked_value(part: Part, data: Data, place: str) -> Part:
    """Return the value of *data*, the data of *part* at *place*, which is an object.

    Raises :class:`~sanitizers.errors.Unrepairable` for another value, and for a field of another type in it.
    """
    value = data.value
    here = f"{place}.{data.key}"
    if not isinstance(value, dict):
        refuse(here, "must be an object")
    for name in _TEXT_FIELDS.get(data.kind, ()):
        if name in value and not isinstance(value[name], str | None):
            refuse(f"{here}.{name}", "must be a string")
    for names in _PAIRS.get(data.kind, ()):
        refuse_two_spellings(value, names, here)
    return value


def refuse_two_spellings(holder: Part, names: tuple[str, str], place: str) -> None:
    """Refuse *holder*, which stands at *place*, where one field has both of its *names*.

    Parsers differ in which of the two counts. So the provider could be given another file than was checked.
    """
    first, second = names
    if holder.get(first) is not None and holder.get(second) is not None:
        refuse(f"{place}.{first}", "is given twice, in both spellings of its name")


def nested_parts(response: Any) -> Iterator[tuple[int, Part]]:
    """Yield the parts within a function response, each with its index. All but objects are left out."""
    nested = response.get("parts") if isinstance(response, dict) else None
    for at, part in enumerate(metered(nested if isinstance(nested, list) else [nested])):
        if isinstance(part, dict):
            yield at, part


def has_nested_parts(part: Part) -> bool:
    """Tell whether *part* is a function response whose field ``parts`` is not empty."""
    response = data_of(part).value
    return isinstance(response, dict) and bool(response.get("parts"))


def signed(holder: Message, signature: str | None) -> Message:
    """Return *holder*, a new call, with *signature* added in the place that Google's OpenAI endpoint uses."""
    if signature is not None:
        holder["extra_content"] = {"google": {"thought_signature": signature}}
    return holder


def signature_of_call(call: Message) -> str | None:
    """Return the signature that :func:`signed` wrote, or that another program put there."""
    found: Any = call
    for name in ("extra_content", "google", "thought_signature"):
        found = found.get(name) if isinstance(found, dict) else None
    return found if isinstance(found, str) and found else None


def as_json(value: Any, place: str) -> str:
    """Return *value* as JSON. Raises :class:`~sanitizers.errors.Unrepairable` where it is nested too deep."""
    try:
        return orjson.dumps(value).decode()
    except TypeError:  # a number of thirty digits, or nested deeply
        pass
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    except RecursionError:
        refuse(place, "is nested too deep")


def refuse(param: str, what: str) -> NoReturn:
    """Raise :class:`~sanitizers.errors.Unrepairable` for a list that cannot be read at *param*."""
    raise Unrepairable(f"'{param}' {what}.", rule="contents_unreadable", param=param)
