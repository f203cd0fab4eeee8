"""``POST /v1/embeddings``."""

from __future__ import annotations

from functools import partial

from aiohttp import web

from proxy.config.pools import choose_pool
from proxy.core.offload import parse_weight, run_offloaded
from proxy.core.text_request import TextRequest
from proxy.forwarding.gateway import GATEWAY, RECORD
from proxy.forwarding.text.forward_text import forward_embeddings
from proxy.ingress.formats import FORMATS
from proxy.ingress.routes.read_body import read_body


async def embeddings(request: web.Request) -> web.StreamResponse:
    """Read the request, forward it unchanged, and return the embeddings."""
    gateway, record = request[GATEWAY], request[RECORD]
    settings, answer_format = gateway.settings, FORMATS[record.route]
    body = await read_body(request, gateway, record)
    nesting, weight = settings.general_settings.max_nesting, parse_weight(body)
    read = partial(answer_format.read_request, body, max_nesting=nesting, mends=False, weight=weight)
    asked: TextRequest = await run_offloaded(weight, read)
    record.model = choose_pool(asked.model, settings)[0].label
    await gateway.upstream.start()
    return await forward_embeddings(request, asked, body, answer_format)
