"""The entries of the space ``cooldowns``: a cooldown that stands, or the mark of one that an answer has ended.

Each cooldown has a random id. A mark names the id of the cooldown that it ends. So a late mark never ends a newer
cooldown, and a replica never takes a cooldown that has ended for a new one.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import orjson

_LONGEST_S = 3_600.0
"""The longest cooldown of a circuit. An entry that says more is from another version, or damaged."""

_ID_LETTERS = 64


class Cooldown(NamedTuple):
    """A cooldown that a provider asked for: its id, and the seconds that were left when it was written."""

    id: str
    seconds: float


class Closed(NamedTuple):
    """The end of the cooldown with this id, since the provider has answered."""

    id: str


Entry: TypeAlias = Cooldown | Closed


def write_entry(entry: Entry) -> bytes:
    """Return the stored form of *entry*."""
    if isinstance(entry, Cooldown):
        return orjson.dumps({"id": entry.id, "seconds": entry.seconds})
    return orjson.dumps({"closed": entry.id})


def read_entry(value: bytes | None) -> Entry | None:
    """Return the entry in *value*, or None where *value* is None or cannot be read."""
    if value is None:
        return None
    try:
        fields = orjson.loads(value)
    except orjson.JSONDecodeError:
        return None
    match fields:
        case {"closed": str(id_)} if _is_id(id_):
            return Closed(id_)
        case {"id": str(id_), "seconds": int() | float() as seconds} if _is_id(id_) and seconds > 0:
            return Cooldown(id_, min(float(seconds), _LONGEST_S))
    return None


def _is_id(text: str) -> bool:
    return 0 < len(text) <= _ID_LETTERS
