"""``/v1/conversations`` and the paths below it: conversations that clients make, change, list and delete."""

from __future__ import annotations

import time
from collections.abc import Mapping
from functools import partial
from typing import Any

from aiohttp import web

from proxy.core.errors import InvalidRequest, NotFound
from proxy.core.json_text import write_json
from proxy.core.offload import parse_weight, run_offloaded
from proxy.forwarding.gateway import GATEWAY, RECORD
from proxy.forwarding.json_response import json_response, written_response
from proxy.ingress.openai_responses.conversation_fields import ConversationFields, read_conversation_fields
from proxy.ingress.openai_responses.ids import make_conversation_id
from proxy.ingress.openai_responses.list_items import listed_item, listed_items
from proxy.ingress.routes.read_body import read_body
from proxy.ingress.routes.responses.open_request import hint_of_path
from proxy.ingress.routes.responses.page_query import read_page_query
from proxy.ingress.routes.responses.require_sessions import require_sessions
from proxy.state.sessions.conversations import Conversation
from proxy.state.sessions.item_lists import ItemPage


async def create_conversation(request: web.Request) -> web.StreamResponse:
    """Make a conversation with the body's metadata and items."""
    sessions, gateway = require_sessions(request), request[GATEWAY]
    fields = await _read_fields(request)
    created = int(time.time())  # noqa: TID251 - `created_at` is a wall-clock field of OpenAI's format
    conversation = Conversation(make_conversation_id(gateway.token()), created, fields.metadata)
    await sessions.create_conversation(request[RECORD].key, conversation, fields.items, fields.weight)
    return json_response(_as_dict(conversation))


async def show_conversation(request: web.Request) -> web.StreamResponse:
    """Answer with a conversation's metadata."""
    found = await require_sessions(request).find_conversation(request[RECORD].key, _id_in(request))
    return json_response(_as_dict(_known(found, request)))


async def update_conversation(request: web.Request) -> web.StreamResponse:
    """Replace a conversation's metadata."""
    sessions, fields = require_sessions(request), await _read_fields(request)
    found = await sessions.update_conversation(request[RECORD].key, _id_in(request), fields.metadata)
    return json_response(_as_dict(_known(found, request)))


async def delete_conversation(request: web.Request) -> web.StreamResponse:
    """Delete a conversation."""
    id_ = _id_in(request)
    if not await require_sessions(request).delete_conversation(request[RECORD].key, id_):
        raise _not_found(request)
    return json_response({"id": id_, "object": "conversation.deleted", "deleted": True})


async def add_items(request: web.Request) -> web.StreamResponse:
    """Add the body's items to a conversation, and answer with them as they are stored."""
    sessions, fields = require_sessions(request), await _read_fields(request)
    if not fields.items:
        raise InvalidRequest("'items' is required.", param="items")
    added = await sessions.append_items(request[RECORD].key, _id_in(request), fields.items, fields.weight)
    if added is None:
        raise _not_found(request)
    return _list_response(ItemPage(added, added[0]["id"], added[-1]["id"], has_more=False))


async def list_items(request: web.Request) -> web.StreamResponse:
    """Answer with a page of a conversation's items."""
    query = read_page_query(request.query)
    page = await require_sessions(request).list_items(
        request[RECORD].key, _id_in(request), after=query.after, limit=query.limit, order=query.order
    )
    if page is None:
        raise _not_found(request)
    return _list_response(page)


async def show_item(request: web.Request) -> web.StreamResponse:
    """Answer with one item of a conversation."""
    item = await require_sessions(request).find_item(
        request[RECORD].key, _id_in(request), request.match_info["item"]
    )
    if item is None:
        raise NotFound("Item not found in this conversation.", param="item_id")
    return json_response(listed_item(item))


async def delete_item(request: web.Request) -> web.StreamResponse:
    """Delete one item of a conversation, and answer with the conversation."""
    found = await require_sessions(request).delete_item(
        request[RECORD].key, _id_in(request), request.match_info["item"]
    )
    return json_response(_as_dict(_known(found, request)))


async def _read_fields(request: web.Request) -> ConversationFields:
    gateway, record = request[GATEWAY], request[RECORD]
    body = await read_body(request, gateway, record)
    weight = parse_weight(body)
    nesting = gateway.settings.general_settings.max_nesting
    return await run_offloaded(weight, partial(read_conversation_fields, body, max_nesting=nesting))


def _id_in(request: web.Request) -> str:
    return request.match_info["id"]


def _known(found: Conversation | None, request: web.Request) -> Conversation:
    if found is None:
        raise _not_found(request)
    return found


def _not_found(request: web.Request) -> NotFound:
    hint = hint_of_path(request[GATEWAY])
    return NotFound(
        f"Conversation with id '{_id_in(request)[:80]}' not found.{' ' + hint if hint else ''}",
        param="conversation_id",
    )


def _as_dict(conversation: Conversation) -> Mapping[str, Any]:
    return {
        "id": conversation.id,
        "object": "conversation",
        "created_at": conversation.created_at,
        "metadata": dict(conversation.metadata),
    }


def _list_response(page: ItemPage) -> web.Response:
    data = listed_items(page.data)
    listed = {"object": "list", "data": data, "first_id": page.first_id, "last_id": page.last_id}
    return written_response(write_json({**listed, "has_more": page.has_more}))
