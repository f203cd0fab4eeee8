"""Tests of the headers by which clients of Gemini's API are known."""

from __future__ import annotations

import pytest
from aiohttp.test_utils import make_mocked_request

from proxy.ingress.api_headers import has_google_headers


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("X-Goog-Api-Key", True),
        ("x-goog-api-client", True),
        ("x-api-key", False),
        ("anthropic-version", False),
    ],
)
def test_clients_of_gemini_are_known_by_googles_headers(header: str, expected: bool) -> None:
    request = make_mocked_request("GET", "/v1/models", headers={header: "x"})

    assert has_google_headers(request) is expected
