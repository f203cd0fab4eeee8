"""``POST /v1/chat/completions``, and the paths of other chat formats."""

from __future__ import annotations

from functools import partial

from aiohttp import web

from proxy.config.pools import choose_pool
from proxy.core.chat_request import ChatRequest
from proxy.core.offload import parse_weight, run_offloaded
from proxy.forwarding.chat.forward_chat import forward_chat
from proxy.forwarding.gateway import GATEWAY, RECORD
from proxy.ingress.formats import FORMATS
from proxy.ingress.routes.read_body import read_body
from proxy.planning.guard_turns import MAX_ROUNDS, guard_chat, read_max_rounds


async def chat_completions(request: web.Request) -> web.StreamResponse:
    """Read the request, apply the turn guard, forward the chat and return its answer.

    A request that arrives before the upstream is ready waits, since an error would cost the client more.
    """
    gateway, record = request[GATEWAY], request[RECORD]
    settings, answer_format = gateway.settings, FORMATS[record.route]
    body = await read_body(request, gateway, record)
    nesting, mends = settings.general_settings.max_nesting, settings.sanitize.mode == "repair"
    weight = parse_weight(body)
    parse = partial(answer_format.read_request, body, max_nesting=nesting, mends=mends, weight=weight)
    chat: ChatRequest = await run_offloaded(weight, parse)
    record.stream, record.messages = chat.stream, len(chat.messages)
    if gateway.recent_requests is not None and gateway.recent_requests.keeps_bodies:
        record.body = body if chat.source is None else chat.source.body
    record.asked = chat.model
    record.model = choose_pool(chat.model, settings)[0].label
    asked = record.max_rounds = read_max_rounds(request.headers.get(MAX_ROUNDS))
    policy = gateway.turns.find(chat.model, record.model, record.key)
    chat, record.guarded = await run_offloaded(
        chat.weight, partial(guard_chat, chat, policy, asked, mode=settings.sanitize.mode)
    )
    await gateway.upstream.start()
    return await forward_chat(request, chat, body, answer_format)
