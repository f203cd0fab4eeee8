"""Finds the field of a request that an error of Google's names by its path, and leaves it out.

The paths are the proto's: ``contents[1].parts[0].function_call``, ``tools[0].function_declarations[2].parameters``.
An entry of a map stands by its number, and its value under ``value``: ``properties[3].value``. A request may have the
names of JSON or those of the proto, and an error's words are in lower case here.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

_SEGMENT = re.compile(r"([a-z_]\w{0,63})((?:\[\d{1,6}\]){0,3})", re.ASCII | re.I)
_NUMBER = re.compile(r"\d+")
_MOST_SEGMENTS = 24

Path = Sequence[str | int]
"""The names and numbers of a path, from the outside to the inside."""


def read_path(text: str) -> list[str | int] | None:
    """Return the names and numbers of the path *text*, or None for anything else."""
    path: list[str | int] = []
    segments = text.split(".", _MOST_SEGMENTS)
    for segment in segments[:_MOST_SEGMENTS]:
        found = _SEGMENT.fullmatch(segment)
        if found is None:
            return None
        path += [found[1], *map(int, _NUMBER.findall(found[2]))]
    return path if len(segments) <= _MOST_SEGMENTS else None


def without_proto_field(value: Any, path: Path) -> Any:
    """Return *value* without the field at *path*, or *value* itself where there is none.

    Only the containers on the way are copied. Objects keep the order of their keys.
    """
    if not path:
        return value
    step, rest = path[0], path[1:]
    if isinstance(step, int):
        if isinstance(value, dict) and rest[:1] == ["value"]:  # an entry of a map
            keys = list(value)
            if step >= len(keys):
                return value
            return _with(value, keys[step], without_proto_field(value[keys[step]], rest[1:]))
        if not isinstance(value, list):
            return without_proto_field(value, rest) if step == 0 else value
        if step >= len(value):
            return value
        made = without_proto_field(value[step], rest)
        return value if made is value[step] else [*value[:step], made, *value[step + 1 :]]
    if not isinstance(value, dict) or (key := _key_of(value, step)) is None:
        return value
    if not rest:
        return {name: held for name, held in value.items() if name != key}
    return _with(value, key, without_proto_field(value[key], rest))


def _with(holder: dict[str, Any], key: str, made: Any) -> dict[str, Any]:
    return holder if made is holder[key] else {**holder, key: made}


def _key_of(holder: dict[str, Any], name: str) -> str | None:
    """Return the key of *holder* that is *name* in any case and in either spelling."""
    wanted = name.replace("_", "").lower()
    return next((key for key in holder if key.replace("_", "").lower() == wanted), None)
