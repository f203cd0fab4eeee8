"""Refuse at once what the process has no room for; a queue would only make everyone late."""

from __future__ import annotations

from aiohttp import web
from aiohttp.typedefs import Handler

from proxy.errors import BodyTooLarge, Overloaded
from proxy.keys import GATEWAY
from proxy.routes.paths import api_route


@web.middleware
async def limit_requests(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Refuse API requests over ``max_in_flight``, and bodies that announce more than ``max_body_mib``."""
    if api_route(request) is not None:
        gateway = request.app[GATEWAY]
        general = gateway.settings.general_settings
        if len(gateway.lifecycle.working) > general.max_in_flight:
            raise Overloaded("Too many requests are in flight; try again.", headers={"Retry-After": "1"})
        if (request.content_length or 0) > general.max_body_mib * 2**20:
            raise BodyTooLarge(f"The body is over the limit of {general.max_body_mib} MiB.")
    return await handler(request)
