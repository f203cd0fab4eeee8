"""``GET models`` and ``GET models/{id}`` in Gemini's form, for Gemini's paths and for clients of its API.

A page has 50 models, as Google's has (ai.google.dev/api/models).
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from aiohttp import web

from proxy.config import resolve
from proxy.config.list_models import listed_names, require_listed
from proxy.config.litellm_models import embeds
from proxy.core.deployment import Deployment
from proxy.core.errors import InvalidRequest
from proxy.forwarding.gateway import GATEWAY, RECORD, Gateway
from proxy.forwarding.json_response import json_response
from proxy.ingress.routes.gemini.model_name import PREFIX, plain_name
from proxy.planning.windows import window_of

_MOST, _USUAL, _DIGITS = 1_000, 50, 9
_CHATS = ("generateContent", "streamGenerateContent", "countTokens")
_EMBEDDINGS = ("embedContent", "batchEmbedContents")


async def list_content_models(request: web.Request) -> web.Response:
    """Answer with the page of configured models that the query asks for: ``pageSize`` and ``pageToken``."""
    names = await asyncio.to_thread(listed_names, request[GATEWAY].settings, request[RECORD].allowed)
    return await list_page(request, names)


async def show_content_model(request: web.Request) -> web.Response:
    """Answer with one model, which a wildcard may match, or with 404."""
    name = plain_name(request.match_info["id"])
    require_listed(request[GATEWAY].settings, name, request[RECORD].allowed)
    return await show_one(request, name)


async def list_page(request: web.Request, names: Sequence[str]) -> web.Response:
    """Answer with the page of *names* that the query asks for."""
    gateway, query = request[GATEWAY], request.query
    size = min(_read_count(query, "must be a whole number", "pageSize", "page_size") or _USUAL, _MOST)
    start = _read_count(query, "is not one that was given out", "pageToken", "page_token")
    page = names[start : start + size]
    models = await asyncio.to_thread(lambda: [_model(name, gateway) for name in page])
    body: dict[str, Any] = {"models": models}
    if len(names) > start + size:
        body["nextPageToken"] = str(start + size)
    return json_response(body)


async def show_one(request: web.Request, name: str) -> web.Response:
    """Answer with the model of the configured *name*."""
    return json_response(await asyncio.to_thread(_model, name, request[GATEWAY]))


def _read_count(query: Mapping[str, str], rule: str, *names: str) -> int:
    """Return the number in *query* under one of *names*, or 0 where there is none.

    Raises :class:`InvalidRequest` for anything else, with *rule* as its words.
    """
    given = next((query[name] for name in names if query.get(name)), "0")
    if not (given.isascii() and given.isdecimal()) or len(given) > _DIGITS:
        raise InvalidRequest(f"'{names[0]}' {rule}.", param=names[0])
    return int(given)


def _model(name: str, gateway: Gateway) -> dict[str, Any]:
    model: dict[str, Any] = {"name": f"{PREFIX}{name}", "version": "001", "displayName": name}
    pool = resolve(gateway.settings, name)
    methods = _EMBEDDINGS if pool and _is_for_embeddings(pool[0]) else _CHATS
    if pool:
        window = window_of(pool[0])
        limits = {"inputTokenLimit": window.max_input_tokens, "outputTokenLimit": window.max_output_tokens}
        model |= {limit: value for limit, value in limits.items() if value is not None}
    return {**model, "supportedGenerationMethods": [*methods]}


def _is_for_embeddings(deployment: Deployment) -> bool:
    """Tell whether the settings or litellm's table say that *deployment* embeds texts."""
    return deployment.embeds or embeds(f"{deployment.provider}/{deployment.model_id}")
