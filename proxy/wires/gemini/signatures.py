"""Thought signatures and call ids: where clients carry them, and which of them are sent.

Gemini 3 wants the signature that it gave with a call back on that call, on the first call of each model content of
the current turn, and refuses a foreign one ("Corrupted thought signature.", gemini-cli#13467). Nobody but Google can
tell a foreign one from its own, so a signature is sent only when it is trusted.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from sanitizers.messages import base_id
from sanitizers.synthetic import derive_id

SUFFIX = "__thought__"
"""What stands between a call's id and its signature in the ids that clients are given, as litellm does it."""

DUMMY = base64.b64encode(b"skip_thought_signature_validator").decode()
"""Google's documented stand-in for a signature that is lost (ai.google.dev/gemini-api/docs/thought-signatures)."""

_STAND_INS = frozenset({DUMMY, "skip_thought_signature_validator", "context_engineering_is_the_way_to_go"})

Trust: TypeAlias = Callable[[str], bool]
"""Tells whether a signature is one that this model may be sent."""

_CARRIERS = (
    ("provider_specific_fields", "thought_signature"),  # litellm
    ("function", "provider_specific_fields", "thought_signature"),
    ("extra_content", "google", "thought_signature"),  # Google's own OpenAI endpoint
    ("extra_content", "vertex", "thought_signature"),  # pi#6733
    ("function", "thought_signature"),  # Portkey
)
"""Where a tool call may carry its signature, beside its id."""


def signature_of(call: Mapping[str, Any], trusted: Trust | None) -> str | None:
    """Return the signature to send with *call*, or None.

    With *trusted* it is the first one in any carrier that it says yes to. Without, only the suffix of the id counts:
    that is what we gave out ourselves, while the other carriers hold signatures of other models and endpoints, cut
    and joined ones (snow-cli#84, ruby_llm#521, Antigravity-Manager#3342). Stand-ins and what is no base64 never do.
    """
    found = [call_id.partition(SUFFIX)[2]] if isinstance(call_id := call.get("id"), str) else []
    if trusted is not None:
        found += _carried(call)
    for signature in found:
        if signature not in _STAND_INS and is_base64(signature) and (trusted is None or trusted(signature)):
            return signature
    return None


def _carried(call: Mapping[str, Any]) -> Iterator[str]:
    for path in _CARRIERS:
        value: Any = call
        for name in path:
            value = value.get(name) if isinstance(value, Mapping) else None
        if isinstance(value, str):
            yield value


def is_base64(text: str) -> bool:
    """Tell whether *text* is base64 that is not empty, padded, in the standard or the URL alphabet."""
    try:
        return bool(base64.b64decode(text.replace("-", "+").replace("_", "/"), validate=True))
    except (binascii.Error, ValueError):
        return False


def wire_ids(calls: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the ids of one content's calls as Gemini sees them: without the suffix, and no two alike.

    Shared ids are refused (9router#4273); two can become alike when only their suffixes told them apart.
    """
    ids: list[str] = []
    for number, call in enumerate(calls):
        given = call.get("id") or ""
        bare = base_id(given)
        if not bare or bare in ids:
            bare = derive_id(0, number, given, set(ids))
        ids.append(bare)
    return ids
