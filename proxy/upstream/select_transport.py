"""Passes each call to its deployment's transport.

The setting ``transport`` is ``auto`` by default. That is the direct transport for Gemini and for providers that speak
OpenAI's wire (:mod:`proxy.config.providers`), and litellm for all others. litellm is imported only when a deployment
needs it, since the import takes time and memory.

Text completions always use the direct transport. For each text completion litellm opens a client that it never closes.
litellm's streams of text completions lose log probabilities (1.105.3).
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Coroutine, Iterable, Iterator, Mapping
from typing import Any

from proxy.config import Settings
from proxy.core.deployment import Deployment
from proxy.core.upstream_call import Answer, Chunk, TextCall, UpstreamCall
from proxy.upstream import Transport
from proxy.upstream.chunks_as_whole import chunks_as_whole
from proxy.upstream.dialects import can_stream, dialect_for
from proxy.upstream.direct.transport import DirectUpstream
from proxy.upstream.transports import check_model, completes_texts, transport_of, transports_of
from proxy.upstream.whole_as_chunks import whole_as_chunks


class SelectingUpstream:
    """Passes each call to its deployment's transport. *deployments* are all deployments of the configuration."""

    def __init__(self, deployments: Iterable[Deployment]) -> None:
        self._texts = DirectUpstream()
        self._started = False
        self._upstreams = self._missing(deployments, {})

    @classmethod
    def for_settings(cls, settings: Settings) -> SelectingUpstream:
        """Return an upstream for every deployment of *settings*."""
        return cls(_deployments_of(settings))

    def _missing(
        self, deployments: Iterable[Deployment], there: Mapping[str, Transport]
    ) -> dict[str, Transport]:
        """Return the transports that *deployments* need and that are missing in *there*."""
        deployments = tuple(deployments)
        needed = set[str]().union(*map(transports_of, deployments))
        if any(map(completes_texts, deployments)):
            needed.add("direct")
        missing: dict[str, Transport] = {}
        if "direct" in needed - there.keys():
            missing["direct"] = self._texts
        if "litellm" in needed - there.keys():
            from proxy.upstream.litellm.transport import LiteLLMUpstream  # late: litellm brings httpx

            missing["litellm"] = LiteLLMUpstream()
        return missing

    async def prepare(self, settings: Settings) -> None:
        """See :meth:`proxy.upstream.Upstream.prepare`. A new transport gets calls only after its start.

        A transport that is no longer needed stays with its connections, since calls may be using it.
        """
        missing = await asyncio.to_thread(self._missing, _deployments_of(settings), self._upstreams)
        for upstream in missing.values():
            await upstream.start()
        self._upstreams = {**self._upstreams, **missing}

    async def start(self) -> None:
        """See :meth:`proxy.upstream.Upstream.start`."""
        if self._started:  # each request calls this
            return
        for upstream in self._upstreams.values():
            await upstream.start()
        self._started = True

    async def close(self) -> None:
        """See :meth:`proxy.upstream.Upstream.close`."""
        self._started = False
        for upstream in self._upstreams.values():
            await upstream.close()

    def unsupported(self, deployment: Deployment, parameters: Mapping[str, Any]) -> frozenset[str]:
        """See :meth:`proxy.upstream.Upstream.unsupported`."""
        return self._upstreams[transport_of(deployment)].unsupported(deployment, parameters)

    def complete(self, call: UpstreamCall) -> Coroutine[Any, Any, Answer]:
        """See :meth:`proxy.upstream.Upstream.complete`."""
        upstream = self._upstreams[check_model(call.deployment)]
        return _complete_by_stream(upstream, call) if call.deployment.stream else upstream.complete(call)

    def stream(self, call: UpstreamCall) -> AsyncGenerator[Chunk, None]:
        """See :meth:`proxy.upstream.Upstream.stream`."""
        transport = check_model(call.deployment)
        upstream = self._upstreams[transport]
        by_whole = call.deployment.stream is False or (
            "response_format" in call.parameters
            and not can_stream(call.parameters, dialect_for(call.deployment, transport))
        )
        return _stream_by_whole(upstream, call) if by_whole else upstream.stream(call)

    def unsupported_embedding(self, deployment: Deployment, parameters: Mapping[str, Any]) -> frozenset[str]:
        """See :meth:`proxy.upstream.Upstream.unsupported_embedding`."""
        return self._upstreams[transport_of(deployment)].unsupported_embedding(deployment, parameters)

    def embed(self, call: TextCall) -> Coroutine[Any, Any, Answer]:
        """See :meth:`proxy.upstream.Upstream.embed`."""
        return self._upstreams[transport_of(call.deployment)].embed(call)

    def count_tokens(self, call: UpstreamCall) -> Coroutine[Any, Any, Answer]:
        """See :meth:`proxy.upstream.Upstream.count_tokens`."""
        return self._texts.count_tokens(call)

    def complete_text(self, call: TextCall) -> Coroutine[Any, Any, Answer]:
        """See :meth:`proxy.upstream.Upstream.complete_text`."""
        return self._texts.complete_text(call)

    def stream_text(self, call: TextCall) -> AsyncGenerator[Chunk, None]:
        """See :meth:`proxy.upstream.Upstream.stream_text`."""
        return self._texts.stream_text(call)


async def _complete_by_stream(upstream: Transport, call: UpstreamCall) -> Answer:
    async with contextlib.aclosing(upstream.stream(call)) as chunks:
        return chunks_as_whole([chunk async for chunk in chunks])


async def _stream_by_whole(upstream: Transport, call: UpstreamCall) -> AsyncGenerator[Chunk, None]:
    for chunk in whole_as_chunks(await upstream.complete(call)):
        yield chunk


def _deployments_of(settings: Settings) -> Iterator[Deployment]:
    routes = settings.routes
    for pool in (*routes.exact.values(), *routes.wildcards.values()):
        yield from pool
