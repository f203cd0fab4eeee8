"""``GET /v1/models`` and ``GET /v1/models/{id}`` in Anthropic's form, for clients that send ``anthropic-version``.

Claude Code keeps only ids that begin with ``claude`` or ``anthropic`` (2.1.197). Aliases in the configuration offer
other models under such names.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from aiohttp import web

from proxy.config import resolve
from proxy.core.errors import InvalidRequest
from proxy.forwarding.gateway import GATEWAY, RECORD, Gateway
from proxy.forwarding.json_response import json_response
from proxy.ingress.anthropic_messages.errors import REQUEST_ID
from proxy.planning.windows import window_of

_MOST, _USUAL = 1_000, 20


async def list_page(request: web.Request, names: Sequence[str]) -> web.Response:
    """Answer with the page of *names* that the query asks for: ``limit``, ``before_id`` and ``after_id``."""
    gateway = request[GATEWAY]
    page, has_more = _page_of(names, request.query)
    models = await asyncio.to_thread(lambda: [_model(name, gateway) for name in page])
    body = {
        "data": models,
        "has_more": has_more,
        "first_id": page[0] if page else None,
        "last_id": page[-1] if page else None,
    }
    return json_response(body, headers={REQUEST_ID: request[RECORD].request_id})


async def show_one(request: web.Request, name: str) -> web.Response:
    """Answer with the model *name*, which is known."""
    model = await asyncio.to_thread(_model, name, request[GATEWAY])
    return json_response(model, headers={REQUEST_ID: request[RECORD].request_id})


def _page_of(names: Sequence[str], query: Mapping[str, str]) -> tuple[Sequence[str], bool]:
    """Return the names of one page, and whether more follow in its direction."""
    given = query.get("limit", str(_USUAL))
    if not given.isdecimal() or len(given) > 4 or not 1 <= int(given) <= _MOST:
        raise InvalidRequest(f"limit: Input should be a number from 1 to {_MOST}", param="limit")
    limit, before, after = int(given), query.get("before_id"), query.get("after_id")
    if before is not None:
        end = _index_of(names, before, "before_id")
        return names[max(end - limit, 0) : end], end > limit
    start = 0 if after is None else _index_of(names, after, "after_id") + 1
    return names[start : start + limit], len(names) > start + limit


def _index_of(names: Sequence[str], name: str, param: str) -> int:
    try:
        return names.index(name)
    except ValueError:
        raise InvalidRequest(f"{param}: there is no such model", param=param) from None


def _model(name: str, gateway: Gateway) -> dict[str, Any]:
    created = datetime.fromtimestamp(gateway.started, UTC)
    model: dict[str, Any] = {
        "type": "model",
        "id": name,
        "display_name": name,
        "created_at": created.strftime("%Y-%m-%dT%H:%M:%SZ"),
    }
    pool = resolve(gateway.settings, name)
    if pool:
        window = window_of(pool[0])
        limits = {"max_input_tokens": window.max_input_tokens, "max_tokens": window.max_output_tokens}
        model |= {limit: value for limit, value in limits.items() if value is not None}
    return model
