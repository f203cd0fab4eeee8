"""The bytes of a stored value: JSON, compressed where it is long, and in parts where it is longer still.

The first part begins with a version, a flag for compression, the number of further parts and the length of the JSON.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence
from typing import Any, NamedTuple

import orjson

from proxy.core.json_text import write_json
from proxy.state.sessions.record_store import PART_BYTES

_VERSION = 1
_HEADER = struct.Struct(">BBHI")
_PLAIN_BYTES = 1_024
"""JSON up to this many bytes is not compressed."""

_LEVEL = 1
"""zlib's fastest level. Level 6 takes three times as long for values that are 15 % smaller (2026-11)."""

MAX_PARTS = 2**16 - 1
MAX_RAW = 2**32 - 1


class Header(NamedTuple):
    """The first bytes of a value: whether it is compressed, its further parts, and the length of its JSON."""

    is_compressed: bool
    further_parts: int
    raw_bytes: int


class Packed(NamedTuple):
    """A value as it is stored: its parts, of which the first has the header, and the length of its JSON."""

    parts: tuple[bytes, ...]
    raw_bytes: int

    @property
    def stored_bytes(self) -> int:
        """The bytes of all parts."""
        return sum(map(len, self.parts))


def part_key(key: str, number: int) -> str:
    """Return the key of a further part of the value under *key*. *number* begins with 1."""
    return f"{key}/{number}"


def pack_value(value: Any) -> Packed:
    """Return *value* as it is stored. Raises :class:`ValueError` for a value that cannot be written or is too long."""
    try:
        raw = write_json(value)
    except (TypeError, RecursionError) as error:
        raise ValueError("this value cannot be written as JSON") from error
    is_compressed = len(raw) > _PLAIN_BYTES
    body = zlib.compress(raw, _LEVEL) if is_compressed else raw
    room = PART_BYTES - _HEADER.size
    first, rest = body[:room], body[room:]
    further = [rest[start : start + PART_BYTES] for start in range(0, len(rest), PART_BYTES)]
    if len(further) > MAX_PARTS or len(raw) > MAX_RAW:
        raise ValueError("this value is too long")
    header = _HEADER.pack(_VERSION, is_compressed, len(further), len(raw))
    return Packed((header + first, *further), len(raw))


def read_header(first: bytes) -> Header | None:
    """Return the header of a value's first part, or None for bytes of another version or program."""
    if len(first) < _HEADER.size:
        return None
    version, flag, further, raw = _HEADER.unpack_from(first)
    return Header(flag == 1, further, raw) if version == _VERSION and flag in (0, 1) else None


def unpack_value(header: Header, parts: Sequence[bytes]) -> Any:
    """Return the value of all *parts*, as :func:`join_parts` does for its JSON."""
    return orjson.loads(join_parts(header, parts))


def join_parts(header: Header, parts: Sequence[bytes]) -> bytes:
    """Return the JSON in all *parts*, the first of which has *header*. Raises :class:`ValueError` for damaged parts.

    No more than the header's length is decompressed. The caller has checked that length.
    """
    if len(parts) != header.further_parts + 1:
        raise ValueError("this value is damaged")
    body = b"".join((parts[0][_HEADER.size :], *parts[1:]))
    if header.is_compressed:
        unpacker = zlib.decompressobj()
        try:
            # one byte more than expected, so that a longer text is noticed
            body = unpacker.decompress(body, header.raw_bytes + 1)
        except zlib.error as error:
            raise ValueError("this value is damaged") from error
        if not unpacker.eof or unpacker.unused_data:
            raise ValueError("this value is damaged")
    if len(body) != header.raw_bytes:
        raise ValueError("this value is damaged")
    return body
