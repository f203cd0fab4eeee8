"""An upstream that gives each call's trace the facts of its answer: model, finish reasons, usage.

The transports are wrapped only where spans are made, so that there is no cost elsewhere. Each chunk of a stream is read
when the chunk comes, since a stream that breaks off has facts as well.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from typing import Any

from proxy.config import Settings
from proxy.core.deployment import Deployment
from proxy.core.upstream_call import Answer, CallTrace, Chunk, TextCall, UpstreamCall
from proxy.upstream import Upstream


class TracedUpstream:
    """Passes each call on to *upstream* (:class:`proxy.upstream.Upstream`)."""

    def __init__(self, upstream: Upstream) -> None:
        self._upstream = upstream

    async def start(self) -> None:
        """See :meth:`proxy.upstream.Upstream.start`."""
        await self._upstream.start()

    async def prepare(self, settings: Settings) -> None:
        """See :meth:`proxy.upstream.Upstream.prepare`."""
        await self._upstream.prepare(settings)

    async def close(self) -> None:
        """See :meth:`proxy.upstream.Upstream.close`."""
        await self._upstream.close()

    def unsupported(self, deployment: Deployment, parameters: Mapping[str, Any]) -> frozenset[str]:
        """See :meth:`proxy.upstream.Upstream.unsupported`."""
        return self._upstream.unsupported(deployment, parameters)

    async def count_tokens(self, call: UpstreamCall) -> Answer:
        """See :meth:`proxy.upstream.Upstream.count_tokens`. A count has no trace of its own."""
        return await self._upstream.count_tokens(call)

    async def complete(self, call: UpstreamCall) -> Answer:
        """See :meth:`proxy.upstream.Upstream.complete`."""
        return _trace_answer(await self._upstream.complete(call), call.trace)

    def stream(self, call: UpstreamCall) -> AsyncGenerator[Chunk, None]:
        """See :meth:`proxy.upstream.Upstream.stream`."""
        return _trace_chunks(self._upstream.stream(call), call.trace)

    def unsupported_embedding(self, deployment: Deployment, parameters: Mapping[str, Any]) -> frozenset[str]:
        """See :meth:`proxy.upstream.Upstream.unsupported_embedding`."""
        return self._upstream.unsupported_embedding(deployment, parameters)

    async def embed(self, call: TextCall) -> Answer:
        """See :meth:`proxy.upstream.Upstream.embed`."""
        return _trace_answer(await self._upstream.embed(call), call.trace)

    async def complete_text(self, call: TextCall) -> Answer:
        """See :meth:`proxy.upstream.Upstream.complete_text`."""
        return _trace_answer(await self._upstream.complete_text(call), call.trace)

    def stream_text(self, call: TextCall) -> AsyncGenerator[Chunk, None]:
        """See :meth:`proxy.upstream.Upstream.stream_text`."""
        return _trace_chunks(self._upstream.stream_text(call), call.trace)


def _trace_answer(answer: Answer, trace: CallTrace | None) -> Answer:
    if trace is not None:
        trace.read_part(answer)
    return answer


async def _trace_chunks(
    chunks: AsyncGenerator[Chunk, None], trace: CallTrace | None
) -> AsyncGenerator[Chunk, None]:
    async with aclosing(chunks):
        async for chunk in chunks:
            if trace is not None:
                trace.read_part(chunk)
            yield chunk
