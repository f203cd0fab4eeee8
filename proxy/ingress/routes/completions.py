"""``POST /v1/completions``."""

from __future__ import annotations

from functools import partial

from aiohttp import web

from proxy.config.pools import choose_pool
from proxy.core.offload import parse_weight, run_offloaded
from proxy.forwarding.gateway import GATEWAY, RECORD
from proxy.forwarding.text.forward_text import forward_completion
from proxy.ingress.openai_text.requests import parse_completion_request
from proxy.ingress.routes.read_body import read_body


async def completions(request: web.Request) -> web.StreamResponse:
    """Read the request, send it as it is, and hand the text back."""
    gateway, record = request[GATEWAY], request[RECORD]
    settings = gateway.settings
    body = await read_body(request, gateway, record)
    nesting, weight = settings.general_settings.max_nesting, parse_weight(body)
    asked = await run_offloaded(
        weight, partial(parse_completion_request, body, max_nesting=nesting, weight=weight)
    )
    record.stream = asked.stream
    record.model = choose_pool(asked.model, settings)[0].label
    await gateway.upstream.start()
    return await forward_completion(request, asked, body, record, gateway)
