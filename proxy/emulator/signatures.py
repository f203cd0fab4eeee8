"""Thought signatures, issued and verified without state, so that they remain valid after a restart.

A signature holds a digest of the signed values (model family, kind, call name, arguments), a counter, and a keyed hash
of both. So the emulator can distinguish a foreign signature ("Corrupted") from its own signature on the wrong part
("Invalid"). The key is fixed and public, which is enough for tests.

Source: ai.google.dev/gemini-api/docs/thought-signatures; gemini-cli#13467, crush#1698 (Corrupted);
Antigravity-Manager#3342 (Invalid).
"""

from __future__ import annotations

import hashlib
import hmac
import json
import math
from base64 import b64encode
from collections.abc import Mapping, Sequence
from typing import Any

from proxy.emulator.contents import Content, Part, each_part
from proxy.emulator.errors import Refusal
from proxy.emulator.models import Generation
from proxy.emulator.proto import decode_base64

FAMILY = "gemini-3"
"""The family in every signature. So generations that validate signatures accept each other's signatures."""
_KEY = b"turnright emulator: a public key, good for tests alone"
_MAGIC = b"\x12\x54\x52\x01"
_DIGEST = 16
_COUNTER = 4
_SIZE = len(_MAGIC) + _COUNTER + 2 * _DIGEST

_DUMMY_TEXTS = ("skip_thought_signature_validator", "context_engineering_is_the_way_to_go")
DUMMIES = frozenset(_DUMMY_TEXTS) | {b64encode(text.encode()).decode() for text in _DUMMY_TEXTS}
"""Values that skip validation, raw and in base64 (the thought-signatures FAQ and the Gemini 3 guide)."""

CORRUPTED = "Corrupted thought signature."
INVALID = "Invalid thought signature."


def sign_call(name: str, args: Mapping[str, Any], counter: int) -> str:
    """Return the signature of a call of *name* with *args*.

    *counter* is the number of earlier calls in the request's history.
    """
    return _sign(_subject("call", name, _canonical(args)), counter)


def sign_text(counter: int) -> str:
    """Return the signature of a text answer.

    The signature does not cover the text, since clients join the text from chunks.
    """
    return _sign(_subject("text", "", ""), counter)


def verify(signature: str, part: Part) -> str | None:
    """Return the fault of *signature* on *part*: ``CORRUPTED``, ``INVALID`` or ``None``.

    A value of :data:`DUMMIES` has no fault.
    """
    if signature in DUMMIES:
        return None
    raw = decode_base64(signature)
    if raw is None or len(raw) != _SIZE or not raw.startswith(_MAGIC):
        return CORRUPTED
    body, mac = raw[:-_DIGEST], raw[-_DIGEST:]
    if not hmac.compare_digest(mac, _mac(body)):
        return CORRUPTED
    call = part.get("functionCall")
    expected = (
        _subject("text", "", "")
        if call is None
        else _subject("call", call.get("name") or "", _canonical(call.get("args") or {}))
    )
    return None if body[-_DIGEST:] == expected else INVALID


def present(request: Mapping[str, Any], generation: Generation) -> Refusal | None:
    """Refuse a signature that is not the emulator's own, or that is on a part that it does not sign.

    Source: gemini-cli#13467, Antigravity-Manager#3342. Generation 2 and older do not check signatures.
    """
    if not generation.signatures:
        return None
    for _, part in each_part(request):
        signature = part.get("thoughtSignature")
        fault = verify(signature, part) if signature else None
        if fault is not None:
            return Refusal(fault)
    return None


def required(contents: Sequence[Content], generation: Generation) -> Refusal | None:
    """Refuse a content of the current turn whose first call has no signature.

    The current turn starts after the newest user content with text or media and without a response. Source: the section
    on validation in ai.google.dev/gemini-api/docs/thought-signatures.
    """
    if not generation.signatures:
        return None
    starts = [c.index for c in contents if c.role == "user" and not c.responses]
    for content in contents[max(starts, default=-1) + 1 :]:
        first = next((part for part in content.parts if "functionCall" in part), None)
        if first is not None and not first.get("thoughtSignature"):
            return Refusal(_missing(first["functionCall"].get("name") or "", content.index + 1))
    return None


def _missing(name: str, position: int) -> str:
    return (
        "Function call is missing a thought_signature in functionCall parts. This is required for tools to work "
        "correctly, and missing thought_signature may lead to degraded model performance. Additional data, function "
        f"call `default_api:{name}` , position {position}. Please refer to "
        "https://ai.google.dev/gemini-api/docs/thought-signatures for more details."
    )


def _sign(subject: bytes, counter: int) -> str:
    body = _MAGIC + (counter % 2 ** (8 * _COUNTER)).to_bytes(_COUNTER, "big") + subject
    return b64encode(body + _mac(body)).decode()


def _mac(body: bytes) -> bytes:
    return hmac.digest(_KEY, body, "sha256")[:_DIGEST]


def _subject(kind: str, name: str, args: str) -> bytes:
    parts = "\0".join((FAMILY, kind, name, args))
    return hashlib.sha256(parts.encode("utf-8", "surrogatepass")).digest()[:_DIGEST]


def _canonical(args: Mapping[str, Any]) -> str:
    """Return *args* in one spelling: keys sorted, and numbers as the doubles of a Struct."""
    return json.dumps(_as_struct(args), sort_keys=True, separators=(",", ":"), default=str)


def _as_struct(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _as_struct(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_as_struct(item) for item in value]
    if isinstance(value, int) and not isinstance(value, bool):
        try:
            return float(value)
        except OverflowError:
            return math.inf
    return value
