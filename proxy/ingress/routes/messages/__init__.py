"""The paths of Anthropic's Messages API.

create        POST /v1/messages
open_request  the fields and headers of a request, and its chat
count_tokens  POST /v1/messages/count_tokens
list_models   models in Anthropic's form
not_here      the paths of Anthropic's API that are not served
"""

from __future__ import annotations

from aiohttp import web

from proxy.ingress.routes.messages.count_tokens import count_tokens
from proxy.ingress.routes.messages.create import create_message
from proxy.ingress.routes.messages.not_here import add_not_here
from proxy.ingress.routes.paths import COUNT_TOKENS, MESSAGES, all_spellings

__all__ = ["add_message_routes"]

_ROUTES = ((MESSAGES, create_message), (COUNT_TOKENS, count_tokens))


def add_message_routes(app: web.Application) -> None:
    """Add the paths to *app*, each with ``/v1``, without it, and with it twice."""
    for route, handler in _ROUTES:
        for path in all_spellings(route):
            app.router.add_post(path, handler)
    add_not_here(app)
