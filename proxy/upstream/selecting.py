"""Which transport answers for which deployment.

``auto``, the default, takes the direct one for the wires that it speaks, OpenAI's and Gemini's, and litellm for the
rest. litellm is imported only where a deployment needs it: a process with direct deployments alone never pays for it.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterable, Mapping
from typing import Any, Literal

from proxy.config import Deployment, Settings
from proxy.upstream import Answer, Chunk, Upstream, UpstreamCall
from proxy.upstream.direct import DirectUpstream

_DIRECT_PROVIDERS = frozenset({"gemini", "openai"})


def transport_of(deployment: Deployment) -> Literal["direct", "litellm"]:
    """Return the transport that answers for a deployment."""
    if deployment.transport != "auto":
        return deployment.transport
    return "direct" if deployment.provider in _DIRECT_PROVIDERS else "litellm"


class SelectingUpstream:
    """Passes each call to its deployment's transport; *deployments* are those that the configuration names."""

    def __init__(self, deployments: Iterable[Deployment]) -> None:
        needed = {transport_of(deployment) for deployment in deployments}
        self._upstreams: dict[str, Upstream] = {}
        if "direct" in needed:
            self._upstreams["direct"] = DirectUpstream()
        if "litellm" in needed:
            from proxy.upstream.litellm import LiteLLMUpstream  # late: it brings httpx

            self._upstreams["litellm"] = LiteLLMUpstream()

    @classmethod
    def for_settings(cls, settings: Settings) -> SelectingUpstream:
        """Return an upstream for every deployment of *settings*."""
        routes = settings.routes
        pools = (*routes.exact.values(), *routes.wildcards.values())
        return cls(deployment for pool in pools for deployment in pool)

    async def start(self) -> None:
        """See :meth:`proxy.upstream.Upstream.start`."""
        for upstream in self._upstreams.values():
            await upstream.start()

    async def close(self) -> None:
        """See :meth:`proxy.upstream.Upstream.close`."""
        for upstream in self._upstreams.values():
            await upstream.close()

    def unsupported(self, deployment: Deployment, parameters: Mapping[str, Any]) -> frozenset[str]:
        """See :meth:`proxy.upstream.Upstream.unsupported`."""
        return self._upstreams[transport_of(deployment)].unsupported(deployment, parameters)

    async def complete(self, call: UpstreamCall) -> Answer:
        """See :meth:`proxy.upstream.Upstream.complete`."""
        return await self._upstreams[transport_of(call.deployment)].complete(call)

    def stream(self, call: UpstreamCall) -> AsyncGenerator[Chunk, None]:
        """See :meth:`proxy.upstream.Upstream.stream`."""
        return self._upstreams[transport_of(call.deployment)].stream(call)
