"""The wire of requests in their client's own form: its bytes, its headers, and the provider's own events back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from typing_extensions import override

from proxy.core.deployment import Deployment
from proxy.core.source import MessagesRequest
from proxy.core.upstream_call import UpstreamCall
from proxy.upstream.wires.anthropic.native_requests import build_native_request
from proxy.upstream.wires.anthropic.wire import MessagesOfChats
from proxy.upstream.wires.protocol import ClientHeaders


class MessagesOfClients(MessagesOfChats):
    """Carries requests of the Messages API as their clients sent them."""

    @override
    def url(self, call: UpstreamCall, *, stream: bool) -> str:
        """Return the URL of messages at the deployment's address, with the client's query."""
        query = _native_of(call).query
        url = super().url(call, stream=stream)
        return f"{url}?{query}" if query else url

    @override
    def client_headers(self, call: UpstreamCall) -> ClientHeaders:
        """Return the client's headers for Anthropic: the version, the betas, and those that name the client."""
        return tuple(_native_of(call).headers.items())

    @override
    def write_request(self, call: UpstreamCall, *, stream: bool) -> bytes:
        """Return the client's body with the provider's name of the model, and with what the plan has changed."""
        return build_native_request(call, stream=stream)

    @override
    def unsupported(self, deployment: Deployment, parameters: Mapping[str, Any]) -> frozenset[str]:
        """Return nothing: the fields are the provider's own."""
        return frozenset()


MESSAGES = MessagesOfClients()
"""The wire of Claude Code and of Anthropic's SDKs."""


def _native_of(call: UpstreamCall) -> MessagesRequest:
    assert call.source is not None, "the call has a source of this format"
    assert isinstance(call.source.native, MessagesRequest), "the call has a source of this format"
    return call.source.native
