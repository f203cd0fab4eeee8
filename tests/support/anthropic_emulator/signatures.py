"""Issues and verifies signatures of thinking blocks without state. So signatures stay valid after a restart.

A signature is a keyed hash over the thought. The key is fixed and public, so a signature proves nothing outside tests.
Source of the words: claude-code#10627, Antigravity-Manager#498. The text for `data` is made up in the same manner.
"""

import hashlib
import hmac
from base64 import b64decode, b64encode

INVALID = "{path}: Invalid `signature` in `thinking` block"
INVALID_DATA = "{path}: Invalid `data` in `redacted_thinking` block"
_KEY = b"turnright anthropic emulator: a public key, good for tests alone"
_MAGIC = b"\x12\x41\x4e\x01"


def sign(thought: str) -> str:
    """Return the signature of a thought."""
    return b64encode(_MAGIC + _digest(thought.encode())).decode()


def is_signed(thought: str, signature: str) -> bool:
    """Return whether *signature* is the one that :func:`sign` issues for the text *thought*."""
    return hmac.compare_digest(sign(thought).encode(), signature.encode(errors="replace"))


def redact(thought: str) -> str:
    """Return the `data` of a redacted thought."""
    raw = thought.encode()
    return b64encode(_MAGIC + _digest(raw) + raw).decode()


def is_redacted(data: str) -> bool:
    """Return whether *data* was made by `redact`."""
    try:
        raw = b64decode(data, validate=True)
    except ValueError:
        return False
    return raw.startswith(_MAGIC) and hmac.compare_digest(raw[4:20], _digest(raw[20:]))


def _digest(raw: bytes) -> bytes:
    return hmac.new(_KEY, raw, hashlib.sha256).digest()[:16]
