"""Read the fields of an object under both spellings of proto JSON, and the values that Google takes in several forms.

A field may be in camel case or in snake case: ``functionCall`` and ``function_call``. The two may stand side by side in
one request (google-genai sends ``{"thinkingConfig": {"thinking_budget": 0}}``). Google's parser also takes one value in
place of a list, the words of an enum in any case, and an enum's number. google-ai-generativelanguage asks for numbers
with REST. Sources: protobuf's page "ProtoJSON Format", and google-ai-generativelanguage 0.12 (2026-11).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import Any, NoReturn

from sanitizers.errors import Unrepairable

Spellings = Mapping[str, str]
"""Maps each spelling of a field to its name in camel case."""


def snake_name(name: str) -> str:
    """Return the proto's own spelling of *name*, which is in camel case."""
    return re.sub(r"(?<!^)(?<!_)([A-Z])", r"_\1", name).lower()


_snake_of = lru_cache(maxsize=256)(snake_name)
"""Returns the proto's spelling of a name that is not the client's."""


def both_spellings(*names: str) -> Spellings:
    """Return the spellings of *names*, which are in camel case."""
    return MappingProxyType({spelling: name for name in names for spelling in (snake_name(name), name)})


def read_object(holder: Mapping[str, Any], spellings: Spellings, place: str = "") -> dict[str, Any]:
    """Return the fields of *holder* that are in *spellings*, by their names in camel case.

    *place* is the path of *holder*. A field of null counts as missing. Raises
    :class:`~sanitizers.errors.Unrepairable` for a field that has both spellings, since parsers differ in which of the
    two counts.
    """
    found: dict[str, Any] = {}
    for key, value in holder.items():
        name = spellings.get(key)
        if name is None or value is None:
            continue
        if name in found:
            refuse(path_of(place, name), "is given twice, in both spellings of its name")
        found[name] = value
    return found


def key_of(holder: Mapping[str, Any], name: str) -> str:
    """Return the key under which *holder* has the field *name*, or *name* itself where it has no such field.

    A field of null counts only where the other spelling is missing. *name* is one that the code or the operator knows.
    """
    if holder.get(name) is not None:
        return name
    snake = _snake_of(name)
    return snake if snake in holder and (name not in holder or holder[snake] is not None) else name


def path_of(place: str, name: str) -> str:
    """Return the path of the field *name* of the object at *place*."""
    return f"{place}.{name}" if place else name


def as_list(value: Any) -> Sequence[Any]:
    """Return *value*, a list, or a list of one where it is no list. None is an empty list."""
    if isinstance(value, list):
        return value
    return [] if value is None else [value]


def enum_word(value: Any, words: Sequence[str]) -> str | None:
    """Return the word of *words* that *value* is, in any case or by its number, or None for any other value.

    *words* are those of an enum in capitals, in the order of their numbers.
    """
    if isinstance(value, str):
        word = value.upper()
        return word if word in words else None
    if type(value) is int and 0 <= value < len(words):
        return words[value]
    return None


def refuse(param: str, what: str, rule: str = "field_unreadable") -> NoReturn:
    """Raise :class:`~sanitizers.errors.Unrepairable` for the field at *param*, which *what* describes."""
    raise Unrepairable(f"'{param}' {what}.", rule=rule, param=param)
