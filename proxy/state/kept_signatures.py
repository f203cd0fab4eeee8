"""The stored form of a tool call's thought signature, under the call id that the client got.

The name and the arguments are stored as digests. A signature is sent back only with the call that it was made for,
never with a changed call. Clients that decode arguments write them back in another order and with other blanks. A
second digest ignores these differences.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import orjson

from sanitizers.messages import is_too_dense


@dataclass(frozen=True, slots=True)
class Signed:
    """A signed call of an answer, as it came from the model. An empty *name* means a signed text instead of a call."""

    id: str
    name: str
    arguments: str
    signature: str


@dataclass(frozen=True, slots=True)
class StoredSignature:
    """A signature from a store, with its origin and two digests of its call: as written, and as canonical JSON."""

    signature: str
    origin: str
    as_written: str
    as_meant: str

    def is_of(self, name: str, arguments: str) -> bool:
        """Return True where the call *name* with *arguments* is the one that was signed."""
        return _digest(name, arguments.encode("utf-8", "surrogatepass")) == self.as_written or (
            (meant := _meant(arguments)) is not None and _digest(name, meant) == self.as_meant
        )


def pack(signed: Signed, origin: str) -> bytes:
    """Return the bytes that a store keeps of *signed*. *origin* names the endpoint and model family that signed."""
    as_written, as_meant = digests_of(signed.name, signed.arguments)
    return orjson.dumps(
        {"signature": signed.signature, "origin": origin, "as_written": as_written, "as_meant": as_meant}
    )


def digests_of(name: str, arguments: str) -> tuple[str, str]:
    """Return the digests of the call *name* with *arguments*: as written, and as canonical JSON."""
    written = arguments.encode("utf-8", "surrogatepass")
    return _digest(name, written), _digest(name, _meant(arguments) or b"")


def unpack(value: bytes) -> StoredSignature | None:
    """Return the unpacked value. None for bytes that another version, or another program, has left in a store."""
    try:
        kept = StoredSignature(**orjson.loads(value))
    except (TypeError, ValueError):
        return None
    for field in (kept.signature, kept.origin, kept.as_written, kept.as_meant):
        if field.__class__ is not str:  # without a call, since each call's signature passes here
            return None
    return kept


REFUSED = "refused"
"""The origin of a signature that a provider has refused, in place of its supposed origin."""


def pack_refused() -> bytes:
    """Return the bytes that a store keeps of a refused signature. Its origin then matches no deployment.

    The signature's text came from a client, and is not stored.
    """
    return pack(Signed("", "", "", ""), REFUSED)


_LONGEST_CACHED = 2_048
_MAX_CACHED = 2_048
"""The most signatures in the cache, and the characters of the longest one: 5 MB in all."""

TEXT_PREFIX = "text_"
"""The beginning of every key that :func:`text_key` returns."""


def text_key(signature: str) -> str:
    """Return the store's key of a signature that has no call id of the proxy, such as a text's signature.

    The stored value is found by this key when the client sends the signature back. Keys of signatures of the usual
    length are cached, since they come with every request of a conversation.
    """
    return _cached_text_key(signature) if len(signature) <= _LONGEST_CACHED else _text_key(signature)


def _text_key(signature: str) -> str:
    return f"{TEXT_PREFIX}{hashlib.sha256(signature.encode('utf-8', 'surrogatepass')).hexdigest()[:32]}"


_cached_text_key = lru_cache(maxsize=_MAX_CACHED)(_text_key)


def _digest(name: str, arguments: bytes) -> str:
    named = name.encode("utf-8", "surrogatepass")
    return hashlib.blake2b(named + b"\0" + arguments, digest_size=12).hexdigest()


def _meant(arguments: str) -> bytes | None:
    """Return *arguments* as canonical JSON, or None where they cannot be parsed.

    Numbers become doubles, as in a protobuf Struct and in JavaScript.
    """
    if is_too_dense(arguments):
        return None
    try:
        return orjson.dumps(_as_doubles(orjson.loads(arguments)), option=orjson.OPT_SORT_KEYS)
    except (ValueError, TypeError, RecursionError, OverflowError):
        return None


def _as_doubles(value: Any) -> Any:
    if type(value) is dict:
        return {key: _as_doubles(item) for key, item in value.items()}
    if type(value) is list:
        return [_as_doubles(item) for item in value]
    return float(value) if type(value) is int else value
