"""Turns the needs of a native list into those of a chat request."""

from __future__ import annotations

from proxy.core.chat_request import ProviderNeed
from proxy.core.errors import InvalidRequest
from sanitizers.native.protocol import Need


def provider_need(need: Need) -> ProviderNeed:
    """Return *need* with the error for a provider that cannot serve it. Its place is the client's own."""
    return ProviderNeed(
        need.message,
        need.param,
        InvalidRequest,
        names_object=need.names_object,
        holds_history=need.holds_history,
        can_be_left_out=need.can_be_left_out,
        served_elsewhere=need.served_elsewhere,
    )
