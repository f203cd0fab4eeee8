"""Reads, writes and removes the fields in which tool calls and messages carry a thought signature."""

from __future__ import annotations

import binascii
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sanitizers.messages import SIGNATURE_MARKS, base_id
from sanitizers.stand_ins import STAND_IN as STAND_IN
from sanitizers.stand_ins import STAND_INS as STAND_INS

Path = Sequence[str]

SIGNATURE_FIELD = ("extra_content", "google", "thought_signature")
"""The field of Google's OpenAI endpoint. The proxy uses it for its own answers too."""

CALL_SIGNATURE_FIELDS: tuple[Path, ...] = (
    SIGNATURE_FIELD,
    ("extra_content", "vertex", "thought_signature"),  # Vertex's OpenAI endpoint, some gateways (pi#6733)
    ("provider_specific_fields", "thought_signature"),  # litellm
    ("provider_specific_fields", "thought_signatures"),
    ("function", "provider_specific_fields", "thought_signature"),
    ("function", "thought_signature"),  # Portkey
)
"""The fields of a tool call that may carry a signature, the most reliable one first.

Two other carriers are a suffix of the id and the message's ``reasoning_details``. litellm's suffix begins with
``__thought__``, that of 9router with ``_TSIG_``.
"""

MESSAGE_SIGNATURE_FIELDS: tuple[Path, ...] = (
    SIGNATURE_FIELD,
    ("extra_content", "vertex", "thought_signature"),
    ("provider_specific_fields", "thought_signature"),  # any-llm
    ("provider_specific_fields", "thought_signatures"),  # litellm: a list
)
"""The fields of a message that may carry the signature of a text without calls."""

LONGEST_SIGNATURE = 64 * 1024
"""The most characters of a signature. The signatures seen so far have a few hundred to a few thousand characters."""

_CALL_FIELDS = frozenset({"function", "id", "index", "type"})
_FUNCTION_FIELDS = frozenset({"arguments", "name"})
_ENCRYPTED = "reasoning.encrypted"
_FORMATS = ("google-gemini-v1", "unknown")
"""The formats of Gemini's ``reasoning_details`` (OpenRouter).

OpenAI's, xAI's and Anthropic's models have other formats.
"""


def canonical_signature(holder: Mapping[str, Any]) -> str | None:
    """Return the signature in :data:`SIGNATURE_FIELD` of a call or a message."""
    extra = holder.get("extra_content")
    if not extra:
        return None
    if extra.__class__ is dict and len(extra) == 1 and (google := extra.get("google")).__class__ is dict:
        signature = google.get("thought_signature")
        if signature.__class__ is str:  # as nearly all signed calls have it
            return signature
    return next(_texts_at(holder, SIGNATURE_FIELD), None)


def call_signatures(call: Mapping[str, Any], details: Mapping[str, str]) -> Iterator[str]:
    """Yield the signatures that *call* carries, unchecked, the most reliable field first.

    *details* is the result of :func:`encrypted_details` for the call's message.
    """
    for path in CALL_SIGNATURE_FIELDS:
        if path[0] in call:
            yield from _texts_at(call, path)
    call_id = call.get("id")
    if not isinstance(call_id, str):
        return
    for mark in SIGNATURE_MARKS:
        if mark in call_id:
            yield call_id.partition(mark)[2]
    for known_as in (call_id, base_id(call_id)) if details else ():
        if known_as in details:
            yield details[known_as]


def encrypted_details(message: Mapping[str, Any]) -> dict[str, str]:
    """Return Gemini's signatures in the ``reasoning_details`` of a message or delta, by call id."""
    entries = message.get("reasoning_details")
    if not isinstance(entries, list):
        return {}
    return {
        entry["id"]: entry["data"]
        for entry in entries
        if is_of_gemini(entry) and isinstance(entry.get("id"), str) and isinstance(entry.get("data"), str)
    }


def with_reasoning_details(message: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return *message* with its calls' signatures in ``reasoning_details``, as OpenRouter expects them.

    The result is *message* itself if there are no signatures. Source: openrouter.ai/docs, reasoning tokens, "Preserving
    reasoning blocks".
    """
    calls = message.get("tool_calls") or ()
    entries = [
        {"type": _ENCRYPTED, "id": call.get("id"), "format": _FORMATS[0], "data": signature, "index": at}
        for at, call in enumerate(calls)
        if (signature := canonical_signature(call)) is not None
    ]
    if not entries:
        return message
    bare = [with_signature(call, None, (SIGNATURE_FIELD,)) for call in calls]
    return {**message, "tool_calls": bare, "reasoning_details": entries}


def is_of_gemini(entry: Any) -> bool:
    """Tell whether an entry of ``reasoning_details`` holds a signature that is not marked as another provider's."""
    return (
        isinstance(entry, dict)
        and entry.get("type") == _ENCRYPTED
        and (entry.get("format") is None or entry["format"] in _FORMATS)
    )


def has_only_openai_fields(call: Mapping[str, Any]) -> bool:
    """Tell whether *call* has only the fields of OpenAI's format. Of these fields only the id can carry a signature."""
    function = call.get("function")
    return call.keys() <= _CALL_FIELDS and isinstance(function, dict) and function.keys() <= _FUNCTION_FIELDS


def text_signatures(message: Mapping[str, Any]) -> Iterator[str]:
    """Yield the signatures that a message carries for its text."""
    for path in MESSAGE_SIGNATURE_FIELDS:
        if path[0] in message:
            yield from _texts_at(message, path)


def is_signature(text: str) -> bool:
    """Tell whether *text* can be a signature: padded base64 in the standard or the URL alphabet, and no stand-in.

    Google refuses any other text ("Base64 decoding failed", ruby_llm#521, snow-cli#84). A text longer than
    :data:`LONGEST_SIGNATURE` is not Google's.
    """
    if not text or len(text) > LONGEST_SIGNATURE or text in STAND_INS:
        return False
    try:
        return bool(binascii.a2b_base64(text.replace("-", "+").replace("_", "/"), strict_mode=True))
    except (binascii.Error, ValueError):
        return False


def with_signature(holder: Mapping[str, Any], signature: str | None, paths: Sequence[Path]) -> dict[str, Any]:
    """Return *holder* with *signature* in :data:`SIGNATURE_FIELD` and in no other field of *paths*.

    The result is *holder* itself if nothing had to change.
    """
    if signature is not None and _has_only(holder, signature):
        return holder  # type: ignore[return-value]
    bare: Any = holder
    for path in paths:
        if path is not SIGNATURE_FIELD or signature is None:
            bare = without(bare, path)
    if signature is not None and canonical_signature(bare) != signature:
        bare = _with(bare, SIGNATURE_FIELD, signature)
    same: dict[str, Any] = bare
    return same


def _has_only(holder: Mapping[str, Any], signature: str) -> bool:
    """Tell whether *holder* is a call that has *signature* in :data:`SIGNATURE_FIELD`, and no field for another one."""
    if len(holder) != 4 or holder.get("extra_content") != {"google": {"thought_signature": signature}}:
        return False
    function = holder.get("function")
    return (
        "id" in holder
        and "type" in holder
        and isinstance(function, dict)
        and function.keys() == _FUNCTION_FIELDS
    )


def without(holder: Any, path: Path) -> Any:
    """Return *holder* without the value at *path*. A container that becomes empty is removed too."""
    name, *rest = path
    if name not in holder:
        return holder
    if rest:
        inner = holder[name]
        left = without(inner, rest) if isinstance(inner, dict) else inner
        if left is inner:
            return holder
        if left:
            return {**holder, name: left}
    return {key: kept for key, kept in holder.items() if key != name}


def _with(holder: Any, path: Path, leaf: str) -> Any:
    if not path:
        return leaf
    known = holder if isinstance(holder, dict) else {}
    return {**known, path[0]: _with(known.get(path[0]), path[1:], leaf)}


def _texts_at(holder: Mapping[str, Any], path: Path) -> Iterator[str]:
    value: Any = holder
    for name in path:
        value = value.get(name) if isinstance(value, Mapping) else None
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        yield from (text for text in value[-1:] if isinstance(text, str))
