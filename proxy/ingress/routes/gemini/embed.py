"""``POST models/{model}:embedContent`` and ``:batchEmbedContents``, whose texts are forwarded unchanged."""

from __future__ import annotations

from functools import partial

from aiohttp import web

from proxy.config.pools import choose_pool
from proxy.core.offload import parse_weight, run_offloaded
from proxy.forwarding.gateway import GATEWAY, RECORD
from proxy.forwarding.text.forward_text import forward_embeddings
from proxy.ingress.formats import BATCH_EMBED_CONTENTS
from proxy.ingress.gemini_native.embeddings import GEMINI_EMBEDDING, GEMINI_EMBEDDINGS
from proxy.ingress.routes.gemini.model_name import model_of
from proxy.ingress.routes.read_body import read_body


async def embed_contents(request: web.Request) -> web.StreamResponse:
    """Read the request, forward it, and return the embeddings."""
    gateway, record = request[GATEWAY], request[RECORD]
    settings = gateway.settings
    answer_format = GEMINI_EMBEDDINGS if record.route == BATCH_EMBED_CONTENTS else GEMINI_EMBEDDING
    body = await read_body(request, gateway, record)
    nesting, weight = settings.general_settings.max_nesting, parse_weight(body)
    model = model_of(request)
    read = partial(answer_format.read_request, body, max_nesting=nesting, weight=weight, model=model)
    asked = await run_offloaded(weight, read)
    record.asked = asked.model
    record.model = choose_pool(asked.model, settings, record.allowed)[0].label
    await gateway.upstream.start()
    return await forward_embeddings(request, asked, body, answer_format)
