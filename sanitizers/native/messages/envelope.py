"""The envelope: a signature of another model's in the ``signature`` of a thinking block, which clients return unread.

A Gemini call needs its signature again. Claude Code drops additional fields of blocks, but it returns thinking blocks
verbatim. The envelope holds the id of the call that it belongs to, a tag of the signature's origin, and it is bound to
one tenant (:mod:`sanitizers.native.seal`). So it is recognized before it reaches Anthropic, which would refuse it, and
another client's envelope is of no use.
"""

from __future__ import annotations

from sanitizers.native.seal import MAX_BYTES, encode_fields, is_own, open_sealed, seal
from sanitizers.record import record

__all__ = ["SignedCall", "is_own", "pack_signature", "unpack_signature"]

_KIND = "call"


@record
class SignedCall:
    """The *signature* of the call *call_id*, from the origin with the tag *origin*.

    All three are empty for thoughts that nobody signed.
    """

    origin: str
    call_id: str
    signature: str


def pack_signature(signed: SignedCall, tenant: str) -> str:
    """Return *signed* as the ``signature`` of a thinking block of *tenant*.

    A signature that would be too long to be read again is left out.
    """
    fields = {
        "kind": _KIND,
        "origin": signed.origin,
        "call_id": signed.call_id,
        "signature": signed.signature,
    }
    encoded = encode_fields(fields)
    if len(encoded) > MAX_BYTES:
        encoded = encode_fields({"kind": _KIND, "origin": "", "call_id": "", "signature": ""})
    return seal(encoded, tenant)


def unpack_signature(text: str, tenant: str) -> SignedCall | None:
    """Return what the ``signature`` *text* of a thinking block holds.

    Returns None for a foreign, damaged or too long text, and for one of another tenant. Never raises.
    """
    fields = open_sealed(text, _KIND, tenant)
    origin, call_id, signature = fields.get("origin"), fields.get("call_id"), fields.get("signature")
    if not (isinstance(origin, str) and isinstance(call_id, str) and isinstance(signature, str)):
        return None
    return SignedCall(origin, call_id, signature)
