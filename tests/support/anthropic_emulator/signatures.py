"""Issues and verifies signatures of thinking blocks without state. So signatures stay valid after a restart.

A signature is a keyed hash over the thought, and over its place in the answer. The key is fixed and public, so a
signature proves nothing outside tests. Source of the words: claude-code#10627, Antigravity-Manager#498. The text for
`data` is made up in the same manner.
"""

import hashlib
import hmac
import json
from base64 import b64decode, b64encode
from dataclasses import astuple, dataclass

INVALID = "{path}: Invalid `signature` in `thinking` block"
INVALID_DATA = "{path}: Invalid `data` in `redacted_thinking` block"
_KEY = b"turnright anthropic emulator: a public key, good for tests alone"
_MAGIC = b"\x12\x41\x4e\x01"
_SEPARATOR = b"\x00"


@dataclass(frozen=True, slots=True)
class Place:
    """The place of a thought in an answer. Nothing of it is known of a thought that a test has signed by itself."""

    answer: str = ""
    number: int = 0
    count: int = 0
    """The number of all thoughts of the answer."""

    before: str = ""
    """The kinds of blocks between this thought and the one before it, as :func:`kinds_of` in `placing` has them."""


NOWHERE = Place()


def sign(thought: str, place: Place = NOWHERE) -> str:
    """Return the signature of a thought at its place."""
    placed = _packed(place)
    return b64encode(_MAGIC + _digest(placed + _SEPARATOR + thought.encode()) + placed).decode()


def is_signed(thought: str, signature: str) -> bool:
    """Return whether *signature* is one that :func:`sign` issues for the text *thought*."""
    place = place_of(signature)
    return place is not None and hmac.compare_digest(
        sign(thought, place).encode(), signature.encode(errors="replace")
    )


def redact(thought: str, place: Place = NOWHERE) -> str:
    """Return the `data` of a redacted thought. It seals other contents too."""
    raw = _packed(place) + _SEPARATOR + thought.encode()
    return b64encode(_MAGIC + _digest(raw) + raw).decode()


def is_redacted(data: str) -> bool:
    """Return whether *data* was made by `redact`."""
    raw = _decoded(data)
    return raw is not None and hmac.compare_digest(raw[4:20], _digest(raw[20:]))


def place_of(seal: str) -> Place | None:
    """Return the place in a signature or in `data`, or None if the emulator has not made it."""
    raw = _decoded(seal)
    if raw is None:
        return None
    packed = raw[20:].partition(_SEPARATOR)[0]
    try:
        return Place(*json.loads(packed)) if packed else NOWHERE
    except (TypeError, ValueError):
        return None


def _packed(place: Place) -> bytes:
    return b"" if place == NOWHERE else json.dumps(astuple(place)).encode()


def _decoded(seal: str) -> bytes | None:
    try:
        raw = b64decode(seal, validate=True)
    except ValueError:
        return None
    return raw if raw.startswith(_MAGIC) else None


def _digest(raw: bytes) -> bytes:
    return hmac.new(_KEY, raw, hashlib.sha256).digest()[:16]
