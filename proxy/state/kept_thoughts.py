"""The stored form of an answer's thoughts, with their order among its texts and calls.

They are stored under the id of the answer's first call, which the proxy made. An answer without calls has the digest of
the conversation up to and with its text. A provider's own id is never a key: two clients may get the same one. The
text and the calls are stored as digests, so that thoughts go back only with the very turn that they belong to.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import orjson

from proxy.state.kept_signatures import digests_of


class Called(NamedTuple):
    """A call of an answer, as the client got it."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Thoughts:
    """The thoughts of one answer. *entries* have the form of ``thinking_blocks`` with places, and the client's ids."""

    entries: Sequence[dict[str, Any]]
    text: str
    calls: Sequence[Called]


@dataclass(frozen=True, slots=True)
class StoredThoughts:
    """Thoughts from a store, with their origin. *calls* has the two digests of each call, by its id."""

    origin: str
    entries: tuple[dict[str, Any], ...]
    text: str
    calls: dict[str, list[str]]

    def entries_for(self, text: str, calls: Sequence[Called]) -> list[dict[str, Any]] | None:
        """Return the entries for a turn with *text* and *calls*, or None where it is another turn.

        White space around the text may differ, since some clients trim it. The place of a text that is the only one has
        its new length then.
        """
        if _digest(text) != self.text or {call.id for call in calls} != self.calls.keys():
            return None
        if not all(_is_same(call, self.calls[call.id]) for call in calls):
            return None
        entries = list(self.entries)
        places = [at for at, entry in enumerate(entries) if entry.get("type") == "text"]
        if sum(entries[at].get("length", 0) for at in places) == len(text):
            return entries
        if len(places) != 1:
            kept = [at for at in places if entries[at].get("length")]
            if len(kept) != 1:
                return None
            places = kept
        entries[places[0]] = {"type": "text", "length": len(text)}
        return entries


def pack_thoughts(thoughts: Thoughts, origin: str) -> bytes:
    """Return the bytes that a store keeps of *thoughts*. *origin* names the endpoint and the family of models."""
    calls = {call.id: digests_of(call.name, call.arguments) for call in thoughts.calls}
    kept = {
        "origin": origin,
        "entries": list(thoughts.entries),
        "text": _digest(thoughts.text),
        "calls": calls,
    }
    return orjson.dumps(kept)


def unpack_thoughts(value: bytes) -> StoredThoughts | None:
    """Return the unpacked value. None for bytes that another version, or another program, has left in a store."""
    try:
        kept = orjson.loads(value)
        origin, entries, text, calls = (kept[name] for name in ("origin", "entries", "text", "calls"))
    except (KeyError, TypeError, ValueError):
        return None
    is_readable = (
        isinstance(origin, str)
        and isinstance(text, str)
        and isinstance(entries, list)
        and all(isinstance(entry, dict) for entry in entries)
        and isinstance(calls, dict)
        and all(isinstance(digests, list) and len(digests) == 2 for digests in calls.values())
    )
    return StoredThoughts(origin, tuple(entries), text, calls) if is_readable else None


def _is_same(call: Called, stored: Sequence[str]) -> bool:
    written, meant = digests_of(call.name, call.arguments)
    return written == stored[0] or meant == stored[1]


def _digest(text: str) -> str:
    return hashlib.blake2b(text.strip().encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()
