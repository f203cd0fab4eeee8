"""Tests of the model in a path of Gemini's API."""

from __future__ import annotations

import pytest
from aiohttp import web
from aiohttp.test_utils import make_mocked_request

from proxy.ingress.routes.gemini.model_name import model_of


@pytest.mark.parametrize(
    ("found", "model"),
    [
        ({"model": "gemini-3"}, "gemini-3"),
        ({"model": "models/gemini-3"}, "gemini-3"),
        ({"model": "models/models/a/b"}, "a/b"),
        ({"model": "a:b"}, "a:b"),
        ({"model": "gemini-3", "publisher": "google"}, "gemini-3"),
        ({"model": "claude", "publisher": "anthropic", "project": "p"}, "anthropic/claude"),
    ],
)
def test_model_is_named_as_in_the_configuration(found: dict[str, str], model: str) -> None:
    request = make_mocked_request("POST", "/x", match_info=found)

    assert isinstance(request, web.Request)
    assert model_of(request) == model
