"""The paths of Anthropic's API that turnright does not serve: batches, and the older completions.

Files have the same path as OpenAI's (:mod:`proxy.ingress.routes.not_served`).
"""

from __future__ import annotations

from aiohttp import web

from proxy.core.errors import NotFound
from proxy.ingress.routes.paths import all_spellings

_PATHS = ("/v1/messages/batches{below:(?:/.*)?}", "/v1/complete")


def add_not_here(app: web.Application) -> None:
    """Add the paths to *app*, for every method."""
    for route in _PATHS:
        for path in all_spellings(route):
            app.router.add_route("*", path, refuse)


async def refuse(request: web.Request) -> web.StreamResponse:
    """Raise :class:`NotFound`. The body is not read."""
    raise NotFound(f"turnright does not serve {request.path[:200]}. Send these requests to Anthropic itself.")
