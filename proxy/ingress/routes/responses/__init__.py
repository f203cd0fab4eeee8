"""The paths of OpenAI's Responses API and of its conversations.

create            POST /v1/responses
stored            what was stored: show, list, delete
conversations     /v1/conversations and below
count_tokens      POST /v1/responses/input_tokens
compact           POST /v1/responses/compact
resolve_input     the stored conversation and the references of a request
wait_in_stream    a 429 for codex
"""

from __future__ import annotations

from aiohttp import web

from proxy.ingress.routes.paths import (
    COMPACT,
    CONVERSATION,
    CONVERSATION_ITEM,
    CONVERSATION_ITEMS,
    CONVERSATIONS,
    INPUT_TOKENS,
    RESPONSE,
    RESPONSE_CANCEL,
    RESPONSE_INPUT,
    RESPONSES,
    SESSIONS,
    spellings,
)
from proxy.ingress.routes.responses import conversations, stored
from proxy.ingress.routes.responses.compact import compact
from proxy.ingress.routes.responses.count_tokens import count_tokens
from proxy.ingress.routes.responses.create import create_response
from proxy.ingress.routes.responses.purge import purge_sessions
from proxy.ingress.routes.responses.refuse_upgrade import refuse_upgrade

__all__ = ["add_response_routes"]

_ROUTES = (
    ("POST", RESPONSES, create_response),
    ("GET", RESPONSES, refuse_upgrade),
    ("POST", INPUT_TOKENS, count_tokens),
    ("POST", COMPACT, compact),
    ("GET", RESPONSE, stored.show_response),
    ("DELETE", RESPONSE, stored.delete_response),
    ("POST", RESPONSE_CANCEL, stored.cancel_response),
    ("GET", RESPONSE_INPUT, stored.list_input_items),
    ("DELETE", SESSIONS, purge_sessions),
    ("POST", CONVERSATIONS, conversations.create_conversation),
    ("GET", CONVERSATION, conversations.show_conversation),
    ("POST", CONVERSATION, conversations.update_conversation),
    ("DELETE", CONVERSATION, conversations.delete_conversation),
    ("POST", CONVERSATION_ITEMS, conversations.add_items),
    ("GET", CONVERSATION_ITEMS, conversations.list_items),
    ("GET", CONVERSATION_ITEM, conversations.show_item),
    ("DELETE", CONVERSATION_ITEM, conversations.delete_item),
)
"""The paths with their methods. A fixed path stands before the pattern that it fits."""


def add_response_routes(app: web.Application) -> None:
    """Add the paths to *app*, each with and without ``/v1``."""
    for method, route, handler in _ROUTES:
        for path in spellings(route):
            app.router.add_route(method, path, handler)
