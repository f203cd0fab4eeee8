"""``POST /v1/messages``: answers a request of the Messages API."""

from __future__ import annotations

from aiohttp import web

from proxy.ingress.client_places import renamed_errors
from proxy.ingress.routes.guard_and_forward import guard_and_forward
from proxy.ingress.routes.messages.open_request import open_request


async def create_message(request: web.Request) -> web.StreamResponse:
    """Read the request, forward it as a chat, and return the message or its events."""
    opened = await open_request(request)
    with renamed_errors(opened):
        return await guard_and_forward(request, opened.chat, opened.body, opened.make_answers(request))
