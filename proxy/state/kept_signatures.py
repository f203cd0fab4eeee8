"""What is kept of a signed call, under the id that the client got for it.

The name and the arguments are kept as digests: a signature goes back on the call that it was made for, and not on one
that the client, or a repair of the answer, has changed since. Clients may write the arguments anew, in another order
and with other blanks, as those do that keep them decoded.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

import orjson

from sanitizers.messages import is_too_dense

SPACE = "signatures"
"""Where a store has them."""


@dataclass(frozen=True, slots=True)
class Signed:
    """A signed call of an answer, or with an empty *name* the text of one, as it came from the model."""

    id: str
    name: str
    arguments: str
    signature: str


@dataclass(frozen=True, slots=True)
class Kept:
    """What a store gave back."""

    signature: str
    origin: str
    as_written: str
    as_meant: str

    def is_of(self, name: str, arguments: str) -> bool:
        """Tell whether the call *name* with *arguments* is the one that was signed."""
        return _digest(name, arguments.encode("utf-8", "surrogatepass")) == self.as_written or (
            (meant := _meant(arguments)) is not None and _digest(name, meant) == self.as_meant
        )


def pack(signed: Signed, origin: str) -> bytes:
    """Return what a store keeps of *signed*, made at *origin*."""
    written = signed.arguments.encode("utf-8", "surrogatepass")
    return orjson.dumps(
        {
            "signature": signed.signature,
            "origin": origin,
            "as_written": _digest(signed.name, written),
            "as_meant": _digest(signed.name, _meant(signed.arguments) or b""),
        }
    )


def unpack(value: bytes) -> Kept | None:
    """Return what was packed; None for what another version may have left in a store."""
    try:
        return Kept(**orjson.loads(value))
    except (TypeError, ValueError):
        return None


REFUSED = "refused"
"""In place of an origin: the signature was refused where it was taken for a good one."""


def pack_refused() -> bytes:
    """Return what a store keeps of a signature that was refused: from then on it is everywhere another's.

    Its text is a client's, and not kept.
    """
    return pack(Signed("", "", "", ""), REFUSED)


def text_key(signature: str) -> str:
    """Return the key of a signature by itself, where there is no id of ours: it has to come back to be found."""
    return f"text_{hashlib.sha256(signature.encode('utf-8', 'surrogatepass')).hexdigest()[:32]}"


def _digest(name: str, arguments: bytes) -> str:
    named = name.encode("utf-8", "surrogatepass")
    return hashlib.blake2b(named + b"\0" + arguments, digest_size=12).hexdigest()


def _meant(arguments: str) -> bytes | None:
    """Return arguments in one spelling; numbers as the doubles that a protobuf Struct, and JavaScript, hold."""
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
