"""Tests of the model in a path of Gemini's API."""

from __future__ import annotations

import pytest
from aiohttp import web
from aiohttp.test_utils import make_mocked_request

from proxy.ingress.routes.gemini.model_name import model_of


@pytest.mark.parametrize(
    ("found", "model"),
    [
        ({"before": "", "model": "gemini-3"}, "gemini-3"),
        ({"before": "v1beta/", "model": "models/gemini-3"}, "gemini-3"),
        ({"before": "v1/", "model": "models/models/a/b"}, "a/b"),
        ({"before": "v1/", "model": "a:b"}, "a:b"),
        ({"before": "v1/publishers/google/", "model": "gemini-3"}, "gemini-3"),
        ({"before": "v1/projects/p/locations/l/publishers/anthropic/", "model": "x"}, "anthropic/x"),
    ],
)
def test_model_is_named_as_in_the_configuration(found: dict[str, str], model: str) -> None:
    request = make_mocked_request("POST", "/x", match_info=found)

    assert isinstance(request, web.Request)
    assert model_of(request) == model
