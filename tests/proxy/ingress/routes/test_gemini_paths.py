"""Tests of the paths that only clients of Gemini's API use."""

from __future__ import annotations

import pytest
from aiohttp import web
from aiohttp.test_utils import make_mocked_request

from proxy.ingress.routes import add_api_routes
from proxy.ingress.routes.gemini_paths import GEMINI_METHODS, is_gemini
from proxy.ingress.routes.paths import api_route


async def routed(method: str, path: str) -> web.Request:
    """Return a request whose path was looked up."""
    app = web.Application()
    add_api_routes(app)
    request = make_mocked_request(method, path)
    request._match_info = await app.router.resolve(request)
    return request


BEFORE = (
    "",
    "/v1",
    "/v1beta",
    "/v1alpha",
    "/v1beta1",
    "/v1/v1beta",
    "/v1beta/v1beta",
    "/v1/projects/p/locations/l/publishers/google",
    "/v1beta1/publishers/google",
)


@pytest.mark.parametrize("method", GEMINI_METHODS)
async def test_paths_of_a_method_have_one_name(method: str) -> None:
    """gemini-cli asks with ``/v1beta``, google-genai with ``/v1``, and clients of Vertex AI name an account."""
    for before in BEFORE:
        path = f"{before}/models/a/b:c:{method.rpartition(':')[2]}"
        assert api_route(await routed("POST", path)) == method


@pytest.mark.parametrize("before", ["/v1beta", "/v1alpha", "/v1beta1", "/v1/v1beta", "/v1beta/v1beta"])
async def test_lists_of_models_have_the_names_of_openais(before: str) -> None:
    assert api_route(await routed("GET", f"{before}/models")) == "/v1/models"
    assert api_route(await routed("GET", f"{before}/models/a/b:c")) == "/v1/models/{id}"


@pytest.mark.parametrize(
    ("method", "path", "expected"),
    [
        ("POST", "/v1/models/m:generateContent", True),
        ("POST", "/v1/models/m%3AgenerateContent", True),
        ("POST", "/v1beta/models/a%2Fb:generateContent", True),
        ("POST", "/models/m:other", True),
        ("POST", "/v1beta/cachedContents", True),
        ("POST", "/upload/v1beta/files", True),
        ("GET", "/v1beta/models", True),
        ("GET", "/v1/models/llama:8b", False),
        ("GET", "/v1/models", False),
        ("POST", "/v1/chat/completions", False),
    ],
)
async def test_geminis_paths_are_those_that_no_other_client_uses(
    method: str, path: str, expected: bool
) -> None:
    assert is_gemini(await routed(method, path)) is expected
