"""Tests that the routes come from the table of formats, and have the same name with and without ``/v1``."""

from __future__ import annotations

import pytest
from aiohttp import web
from aiohttp.test_utils import make_mocked_request

from proxy.ingress import formats
from proxy.ingress.routes import add_api_routes, add_health_routes
from proxy.ingress.routes.paths import api_route, api_routes
from tests.support.toy_format import TOY, TOY_PATH


async def routes_of(*paths: str) -> list[str | None]:
    """Return the names of the routes that an application finds for *paths*."""
    app = web.Application()
    add_api_routes(app)
    add_health_routes(app)
    found = []
    for path in paths:
        routes = set()
        for method in ("DELETE", "GET", "POST"):
            request = make_mocked_request(method, path)
            request._match_info = await app.router.resolve(request)
            routes.add(api_route(request))
        found.append(min(routes - {None}, key=_generality, default=None))
    return found


def _generality(route: str | None) -> int:
    """Return how much a route leaves open: a fixed path may also fit the pattern of another method."""
    return 2 * (route or "").count("{") - ("}:" in (route or ""))


async def test_every_route_has_one_name_in_both_spellings() -> None:
    """The name is the same with and without ``/v1``. A model's name may hold slashes."""
    paths = [
        route.replace("models/{id}", "models/openai/gpt-4.1")
        .replace("{model}", "openai/gpt-4.1:free")
        .replace("{id}", "a")
        .replace("{item}", "b")
        for route in api_routes()
    ]

    assert await routes_of(*paths) == list(api_routes())
    assert await routes_of(*(path.removeprefix("/v1") for path in paths)) == list(api_routes())


async def test_paths_outside_the_api_have_no_route_name() -> None:
    """Probes, metrics, the root and unknown paths have no route name."""
    assert (
        await routes_of("/livez", "/metrics", "/", "/nowhere", "/v1/nowhere", "/v1/v1/responses")
        == [None] * 6
    )


async def test_paths_of_claude_code_have_their_names_with_the_prefix_twice() -> None:
    """Claude Code adds ``/v1`` to a base URL that may end with it."""
    paths = ["/v1/messages", "/v1/messages/count_tokens", "/v1/models"]

    assert await routes_of(*(f"/v1{path}" for path in paths)) == paths


async def test_format_added_to_the_table_is_a_route(monkeypatch: pytest.MonkeyPatch) -> None:
    """A row in the table of formats is enough to serve its path."""
    monkeypatch.setitem(formats.FORMATS, TOY_PATH, TOY)

    assert TOY_PATH in api_routes()
    assert await routes_of(TOY_PATH, TOY_PATH.removeprefix("/v1")) == [TOY_PATH] * 2
