"""``POST /v1/responses/compact``: replaces a conversation by a summary that the request's model writes."""

from __future__ import annotations

from dataclasses import replace

from aiohttp import web

from proxy.forwarding.gateway import GATEWAY
from proxy.ingress.openai_responses.compaction import CompactAnswers, ask_for_summary
from proxy.ingress.routes.guard_and_forward import guard_and_forward
from proxy.ingress.routes.responses.open_request import open_request, renamed_errors


async def compact(request: web.Request) -> web.StreamResponse:
    """Answer with one compaction item, which stands for the conversation in later requests. Nothing is stored."""
    opened = await open_request(request)
    answers = opened.make_answers(CompactAnswers, request[GATEWAY], stores=False)
    with renamed_errors(opened):
        return await guard_and_forward(
            request, replace(ask_for_summary(opened.chat), stream=False), opened.body, answers
        )
