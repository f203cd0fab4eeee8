"""Where tool calls and messages carry a thought signature: read, written and taken out."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sanitizers.messages import SIGNATURE_MARKS, base_id

Path = Sequence[str]

OWN_PLACE = ("extra_content", "google", "thought_signature")
"""Google's own OpenAI endpoint, and ours."""

STAND_IN = "c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3I="
"""``skip_thought_signature_validator`` in base64, as a field of bytes is written in JSON: the one that is sent."""

STAND_INS = frozenset(
    {
        STAND_IN,
        "skip_thought_signature_validator",
        "context_engineering_is_the_way_to_go",
        "Y29udGV4dF9lbmdpbmVlcmluZ19pc190aGVfd2F5X3RvX2dv",
    }
)
"""What Google documents to be sent in place of a lost signature, raw and in base64 (thought-signatures FAQ)."""

ON_CALLS: tuple[Path, ...] = (
    OWN_PLACE,
    ("extra_content", "vertex", "thought_signature"),  # Vertex's OpenAI endpoint, some gateways (pi#6733)
    ("provider_specific_fields", "thought_signature"),  # litellm
    ("provider_specific_fields", "thought_signatures"),
    ("function", "provider_specific_fields", "thought_signature"),
    ("function", "thought_signature"),  # Portkey
)
"""Beside the id's suffix (litellm ``__thought__``, 9router ``_TSIG_``) and the message's ``reasoning_details``."""

ON_MESSAGES: tuple[Path, ...] = (
    OWN_PLACE,
    ("extra_content", "vertex", "thought_signature"),
    ("provider_specific_fields", "thought_signature"),  # any-llm
    ("provider_specific_fields", "thought_signatures"),  # litellm: a list
)
"""Of the text of an answer without calls."""

LONGEST = 64 * 1024
"""Characters of a signature; those that were seen have some hundreds to a few thousand."""

_CALL_FIELDS = frozenset({"function", "id", "index", "type"})
_FUNCTION_FIELDS = frozenset({"arguments", "name"})
_ENCRYPTED = "reasoning.encrypted"
_FORMATS = ("google-gemini-v1", "unknown")
"""Of a ``reasoning_details`` entry (OpenRouter): others are those of OpenAI's, xAI's and Anthropic's models."""


def own_signature(holder: Mapping[str, Any]) -> str | None:
    """Return the signature in :data:`OWN_PLACE` of a call or a message."""
    extra = holder.get("extra_content")
    if not extra:
        return None
    return next(_texts_at(holder, OWN_PLACE), None)


def call_signatures(call: Mapping[str, Any], details: Mapping[str, str]) -> Iterator[str]:
    """Yield the signatures that *call* carries, whatever they are worth: the surest place first.

    *details* are its message's, as :func:`encrypted_details` has them.
    """
    for path in ON_CALLS:
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
    """Return Gemini's signatures in the ``reasoning_details`` of a message or a delta, by the ids of their calls."""
    entries = message.get("reasoning_details")
    if not isinstance(entries, list):
        return {}
    return {
        entry["id"]: entry["data"]
        for entry in entries
        if is_of_gemini(entry) and isinstance(entry.get("id"), str) and isinstance(entry.get("data"), str)
    }


def as_details(message: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return *message* with the signatures of its calls as OpenRouter has them, in ``reasoning_details``.

    The same object where there are none. Source: openrouter.ai/docs, reasoning tokens, "Preserving reasoning blocks".
    """
    calls = message.get("tool_calls") or ()
    entries = [
        {"type": _ENCRYPTED, "id": call.get("id"), "format": _FORMATS[0], "data": signature, "index": at}
        for at, call in enumerate(calls)
        if (signature := own_signature(call)) is not None
    ]
    if not entries:
        return message
    bare = [with_own(call, None, (OWN_PLACE,)) for call in calls]
    return {**message, "tool_calls": bare, "reasoning_details": entries}


def is_of_gemini(entry: Any) -> bool:
    """Tell whether an entry of ``reasoning_details`` holds a signature of Gemini's, as far as it says."""
    return (
        isinstance(entry, dict)
        and entry.get("type") == _ENCRYPTED
        and (entry.get("format") is None or entry["format"] in _FORMATS)
    )


def is_bare(call: Mapping[str, Any]) -> bool:
    """Tell whether *call* has nothing beside what OpenAI's format names, in which no signature could stand."""
    function = call.get("function")
    return call.keys() <= _CALL_FIELDS and isinstance(function, dict) and function.keys() <= _FUNCTION_FIELDS


def text_signatures(message: Mapping[str, Any]) -> Iterator[str]:
    """Yield the signatures that a message carries for its text."""
    for path in ON_MESSAGES:
        if path[0] in message:
            yield from _texts_at(message, path)


def is_signature(text: str) -> bool:
    """Tell whether *text* can be a signature: base64 in the standard or the URL alphabet, padded, and no stand-in.

    Anything else is refused before it is looked at ("Base64 decoding failed", ruby_llm#521, snow-cli#84). One of more
    than :data:`LONGEST` characters is none of Google's.
    """
    if not text or len(text) > LONGEST or text in STAND_INS:
        return False
    try:
        return bool(base64.b64decode(text.replace("-", "+").replace("_", "/"), validate=True))
    except (binascii.Error, ValueError):
        return False


def with_own(holder: Mapping[str, Any], signature: str | None, paths: Sequence[Path]) -> dict[str, Any]:
    """Return *holder* with *signature* in :data:`OWN_PLACE` and none in any other of *paths*.

    The same object where that is so already.
    """
    bare: Any = holder
    for path in paths:
        if path is not OWN_PLACE or signature is None:
            bare = without(bare, path)
    if signature is not None and own_signature(bare) != signature:
        bare = _with(bare, OWN_PLACE, signature)
    same: dict[str, Any] = bare
    return same


def without(holder: Any, path: Path) -> Any:
    """Return *holder* without what stands at *path*, and without a container that held nothing else."""
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
