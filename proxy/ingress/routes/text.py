"""``POST /v1/completions`` and ``POST /v1/embeddings``, whose texts are forwarded unchanged."""

from __future__ import annotations

from functools import partial

from aiohttp import web

from proxy.config.pools import choose_pool
from proxy.core.offload import parse_weight, run_offloaded
from proxy.core.text_request import TextRequest
from proxy.forwarding.gateway import GATEWAY, RECORD
from proxy.forwarding.text.forward_text import forward_completion, forward_embeddings
from proxy.ingress.formats import EMBEDDINGS, FORMATS
from proxy.ingress.routes.read_body import read_body


async def complete_or_embed(request: web.Request) -> web.StreamResponse:
    """Read the request, forward it, and return the text or the embeddings."""
    gateway, record = request[GATEWAY], request[RECORD]
    settings, answer_format = gateway.settings, FORMATS[record.route]
    body = await read_body(request, gateway, record)
    nesting, weight = settings.general_settings.max_nesting, parse_weight(body)
    read = partial(answer_format.read_request, body, max_nesting=nesting, mends=False, weight=weight)
    asked: TextRequest = await run_offloaded(weight, read)
    record.stream = asked.stream
    record.asked = asked.model
    record.model = choose_pool(asked.model, settings, record.allowed)[0].label
    await gateway.upstream.start()
    forward = forward_embeddings if record.route == EMBEDDINGS else forward_completion
    return await forward(request, asked, body, answer_format)
