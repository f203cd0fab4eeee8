"""``GET /v1/models`` and ``GET /v1/models/{id}``: the configured names, and the known models of wildcards.

OpenAI's, Anthropic's and Gemini's lists have the same path. Clients of Anthropic's API send ``anthropic-version``, and
those of Gemini's ``x-goog-api-key`` or ``x-goog-api-client``.
"""

from __future__ import annotations

import asyncio
from typing import Any

from aiohttp import web

from proxy.config import resolve
from proxy.config.list_models import listed_names, require_listed
from proxy.forwarding.gateway import GATEWAY, RECORD, Gateway
from proxy.forwarding.json_response import json_response
from proxy.ingress.api_headers import VERSION, has_google_headers
from proxy.ingress.routes.gemini.list_models import list_content_models, show_content_model
from proxy.ingress.routes.messages.list_models import list_page, show_one


async def list_models(request: web.Request) -> web.Response:
    """Answer with each model name that the key may use. The first request reads litellm's table, in a worker thread."""
    if has_google_headers(request):
        return await list_content_models(request)
    gateway = request[GATEWAY]
    names = await asyncio.to_thread(listed_names, gateway.settings, request[RECORD].allowed)
    if VERSION in request.headers:
        return await list_page(request, names)
    return json_response({"object": "list", "data": [_model(name, gateway) for name in names]})


async def show_model(request: web.Request) -> web.Response:
    """Answer with one model, which a wildcard may match, or with 404 ``model_not_found``."""
    if has_google_headers(request):
        return await show_content_model(request)
    gateway = request[GATEWAY]
    name = request.match_info["id"]
    require_listed(gateway.settings, name, request[RECORD].allowed)
    if VERSION in request.headers:
        return await show_one(request, name)
    return json_response(_model(name, gateway))


def _model(name: str, gateway: Gateway) -> dict[str, Any]:
    pool = resolve(gateway.settings, name)
    owner = pool[0].provider if pool else name.partition("/")[0]
    return {"id": name, "object": "model", "created": gateway.started, "owned_by": owner}
