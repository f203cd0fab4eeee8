"""``POST /v1/messages/count_tokens``: estimates the tokens of a request's input, or asks the provider for them.

Claude Code asks 13 times for one look at its context. For each request that fails, it asks a model for one token
(2.1.197, run in 2026-11).
"""

from __future__ import annotations

from aiohttp import web

from proxy.forwarding.gateway import GATEWAY, RECORD
from proxy.forwarding.json_response import json_response
from proxy.ingress.anthropic_messages.errors import REQUEST_ID
from proxy.ingress.client_places import renamed_errors
from proxy.ingress.routes.count_input import count_input
from proxy.ingress.routes.messages.open_request import open_request


async def count_tokens(request: web.Request) -> web.StreamResponse:
    """Answer with the number of tokens that the request's input takes (:mod:`proxy.ingress.routes.count_input`)."""
    opened = await open_request(request, wants_answer=False)
    with renamed_errors(opened):
        tokens = await count_input(opened.chat, request[GATEWAY], request[RECORD])
    return json_response({"input_tokens": tokens}, headers={REQUEST_ID: request[RECORD].request_id})
