"""Puts Google's documented stand-in in place of a required signature that is lost.

Gemini 3 requires a signature on the first call of each model content of the current turn. Gemini may place the start of
that turn earlier than the proxy. So stand-ins are put in every model content (gemini-cli,
``ensureActiveLoopHasThoughtSignatures``). By Gemini's rule, later parallel calls carry no signature. A stand-in "may
lead to degraded model performance", so stand-ins are counted.
"""

from __future__ import annotations

from typing import Any

from proxy.upstream.signature_carriers import (
    SIGNATURE_FIELD,
    STAND_IN,
    STAND_INS,
    canonical_signature,
    with_signature,
)
from sanitizers import Message, Messages, Profile
from sanitizers.messages import SYSTEM_ROLES, tool_calls_of


def with_stand_ins(messages: Messages, profile: Profile) -> tuple[Messages, int]:
    """Return sanitized *messages* with a stand-in on each unsigned first call, and the number of stand-ins.

    Profiles with ``call_ids`` are Gemini 3 and later, which require signatures. Stand-ins that the client sent are
    counted too. Where no signature is missing, *messages* itself is returned.
    """
    if not (profile.signs_calls and profile.call_ids):
        return messages, 0
    replaced: list[Message] | None = None
    count = 0
    called = False  # true after a call of this turn
    for at, message in enumerate(messages):
        role = message["role"]
        if role != "assistant":
            called = called and role in SYSTEM_ROLES
            continue
        calls = tool_calls_of(message)
        if not calls or called:
            continue
        called = True
        signature = canonical_signature(calls[0])
        count += signature is None or signature in STAND_INS
        if signature is None:
            first: dict[str, Any] = with_signature(calls[0], STAND_IN, (SIGNATURE_FIELD,))
            replaced = replaced or list(messages)
            replaced[at] = {**message, "tool_calls": [first, *calls[1:]]}
    return (messages if replaced is None else replaced), count
