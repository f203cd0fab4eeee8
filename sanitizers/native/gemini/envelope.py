"""The envelope: thoughts of another model's in the ``thoughtSignature`` of a call, which clients return unread.

Claude needs the thoughts of an open turn again. gemini-cli removes thought parts, and keeps the ``thoughtSignature`` of
calls. The envelope holds the id of the call that it belongs to, and a tag of the thoughts' origin. It is bound to one
tenant (:mod:`sanitizers.native.seal`). So it is recognized before it reaches Gemini, which would refuse it, and another
client's envelope is of no use.

The field is a proto ``bytes``. google-genai for Python decodes the text and encodes it again, in the URL's alphabet or
in the standard one. So an envelope is padded base64, and both alphabets are recognized.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sanitizers.native.seal import MAX_BYTES, PREFIX, encode_fields, open_sealed, seal
from sanitizers.record import record

_KIND = "thoughts"
_STANDARD_PREFIX = PREFIX.replace("_", "/").replace("-", "+")


@record
class SealedThoughts:
    """The *blocks* of thoughts that belong to the call *call_id*, from the origin with the tag *origin*.

    Some of *blocks* may be places of texts and calls between the thoughts.
    """

    origin: str
    call_id: str
    blocks: list[dict[str, Any]]


def is_own(text: str) -> bool:
    """Tell whether *text* claims to be an envelope of the proxy's, in either alphabet. It may still be damaged."""
    return text.startswith((PREFIX, _STANDARD_PREFIX))


def pack_thoughts(blocks: Sequence[dict[str, Any]], origin: str, call_id: str, tenant: str) -> str | None:
    """Return *blocks* as the ``thoughtSignature`` of the call *call_id* of *tenant*.

    *origin* is the tag of the model that had the thoughts. Returns None where the text would be too long to be read
    again, and where there is nothing to keep.
    """
    if not blocks:
        return None
    encoded = encode_fields({"kind": _KIND, "origin": origin, "call_id": call_id, "blocks": [*blocks]})
    if len(encoded) > MAX_BYTES:
        return None
    text = seal(encoded, tenant)
    return text + "=" * (-len(text) % 4)


def unpack_thoughts(text: str, tenant: str) -> SealedThoughts | None:
    """Return what the ``thoughtSignature`` *text* holds.

    Returns None for a foreign, damaged or too long text, and for one of another tenant. Never raises.
    """
    if not is_own(text):
        return None
    fields = open_sealed(text.rstrip("=").replace("+", "-").replace("/", "_"), _KIND, tenant)
    origin, call_id, blocks = fields.get("origin"), fields.get("call_id"), fields.get("blocks")
    if not (isinstance(origin, str) and isinstance(call_id, str) and isinstance(blocks, list)):
        return None
    if not all(isinstance(block, dict) for block in blocks):
        return None
    return SealedThoughts(origin, call_id, blocks)
