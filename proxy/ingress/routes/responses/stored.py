"""``/v1/responses/{id}`` and the paths below it: shows, lists and deletes what was stored."""

from __future__ import annotations

from typing import Any

from aiohttp import web

from proxy.core.errors import InvalidRequest, NotFound
from proxy.core.json_text import EVENT_STREAM
from proxy.forwarding.gateway import GATEWAY, RECORD
from proxy.forwarding.json_response import json_response
from proxy.ingress.openai_responses.list_items import listed_items
from proxy.ingress.openai_responses.replay import replay_events
from proxy.ingress.routes.responses.open_request import hint_of_path
from proxy.ingress.routes.responses.page_query import read_page_query
from proxy.ingress.routes.responses.require_sessions import require_sessions
from proxy.state.sessions.item_lists import page_of


async def show_response(request: web.Request) -> web.StreamResponse:
    """Answer with a stored response, or with its events again where ``stream=true``."""
    response = await _find(request)
    if request.query.get("stream") != "true":
        return json_response(response)
    after = request.query.get("starting_after", "-1")
    if not after.removeprefix("-").isdecimal() or len(after) > 9:
        raise InvalidRequest("'starting_after' must be a sequence number.", param="starting_after")
    return web.Response(
        body=replay_events(response, int(after)),
        headers={"Content-Type": EVENT_STREAM, "Cache-Control": "no-cache"},
    )


async def delete_response(request: web.Request) -> web.StreamResponse:
    """Delete a stored response. Answers 404 for an id that is unknown, or deleted already."""
    id_ = request.match_info["id"]
    if not await require_sessions(request).delete_response(request[RECORD].key, id_):
        raise _not_found(id_, request)
    return json_response({"id": id_, "object": "response", "deleted": True})


async def cancel_response(request: web.Request) -> web.StreamResponse:
    """Refuse to cancel: a response is stored only when it is complete."""
    await _find(request)
    raise InvalidRequest("Cannot cancel a synchronous response.")


async def list_input_items(request: web.Request) -> web.StreamResponse:
    """Answer with a page of the input items of a stored response."""
    id_, query = request.match_info["id"], read_page_query(request.query)
    items = await require_sessions(request).find_input(request[RECORD].key, id_)
    if items is None:
        raise _not_found(id_, request)
    page = page_of(items, after=query.after, limit=query.limit, order=query.order)
    return json_response(
        {
            "object": "list",
            "data": listed_items(page.data),
            "first_id": page.first_id,
            "last_id": page.last_id,
            "has_more": page.has_more,
        }
    )


async def _find(request: web.Request) -> dict[str, Any]:
    id_ = request.match_info["id"]
    found = await require_sessions(request).find_response(request[RECORD].key, id_)
    if found is None:
        raise _not_found(id_, request)
    return {**found.response, "output": list(found.output)}


def _not_found(id_: str, request: web.Request) -> NotFound:
    """Return the error for an unknown id, in OpenAI's words."""
    hint = hint_of_path(request[GATEWAY])
    return NotFound(
        f"Response with id '{id_[:80]}' not found.{' ' + hint if hint else ''}", param="response_id"
    )
