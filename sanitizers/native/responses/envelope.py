"""The envelope: what a client carries for the proxy in ``encrypted_content``, so that it survives a restart.

Clients return ``encrypted_content`` unread. The envelope of a reasoning item holds the signatures of a turn. The
envelope of a compaction item holds a summary. A prefix that no provider uses separates them from foreign contents
(OpenAI's begin with ``gAAAA``), and a checksum shows damage. The checksum is no seal: a client may write its own.

Ids of calls are no place for signatures: OpenAI refuses ids of more than 64 characters (litellm#41534).
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import orjson

from sanitizers.record import record

PREFIX = "tr1_"
"""The beginning of every envelope, with its version."""

MAX_CHARACTERS = 2**20
"""The longest envelope that is decoded, in characters, which takes 40 MiB at most. Longer ones are not written."""

_DIGEST = 6
_MAX_BYTES = (MAX_CHARACTERS - len(PREFIX)) // 4 * 3 - _DIGEST
_NOTHING: Mapping[str, str] = MappingProxyType({})


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
    packed = _encoded(fields)
    if len(packed) > _MAX_BYTES:
        packed = _encoded({**fields, "thoughts": ""})
    if len(packed) > _MAX_BYTES:
        packed = _encoded({**fields, "thoughts": "", "signatures": {}, "text_signature": None})
    return _sealed(packed)


def unpack_envelope(text: str) -> Envelope | None:
    """Return the envelope in the ``encrypted_content`` *text* of a reasoning item.

    Returns None for a foreign, damaged or too large one. Never raises.
    """
    fields = _opened(text, "turn")
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
    packed = _encoded({"kind": "summary", "text": text})
    if len(packed) > _MAX_BYTES:  # JSON writes one byte of a text in six at most
        cut = text.encode("utf-8", "replace")[: _MAX_BYTES // 8].decode("utf-8", "ignore")
        packed = _encoded({"kind": "summary", "text": cut})
    return _sealed(packed)


def unpack_summary(text: str) -> str | None:
    """Return the summary in the ``encrypted_content`` *text* of a compaction item, or None for a foreign content.

    Never raises.
    """
    summary = _opened(text, "summary").get("text")
    return summary if isinstance(summary, str) else None


def is_own(text: str) -> bool:
    """Tell whether *text* claims to be an envelope, which may still be damaged."""
    return text.startswith(PREFIX)


def _encoded(fields: Mapping[str, Any]) -> bytes:
    # A lone surrogate is no text, and would make the envelope unreadable.
    return json.dumps(fields, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def _sealed(packed: bytes) -> str:
    return PREFIX + base64.urlsafe_b64encode(_digest(packed) + packed).decode().rstrip("=")


def _opened(text: str, kind: str) -> Mapping[str, Any]:
    """Return the fields of an envelope of *kind*, or none of them where *text* is no such envelope."""
    if not is_own(text) or len(text) > MAX_CHARACTERS:
        return _NOTHING
    body = text[len(PREFIX) :]
    try:
        raw = base64.b64decode(body + "=" * (-len(body) % 4), altchars=b"-_", validate=True)
        packed = raw[_DIGEST:]
        if raw[:_DIGEST] != _digest(packed):
            return _NOTHING
        fields = orjson.loads(packed)
    except ValueError:
        return _NOTHING
    return fields if isinstance(fields, dict) and fields.get("kind") == kind else _NOTHING


def _digest(packed: bytes) -> bytes:
    return hashlib.sha256(packed).digest()[:_DIGEST]
