"""The wire of requests in their client's own form: its bytes, and the provider's own events back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from typing_extensions import override

from proxy.core.deployment import Deployment
from proxy.core.upstream_call import UpstreamCall
from proxy.upstream.wires.gemini.native_requests import build_native_request
from proxy.upstream.wires.gemini.wire import ContentsOfChats


class ContentsOfClients(ContentsOfChats):
    """Carries requests of Gemini's own API as their clients sent them."""

    @override
    def write_request(self, call: UpstreamCall, *, stream: bool) -> bytes:
        """Return the client's body with what the plan has changed. The URL has the model."""
        return build_native_request(call)

    @override
    def unsupported(self, deployment: Deployment, parameters: Mapping[str, Any]) -> frozenset[str]:
        """Return nothing: the fields are the provider's own."""
        return frozenset()


CONTENTS = ContentsOfClients()
"""The wire of gemini-cli and of google-genai."""
