"""The stored form of the evidence for one deployment's repairs.

A value is a version byte and compressed JSON: the newest writes, and a list for each entry. A stored value is not
trusted. A damaged value reads as an empty table, and the next write replaces it. An entry that no table can have is
left out, so that it costs the other clients of the deployment nothing.
"""

from __future__ import annotations

import math
import zlib
from dataclasses import dataclass
from typing import Any

import orjson

from proxy.state.repairs.evidence import MAX_CONVERSATIONS, MAX_DOUBLINGS, Evidence
from proxy.state.repairs.repair_key import RepairKey
from proxy.state.repairs.repair_table import EMPTY, MAX_ENTRIES, Place, RepairTable

_VERSION = 1
_MOST_BYTES = 2**20
"""The most bytes of a value once it is unpacked."""

_MAX_WRITES = 16
_MOST_COUNT = 2**20
_MOST_TEXT = 4_096


@dataclass(frozen=True, slots=True)
class StoredRepairs:
    """A table, and the random names of the newest writes that led to it, the newest last.

    By its name, a process finds out if a write was done whose answer was lost.
    """

    table: RepairTable
    writes: tuple[str, ...] = ()

    def with_write(self, table: RepairTable, name: str) -> StoredRepairs:
        """Return *table* as the result of the write called *name*."""
        return StoredRepairs(table, (*self.writes, name)[-_MAX_WRITES:])


NOTHING_STORED = StoredRepairs(EMPTY)


def write_repairs(stored: StoredRepairs) -> bytes:
    """Return the bytes to store: 27 KB for a full table, and less than one for a usual one."""
    entries = [_entry(place, held) for place, held in stored.table.entries.items()]
    packed = orjson.dumps({"writes": stored.writes, "entries": entries})
    return bytes([_VERSION]) + zlib.compress(packed)


def read_repairs(value: bytes) -> StoredRepairs:
    """Return what *value* holds, and nothing for a damaged value."""
    try:
        packed = zlib.decompressobj().decompress(value[1:], _MOST_BYTES)
        fields = orjson.loads(packed)
        entries = _list(fields["entries"], MAX_ENTRIES)
        read = dict(entry for entry in map(_read_entry, entries) if entry is not None)
        return StoredRepairs(RepairTable(read), tuple(map(_text, _list(fields["writes"], _MAX_WRITES))))
    except (KeyError, TypeError, ValueError, zlib.error):
        return NOTHING_STORED


def is_of_other_version(value: bytes) -> bool:
    """Return True where another version of turnright wrote *value*. Such a value is neither read nor replaced."""
    return value[:1] != bytes([_VERSION])


def _entry(place: Place, held: Evidence) -> list[Any]:
    key = place.key
    return [
        *(place.client, key.fault, key.feature, key.words, key.loosens),
        *(round(held.confirmed, 4), round(held.contradicted, 4)),
        *(int(held.at), int(held.since), int(held.probed_at)),
        *(held.doublings, held.contradictions_in_a_row, held.is_alone),
        [[name, int(at)] for name, at in held.conversations],
    ]


def _read_entry(fields: Any) -> tuple[Place, Evidence] | None:
    try:
        return _entry_of(fields)
    except (TypeError, ValueError):
        return None


def _entry_of(fields: Any) -> tuple[Place, Evidence]:
    client, fault, feature, words, loosens, confirmed, contradicted, at, since, probed_at, *rest = fields
    doublings, in_a_row, is_alone, conversations = rest
    key = RepairKey(_text(fault), _text(feature), _text(words), _flag(loosens))
    return Place(_text(client), key), Evidence(
        confirmed=_number(confirmed, _MOST_COUNT),
        contradicted=_number(contradicted, _MOST_COUNT),
        at=_number(at),
        since=_number(since),
        probed_at=_number(probed_at),
        doublings=int(_number(doublings, MAX_DOUBLINGS)),
        contradictions_in_a_row=int(_number(in_a_row, 1)),
        is_alone=_flag(is_alone),
        conversations=tuple(
            (_text(name), _number(when)) for name, when in _list(conversations, MAX_CONVERSATIONS)
        ),
    )


def _number(value: Any, most: float = 2.0**53) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise TypeError
    if not 0 <= value <= most:
        raise ValueError
    return float(value)


def _text(value: Any) -> str:
    if not isinstance(value, str) or len(value) > _MOST_TEXT:
        raise TypeError
    return value


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise TypeError
    return value


def _list(value: Any, most: int) -> list[Any]:
    if not isinstance(value, list) or len(value) > most:
        raise TypeError
    return value
