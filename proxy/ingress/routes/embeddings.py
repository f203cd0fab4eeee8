"""``POST /v1/embeddings``."""

from __future__ import annotations

from functools import partial

from aiohttp import web

from proxy.config.pools import choose_pool
from proxy.core.offload import parse_weight, run_offloaded
from proxy.forwarding.gateway import GATEWAY, RECORD
from proxy.forwarding.text.forward_text import forward_embeddings
from proxy.ingress.openai_text.requests import parse_embedding_request
from proxy.ingress.routes.read_body import read_body


async def embeddings(request: web.Request) -> web.StreamResponse:
    """Read the request, send it as it is, and hand the embeddings back."""
    gateway, record = request[GATEWAY], request[RECORD]
    settings = gateway.settings
    body = await read_body(request, gateway, record)
    nesting, weight = settings.general_settings.max_nesting, parse_weight(body)
    asked = await run_offloaded(
        weight, partial(parse_embedding_request, body, max_nesting=nesting, weight=weight)
    )
    record.model = choose_pool(asked.model, settings)[0].label
    await gateway.upstream.start()
    return await forward_embeddings(asked, body, record, gateway)
