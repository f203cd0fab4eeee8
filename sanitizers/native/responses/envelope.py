"""The envelope: what a client carries for the proxy in ``encrypted_content``, so that it survives a restart.

Clients return ``encrypted_content`` unread. The envelope of a reasoning item holds the signatures of a turn. The
envelope of a compaction item holds a summary. :mod:`sanitizers.native.seal` tells them from foreign contents (OpenAI's
begin with ``gAAAA``).

Ids of calls are no place for signatures: OpenAI refuses ids of more than 64 characters (litellm#41534).
"""

from __future__ import annotations

from collections.abc import Mapping

from sanitizers.native.seal import MAX_BYTES, encode_fields, is_own, open_sealed, seal
from sanitizers.record import record

__all__ = ["Envelope", "is_own", "pack_envelope", "pack_summary", "unpack_envelope", "unpack_summary"]


@record
class Envelope:
    """The signatures and thoughts of one turn, which the model needs again in later requests.

    *model* is the origin of the signatures, *signatures* are those of the calls by call id, and *text_signature* is
    that of a text without calls. *thoughts* are the model's thoughts as a text.
    """

    model: str
    signatures: Mapping[str, str]
    text_signature: str | None
    thoughts: str


def pack_envelope(envelope: Envelope) -> str:
    """Return *envelope* as the ``encrypted_content`` of a reasoning item.

    Where it would be too long to be read again, the thoughts are left out, and then the signatures.
    """
    fields = {
        "kind": "turn",
        "model": envelope.model,
        "signatures": dict(envelope.signatures),
        "text_signature": envelope.text_signature,
        "thoughts": envelope.thoughts,
    }
    packed = encode_fields(fields)
    if len(packed) > MAX_BYTES:
        packed = encode_fields({**fields, "thoughts": ""})
    if len(packed) > MAX_BYTES:
        packed = encode_fields({**fields, "thoughts": "", "signatures": {}, "text_signature": None})
    return seal(packed)


def unpack_envelope(text: str) -> Envelope | None:
    """Return the envelope in the ``encrypted_content`` *text* of a reasoning item.

    Returns None for a foreign, damaged or too large one. Never raises.
    """
    fields = open_sealed(text, "turn")
    signatures = fields.get("signatures")
    model, text_signature, thoughts = (
        fields.get("model"),
        fields.get("text_signature"),
        fields.get("thoughts"),
    )
    if not (
        isinstance(model, str)
        and isinstance(signatures, dict)
        and {str}.issuperset(map(type, signatures.values()))
        and isinstance(text_signature, str | None)
        and isinstance(thoughts, str)
    ):
        return None
    return Envelope(model, signatures, text_signature, thoughts)


def pack_summary(text: str) -> str:
    """Return the summary *text* as the ``encrypted_content`` of a compaction item. A long text is cut at its end."""
    packed = encode_fields({"kind": "summary", "text": text})
    if len(packed) > MAX_BYTES:  # JSON writes one byte of a text in six at most
        cut = text.encode("utf-8", "replace")[: MAX_BYTES // 8].decode("utf-8", "ignore")
        packed = encode_fields({"kind": "summary", "text": cut})
    return seal(packed)


def unpack_summary(text: str) -> str | None:
    """Return the summary in the ``encrypted_content`` *text* of a compaction item, or None for a foreign content.

    Never raises.
    """
    summary = open_sealed(text, "summary").get("text")
    return summary if isinstance(summary, str) else None
