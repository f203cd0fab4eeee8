"""An upstream that records OpenTelemetry's GenAI client metrics: the time and the tokens of each call.

:class:`ObservedUpstream` wraps the real upstream where ``general_settings.gen_ai_metrics`` is on. Without that setting
there is no wrapper and no cost.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import aclosing
from functools import partial
from typing import Any

from proxy.answers.usage import normalize_usage
from proxy.core.deployment import Deployment
from proxy.core.errors import ProxyError, UpstreamFault
from proxy.core.failures import Cause
from proxy.core.upstream_call import Answer, Chunk, TextCall, UpstreamCall
from proxy.observability.gen_ai_names import CHAT, EMBEDDINGS, OTHER, PROVIDERS, TEXT_COMPLETION
from proxy.observability.metrics.gen_ai import GenAiMetrics
from proxy.upstream import Upstream

_STATUSES = frozenset({400, 401, 402, 403, 404, 408, 409, 413, 422, 429, 499, 500, 502, 503, 504, 529})
"""The statuses that become a label. A provider may send any number."""

_GIVEN_UP = "cancelled"


class ObservedUpstream:
    """Passes each call to *upstream* and records its outcome (:class:`proxy.upstream.Upstream`)."""

    def __init__(self, upstream: Upstream, metrics: GenAiMetrics) -> None:
        self.observed = upstream
        """The upstream without metrics, to which the calls are passed."""

        self._upstream = upstream
        self._metrics = metrics
        self.prepare = upstream.prepare
        self.start = upstream.start
        self.close = upstream.close
        self.unsupported = upstream.unsupported
        self.count_tokens = upstream.count_tokens
        self.unsupported_embedding = upstream.unsupported_embedding

    async def complete(self, call: UpstreamCall) -> Answer:
        """See :meth:`proxy.upstream.Upstream.complete`."""
        return await self._whole(CHAT, call.deployment, partial(self._upstream.complete, call))

    def stream(self, call: UpstreamCall) -> AsyncGenerator[Chunk, None]:
        """See :meth:`proxy.upstream.Upstream.stream`."""
        return self._streamed(CHAT, call.deployment, self._upstream.stream(call))

    async def embed(self, call: TextCall) -> Answer:
        """See :meth:`proxy.upstream.Upstream.embed`."""
        return await self._whole(EMBEDDINGS, call.deployment, partial(self._upstream.embed, call))

    async def complete_text(self, call: TextCall) -> Answer:
        """See :meth:`proxy.upstream.Upstream.complete_text`."""
        return await self._whole(
            TEXT_COMPLETION, call.deployment, partial(self._upstream.complete_text, call)
        )

    def stream_text(self, call: TextCall) -> AsyncGenerator[Chunk, None]:
        """See :meth:`proxy.upstream.Upstream.stream_text`."""
        return self._streamed(TEXT_COMPLETION, call.deployment, self._upstream.stream_text(call))

    async def _whole(
        self, operation: str, deployment: Deployment, ask: Callable[[], Awaitable[Answer]]
    ) -> Answer:
        labels, clock = _labels(operation, deployment), asyncio.get_running_loop().time
        began, error = clock(), ""
        try:
            answer = await ask()
        except BaseException as fault:
            error = error_type(fault)
            raise
        finally:
            self._metrics.duration.labels(*labels, error).observe(clock() - began)
        self._count(labels, answer.get("usage"))
        return answer

    async def _streamed(
        self, operation: str, deployment: Deployment, chunks: AsyncGenerator[Chunk, None]
    ) -> AsyncGenerator[Chunk, None]:
        labels, clock = _labels(operation, deployment), asyncio.get_running_loop().time
        waits = self._metrics.first_chunk.labels(*labels)
        began = last = clock()
        error, usage = "", None
        try:
            async with aclosing(chunks):
                async for chunk in chunks:
                    now = clock()
                    waits.observe(now - last)
                    last, waits = now, self._metrics.per_chunk.labels(*labels)
                    usage = chunk.get("usage") or usage
                    yield chunk
        except BaseException as fault:
            error = error_type(fault)
            raise
        finally:
            self._metrics.duration.labels(*labels, error).observe(clock() - began)
            self._count(labels, usage)

    def _count(self, labels: tuple[str, ...], usage: object) -> None:
        counted: Mapping[str, Any] = normalize_usage(usage) if isinstance(usage, dict) else {}
        for kind, name in (("input", "prompt_tokens"), ("output", "completion_tokens")):
            if counted.get(name):
                self._metrics.tokens.labels(*labels, kind).observe(counted[name])


def _labels(operation: str, deployment: Deployment) -> tuple[str, str, str, str]:
    """Return the labels of a call. A wildcard stands for its models, since the client chooses their names."""
    label = deployment.label
    answering = label if label.endswith("*") else deployment.model_id
    return operation, PROVIDERS.get(deployment.provider, OTHER), label, answering


def error_type(fault: BaseException) -> str:
    """Return ``error.type`` of a failed call: the provider's status, a cause, the proxy's code, or ``cancelled``."""
    if isinstance(fault, UpstreamFault):
        if fault.cause is not Cause.REFUSED:
            return fault.cause.value
        return str(fault.upstream_status) if fault.upstream_status in _STATUSES else OTHER
    if isinstance(fault, ProxyError):
        return fault.code
    return _GIVEN_UP if isinstance(fault, asyncio.CancelledError | GeneratorExit) else OTHER
