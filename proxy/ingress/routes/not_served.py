"""The paths of OpenAI's API that turnright does not serve: each answers 501 with the reason.

A path that is neither served nor listed here answers 404. Neither kind of path is counted or logged as a request of the
API.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from aiohttp import web

from proxy.core.errors import NotFound, NotServed
from proxy.ingress.api_headers import VERSION, has_google_headers
from proxy.ingress.routes.paths import spellings

NOT_SERVED: Mapping[str, str] = MappingProxyType(
    {
        "/v1/audio": "audio",
        "/v1/images": "images",
        "/v1/rerank": "rerank",
        "/v1/moderations": "moderations",
        "/v1/files": "files",
        "/v1/batches": "batches",
    }
)
"""The prefixes of paths that are not served, with the name that the error gives each.

All paths below a prefix are not served either.
"""

_BELOW = "{below:(?:/.*)?}"
"""Matches a prefix itself and every path below the prefix."""

_TEMPLATES = frozenset(f"{spelling}{{below}}" for start in NOT_SERVED for spelling in spellings(start))
"""The names that aiohttp gives the resources of these paths."""


def add_not_served(app: web.Application) -> None:
    """Add the paths to *app*, with the prefix ``/v1`` and without it, for every method."""
    for start in NOT_SERVED:
        for spelling in spellings(start):
            app.router.add_route("*", spelling + _BELOW, refuse_unserved)


def is_not_served(request: web.Request) -> bool:
    """Return True where the path of *request* is a prefix in :data:`NOT_SERVED`, or below such a prefix."""
    resource = request.match_info.route.resource
    return resource is not None and resource.canonical in _TEMPLATES


async def refuse_unserved(request: web.Request) -> web.StreamResponse:
    """Raise :class:`NotServed` with the name of the API that the client asked for. The body is not read.

    OpenAI's SDK retries every status from 500 on unless ``x-should-retry`` is false (openai-python 2.54.0).
    """
    path = request.path.removeprefix("/v1")
    name = next(name for start, name in NOT_SERVED.items() if path.startswith(start.removeprefix("/v1")))
    if VERSION in request.headers:  # Anthropic's API has files and batches of its own
        raise NotFound(f"turnright does not serve {name}. Send these requests to Anthropic itself.")
    if has_google_headers(request):  # and so has Gemini's
        raise NotFound(f"turnright does not serve {name}. Send these requests to Google itself.")
    raise NotServed(
        f"turnright does not serve {name}. Send these requests to the provider itself.",
        headers={"x-should-retry": "false"},
    )
