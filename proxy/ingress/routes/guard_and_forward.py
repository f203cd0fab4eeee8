"""Applies the turn guard to a chat that was read, and forwards it. All chat formats share this."""

from __future__ import annotations

from functools import partial

from aiohttp import web

from proxy.config.pools import choose_pool
from proxy.core.chat_request import ChatRequest
from proxy.core.offload import run_offloaded
from proxy.forwarding.answer_format import ClientFormat
from proxy.forwarding.chat.forward_chat import Keep, forward_chat
from proxy.forwarding.gateway import GATEWAY, RECORD
from proxy.planning.guard_turns import MAX_ROUNDS, guard_chat, read_max_rounds


async def guard_and_forward(
    request: web.Request,
    chat: ChatRequest,
    body: bytes,
    answer_format: ClientFormat[ChatRequest],
    keep: Keep | None = None,
) -> web.StreamResponse:
    """Answer *chat*, whose request body was *body*, and note its facts in the record. *keep* stores the answer.

    A request that arrives before the upstream is ready waits, since an error would cost the client more.
    """
    gateway, record = request[GATEWAY], request[RECORD]
    settings = gateway.settings
    record.stream, record.messages = chat.stream, len(chat.messages)
    if gateway.recent_requests is not None and gateway.recent_requests.keeps_bodies:
        record.body = body if chat.source is None else chat.source.body
    record.asked = chat.model
    record.model = choose_pool(chat.model, settings, record.allowed)[0].label
    asked = record.max_rounds = read_max_rounds(request.headers.get(MAX_ROUNDS))
    policy = gateway.turns.find(chat.model, record.model, record.key)
    chat, record.guarded = await run_offloaded(
        chat.weight, partial(guard_chat, chat, policy, asked, mode=settings.sanitize.mode)
    )
    await gateway.upstream.start()
    return await forward_chat(request, chat, body, answer_format, keep)
