"""``POST /v1/chat/completions``, and the paths of other chat formats."""

from __future__ import annotations

from functools import partial

from aiohttp import web

from proxy.core.chat_request import ChatRequest
from proxy.core.offload import parse_weight, run_offloaded
from proxy.forwarding.gateway import GATEWAY, RECORD
from proxy.ingress.formats import FORMATS
from proxy.ingress.routes.guard_and_forward import guard_and_forward
from proxy.ingress.routes.read_body import read_body


async def chat_completions(request: web.Request) -> web.StreamResponse:
    """Read the request, apply the turn guard, forward the chat and return its answer."""
    gateway, record = request[GATEWAY], request[RECORD]
    settings, answer_format = gateway.settings, FORMATS[record.route]
    body = await read_body(request, gateway, record)
    nesting, mends = settings.general_settings.max_nesting, settings.sanitize.mode == "repair"
    weight = parse_weight(body)
    parse = partial(answer_format.read_request, body, max_nesting=nesting, mends=mends, weight=weight)
    chat: ChatRequest = await run_offloaded(weight, parse)
    return await guard_and_forward(request, chat, body, answer_format)
