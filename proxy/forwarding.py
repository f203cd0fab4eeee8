"""A plan becomes one upstream call, and its answer the client's."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator

from aiohttp import web

from proxy.config import Settings
from proxy.errors import InternalFault, ProxyError, UpstreamFault, UpstreamTimeout
from proxy.failures import Cause
from proxy.json_response import json_response
from proxy.keys import Gateway
from proxy.normalize import ChunkNormalizer, normalize_answer
from proxy.observation import Record
from proxy.plan import Plan
from proxy.streaming import relay
from proxy.upstream import Answer, Chunk, Timeouts, UpstreamCall


async def forward(request: web.Request, plan: Plan, record: Record, gateway: Gateway) -> web.StreamResponse:
    """Send *plan* upstream and return the answer, streaming or whole.

    Raises :class:`ProxyError` where no answer has been started.
    """
    timeouts = timeouts_of(plan, gateway.settings)
    call = UpstreamCall(
        deployment=plan.deployment,
        messages=plan.messages,
        parameters=plan.parameters,
        timeouts=timeouts,
        include_usage=plan.request.include_usage,
        extra_body=plan.extra_body,
        raw_messages=plan.request.raw_messages if plan.messages is plan.request.messages else None,
    )
    record.attempts += 1
    fallback_id = f"chatcmpl-{record.request_id.removeprefix('req_')}"
    created = int(time.time())  # noqa: TID251 - `created` is a wall-clock field of OpenAI's format
    try:
        if plan.request.stream:
            normalizer = ChunkNormalizer(
                fallback_id=fallback_id,
                created=created,
                model=plan.deployment.model_id,
                include_usage=plan.request.include_usage,
            )
            chunks: AsyncGenerator[Chunk, None] = gateway.upstream.stream(call)
            response = await relay(request, chunks, normalizer, record, timeouts)
            record.usage = normalizer.usage or {}
            gateway.metrics.attempts.labels(record.model, record.outcome).inc()
            return response
        answer = await _complete(gateway, call, record)
        if not answer.get("choices"):
            raise UpstreamFault("The provider's answer holds no choice.")
    except ProxyError as error:
        gateway.metrics.attempts.labels(record.model, error.code).inc()
        raise
    except asyncio.CancelledError:
        gateway.metrics.attempts.labels(record.model, "cancelled").inc()
        raise
    except Exception:
        gateway.metrics.attempts.labels(record.model, InternalFault.code).inc()
        raise
    gateway.metrics.attempts.labels(record.model, "ok").inc()
    answer = normalize_answer(
        answer, fallback_id=fallback_id, created=created, model=plan.deployment.model_id
    )
    record.usage = answer.get("usage") or {}
    record.status = 200
    return json_response(answer, headers=record.answer_headers(asyncio.get_running_loop().time()))


async def _complete(gateway: Gateway, call: UpstreamCall, record: Record) -> Answer:
    loop = asyncio.get_running_loop()
    asked = loop.time()
    try:
        async with asyncio.timeout(call.timeouts.total_s):
            return await gateway.upstream.complete(call)
    except TimeoutError:
        words = "The provider did not answer in time."
        raise UpstreamTimeout(words, cause=Cause.DEADLINE) from None
    finally:
        record.upstream_wait += loop.time() - asked


def timeouts_of(plan: Plan, settings: Settings) -> Timeouts:
    """Return the limits of the plan's call: the router's, with the deployment's own total if that is shorter."""
    router = settings.router_settings
    return Timeouts(
        connect_s=router.connect_timeout,
        first_byte_s=router.first_byte_timeout,
        idle_s=router.idle_timeout,
        total_s=min(router.timeout, plan.deployment.timeout_s),
    )
