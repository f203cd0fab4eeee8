"""The types of the fields of a request to Gemini, and the error for a value of another type.

Numbers may be quoted, and a whole number may have a fraction of zero, as in proto JSON. The provider checks most
ranges, since they differ by model. An error has the field's path in camel case, and tells nothing of the value.
Sources: ai.google.dev/api/generate-content and google-genai 3.4 (2026-11).
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NoReturn

from proxy.core.errors import InvalidRequest
from proxy.ingress.parameter_limits import MAX_ENTRIES, MAX_VALUES, check_entries
from sanitizers.native.gemini.spellings import both_spellings
from sanitizers.work_limit import metered

FIELDS = both_spellings(
    "cachedContent",
    "contents",
    "generationConfig",
    "labels",
    "model",
    "safetySettings",
    "serviceTier",
    "store",
    "systemInstruction",
    "toolConfig",
    "tools",
)
"""The known fields of a request, in both spellings. A field of null counts as not set."""

_LONGEST_NUMBER = 32
_MOST = 2**53

_KINDS: Mapping[str, tuple[type, ...]] = MappingProxyType(
    {
        "cachedContent": (str,),
        "generationConfig": (dict,),
        "labels": (dict,),
        "model": (str,),
        "safetySettings": (list, dict),
        "serviceTier": (str, int),
        "store": (bool,),
        "systemInstruction": (dict, str),
        "toolConfig": (dict,),
        "tools": (list, dict),
    }
)

_WORDS = {bool: "a boolean", dict: "an object", int: "a number", list: "a list", str: "a string"}


def refuse_field(place: str, words: str) -> NoReturn:
    """Raise :class:`InvalidRequest` for the field at *place*. *words* say what it must be."""
    raise InvalidRequest(f"'{place}' {words}.", param=place)


def check_field(name: str, value: Any) -> None:
    """Raise :class:`InvalidRequest` unless *value* has the type of the field *name*, one of :data:`FIELDS`."""
    kinds = _KINDS.get(name, ())
    if kinds and type(value) not in kinds:
        refuse_field(name, f"must be {' or '.join(_WORDS[kind] for kind in kinds)}")
    if name == "tools" and isinstance(value, list):
        check_size(name, value, "tools")
    if name == "safetySettings" and isinstance(value, list):
        for index, entry in enumerate(metered(value)):
            if not isinstance(entry, dict):
                refuse_field(f"{name}[{index}]", "must be an object")


def check_size(place: str, value: Any, parameter: str) -> None:
    """Raise :class:`InvalidRequest` unless *value* has as few entries as the chat's *parameter* may have."""
    try:
        check_entries(parameter, value)
    except InvalidRequest:
        most = MAX_ENTRIES.get(parameter) or MAX_VALUES[parameter]
        refuse_field(
            place, f"has too many entries: at most {most} are taken, and no setting moves this limit"
        )


def read_text(place: str, value: Any) -> str:
    """Return *value*. Raises :class:`InvalidRequest` for what is no text."""
    if not isinstance(value, str):
        refuse_field(place, "must be a string")
    return value


def read_flag(place: str, value: Any) -> bool:
    """Return *value*. Raises :class:`InvalidRequest` for what is no boolean."""
    if not isinstance(value, bool):
        refuse_field(place, "must be a boolean")
    return value


def read_number(place: str, value: Any) -> float:
    """Return the number in *value*. Raises :class:`InvalidRequest` for what is no finite number."""
    number = _parsed(value)
    if number is None:
        refuse_field(place, "must be a number")
    return number


def read_whole(place: str, value: Any, least: int, most: int = _MOST) -> int:
    """Return the whole number in *value*. Raises :class:`InvalidRequest` for one below *least* or above *most*."""
    number = _parsed(value)
    if number is None or number != int(number) or not least <= number <= most:
        limit = f" from {least} on" if most == _MOST else f" from {least} to {most}"
        refuse_field(place, f"must be a whole number{limit}")
    return int(number)


def _parsed(value: Any) -> float | None:
    if isinstance(value, str) and 0 < len(value) <= _LONGEST_NUMBER:
        try:
            value = int(value) if value.lstrip("-").isdigit() else float(value)
        except ValueError:
            return None
    # a float that is not a number compares as false
    if type(value) not in (float, int) or not abs(value) < _MOST:
        return None
    return value  # type: ignore[no-any-return]
