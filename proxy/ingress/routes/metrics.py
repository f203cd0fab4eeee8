"""``GET /metrics``: the Prometheus exposition."""

from __future__ import annotations

import asyncio

from aiohttp import web
from prometheus_client.exposition import choose_encoder

from proxy.forwarding.gateway import GATEWAY


async def metrics(request: web.Request) -> web.Response:
    """Answer with every series, in Prometheus text or OpenMetrics, as the Accept header asks."""
    gateway = request[GATEWAY]
    gateway.metrics.ready.set(gateway.lifecycle.ready)
    gateway.metrics.connections.set(len(gateway.connections))
    gateway.metrics.in_flight.set(len(gateway.lifecycle.in_flight))
    gateway.metrics.in_flight_bytes.set(gateway.memory.in_flight)
    gateway.metrics.budget_used.ratios = gateway.limiter.budgets_used()
    for (model, position), state in gateway.balancer.states(asyncio.get_running_loop().time()).items():
        gateway.metrics.circuits.labels(model, str(position)).set(state)
    encoder, content_type = choose_encoder(request.headers.get("Accept", ""))
    text = await asyncio.to_thread(encoder, gateway.metrics.registry)  # a thousand series take 10 ms
    return web.Response(body=text, headers={"Content-Type": content_type})
