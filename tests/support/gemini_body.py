"""Builds Gemini's request body as the proxy does, signatures included, without a proxy, a store or a socket."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proxy.planning.signatures.restoring import remove_signatures, restore_signatures, signature_keys
from proxy.planning.signatures.stand_ins import with_stand_ins
from proxy.state.kept_signatures import StoredSignature
from proxy.upstream.wires.gemini import build_request
from sanitizers import Messages, Profile

HERE = "here gemini-3"
"""The origin (endpoint and model family) of the deployment that gets the request."""

THERE = "there gemini-3"
"""The origin of a deployment at another endpoint, for signatures that another endpoint made."""


def kept_elsewhere(messages: Messages) -> dict[str, StoredSignature]:
    """Return what a signature store holds if another endpoint signed everything in *messages*."""
    kept = StoredSignature(signature="", origin=THERE, as_written="", as_meant="")
    return dict.fromkeys(signature_keys(messages), kept)


def restored(messages: Messages, profile: Profile, *, elsewhere: bool = False) -> Messages:
    """Return *messages* with each signature in one field only. Signatures from *elsewhere* are removed."""
    if not profile.signs_calls:
        return remove_signatures(messages)[0]
    return restore_signatures(messages, kept_elsewhere(messages) if elsewhere else {}, HERE)[0]


def as_sent(messages: Messages, profile: Profile, *, elsewhere: bool = False) -> Messages:
    """Return *messages* as they are sent, with restored signatures and stand-ins for missing signatures."""
    return with_stand_ins(restored(messages, profile, elsewhere=elsewhere), profile)[0]


def direct_body(
    messages: Messages,
    profile: Profile,
    model: str,
    parameters: Mapping[str, Any] | None = None,
    *,
    elsewhere: bool = False,
) -> dict[str, Any]:
    """Return Gemini's request body for *messages*, which are already sanitized for *profile*."""
    return build_request(as_sent(messages, profile, elsewhere=elsewhere), parameters or {}, profile, model)
