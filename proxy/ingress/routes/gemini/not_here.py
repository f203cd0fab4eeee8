"""The paths of Gemini's API that turnright does not serve: caches, files, tuned models, batches, and the Live API.

Methods of models that are not served are among them.
"""

from __future__ import annotations

from aiohttp import web

from proxy.core.errors import NotFound
from proxy.ingress.routes.gemini_paths import UNKNOWN, UNKNOWN_METHODS


def add_not_here(app: web.Application) -> None:
    """Add the paths to *app*. They come last, since their patterns fit the served paths too."""
    for path in UNKNOWN:
        app.router.add_route("*", path, refuse)
    app.router.add_post(UNKNOWN_METHODS, refuse)


async def refuse(request: web.Request) -> web.StreamResponse:
    """Raise :class:`NotFound`. The body is not read."""
    raise NotFound(f"turnright does not serve {request.path[:200]}. Send these requests to Google itself.")
