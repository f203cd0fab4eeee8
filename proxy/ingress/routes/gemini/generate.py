"""``POST models/{model}:generateContent`` and ``:streamGenerateContent``: answer a request of Gemini's API."""

from __future__ import annotations

from aiohttp import web

from proxy.forwarding.gateway import RECORD
from proxy.ingress.client_places import renamed_errors
from proxy.ingress.routes.gemini.model_name import model_of
from proxy.ingress.routes.gemini.open_request import open_request
from proxy.ingress.routes.gemini_paths import STREAM_GENERATE_CONTENT
from proxy.ingress.routes.guard_and_forward import guard_and_forward


async def generate_content(request: web.Request) -> web.StreamResponse:
    """Read the request, forward it as a chat, and return the answer whole or as a stream, as the method says."""
    stream = request[RECORD].route == STREAM_GENERATE_CONTENT
    opened = await open_request(request, model_of(request), stream=stream)
    with renamed_errors(opened):
        return await guard_and_forward(request, opened.chat, opened.body, opened.make_answers(request))
