"""The stored form of conversations' summaries, and of the index that lists the summaries of one conversation.

A summary replaces the first messages of a history. A summary is found by the digest of these messages, so that the same
history gets the same summary in every process. A summary is never changed once it is stored.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

DIGEST_BYTES = 16
"""Bytes of a digest of messages."""

MAX_ENTRIES = 64
"""The most summaries in the index of one conversation. The entry that was not used for longest is dropped first."""

_VERSION = 1
_PLAIN_BYTES = 32 * 2**10
"""Packed bytes above which a summary is compressed.

An external store takes at most 64 KiB for a value, and usual summaries have 30 KiB.
"""

_MOST_BYTES = 2**20
"""The most bytes of a compressed summary once it is unpacked."""

_ENTRY = struct.Struct(f">II{DIGEST_BYTES}s")


@dataclass(frozen=True, slots=True)
class Reflection:
    """A model's summary of the messages from index *start* up to *end*, as indexes of the client's history."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Summary:
    """The memory of a conversation: the text that replaces its older messages, which end before index *end*.

    *pinned* are the indexes of messages before *end* that are sent nevertheless. *text* is the content of the memory
    message, and *tokens* are the message's tokens as they were counted when it was written. *meta* is the reflection
    that stands for older reflections, if there is one. *created* is the Unix time in seconds. *model* is the configured
    name of the model that summarized.
    """

    end: int
    pinned: tuple[int, ...]
    text: str
    tokens: int
    meta: Reflection | None
    reflections: tuple[Reflection, ...]
    created: int
    model: str


@dataclass(frozen=True, slots=True)
class IndexEntry:
    """One summary in a conversation's index.

    *end* is the number of messages that the summary covers, and *digest* is the digest of these messages. Only
    histories of at least *since* messages may use the summary. A repeated request that was sent whole is therefore sent
    whole again.
    """

    end: int
    since: int
    digest: bytes

    @property
    def key(self) -> str:
        """The key of the summary in the store."""
        return self.digest.hex()


def pack_summary(summary: Summary) -> bytes:
    """Return the bytes that a store keeps of *summary*: JSON, compressed where it is long."""
    packed = orjson.dumps(
        {
            "version": _VERSION,
            "end": summary.end,
            "pinned": summary.pinned,
            "text": summary.text,
            "tokens": summary.tokens,
            "meta": None if summary.meta is None else _reflection_values(summary.meta),
            "reflections": [_reflection_values(each) for each in summary.reflections],
            "created": summary.created,
            "model": summary.model,
        }
    )
    return packed if len(packed) <= _PLAIN_BYTES else zlib.compress(packed)


def unpack_summary(value: bytes) -> Summary | None:
    """Return the summary that *value* holds, or None.

    None is returned for bytes that another version, or another program, has left in a store.
    """
    try:
        if value[:1] != b"{":
            value = zlib.decompressobj().decompress(value, _MOST_BYTES)
        values = orjson.loads(value)
        if values["version"] != _VERSION:
            return None
        meta = values["meta"]
        return Summary(
            _index(values["end"]),
            tuple(_index(at) for at in values["pinned"]),
            _text(values["text"]),
            _index(values["tokens"]),
            None if meta is None else _reflection(meta),
            tuple(_reflection(each) for each in values["reflections"]),
            _index(values["created"]),
            _text(values["model"]),
        )
    except (AttributeError, KeyError, TypeError, ValueError, zlib.error):
        return None


def pack_reflection(reflection: Reflection) -> bytes:
    """Return the bytes that a store keeps of *reflection*, which is a summary of other reflections."""
    return orjson.dumps({"version": _VERSION, "reflection": _reflection_values(reflection)})


def unpack_reflection(value: bytes) -> Reflection | None:
    """Return the unpacked reflection, or None for bytes of another version or program."""
    try:
        values = orjson.loads(value)
        return _reflection(values["reflection"]) if values["version"] == _VERSION else None
    except (AttributeError, KeyError, TypeError, ValueError):
        return None


def pack_index(entries: Iterable[IndexEntry]) -> bytes:
    """Return the bytes that a store keeps of a conversation's index, oldest entry first."""
    packed = b"".join(_ENTRY.pack(entry.end, entry.since, entry.digest) for entry in entries)
    return bytes([_VERSION]) + packed


def unpack_index(value: bytes) -> tuple[IndexEntry, ...]:
    """Return the entries of an index. Bytes of another version or program give no entries."""
    if value[:1] != bytes([_VERSION]) or (len(value) - 1) % _ENTRY.size:
        return ()
    return tuple(IndexEntry(*fields) for fields in _ENTRY.iter_unpack(value[1:]))


def with_entry(entries: Sequence[IndexEntry], entry: IndexEntry, used: bytes = b"") -> tuple[IndexEntry, ...]:
    """Return *entries* with *entry* as the newest, and the entry with the digest *used* before it.

    *used* is the summary that the conversation has used so far. The entries that were not used for longest are left
    out beyond :data:`MAX_ENTRIES`.
    """
    kept = [each for each in entries if each.digest not in (entry.digest, used)]
    last_used = [each for each in entries if each.digest == used != entry.digest]
    return (*kept, *last_used, entry)[-MAX_ENTRIES:]


def _reflection_values(reflection: Reflection) -> list[Any]:
    return [reflection.start, reflection.end, reflection.text]


def _reflection(values: Any) -> Reflection:
    start, end, text = values
    return Reflection(_index(start), _index(end), _text(text))


def _index(value: Any) -> int:
    if value.__class__ is not int or not 0 <= value < 2**32:
        raise TypeError
    return int(value)


def _text(value: Any) -> str:
    if value.__class__ is not str:
        raise TypeError
    return str(value)
