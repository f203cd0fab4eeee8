"""Tests of the choice of an error's format."""

from __future__ import annotations

import json

import pytest
from aiohttp.test_utils import make_mocked_request

from proxy.core.errors import NotFound
from proxy.core.key_errors import RateLimited
from proxy.ingress.refusals import speaks_gemini, speaks_messages, write_refusal
from proxy.observability.request_record import RequestRecord
from tests.proxy.observability.standings import BOTH


@pytest.mark.parametrize(
    ("path", "route", "version", "expected"),
    [
        ("/v1/messages", "/v1/messages", False, True),
        ("/v1/messages/count_tokens", "/v1/messages/count_tokens", False, True),
        ("/messages/batches/b", "other", False, True),
        ("/v1/v1/messages", "/v1/messages", False, True),
        ("/v1/complete", "other", False, True),
        ("/v1/messagesx", "other", False, False),
        ("/v1/models", "/v1/models", False, False),
        ("/v1/models", "/v1/models", True, True),
        ("/v1/files", "other", True, True),
        ("/v1/chat/completions", "/v1/chat/completions", True, False),
        ("/v1/responses", "/v1/responses", False, False),
    ],
)
def test_client_is_known_by_its_path_or_its_version(
    path: str, route: str, version: bool, expected: bool
) -> None:
    headers = {"anthropic-version": "2023-06-01"} if version else {}

    assert speaks_messages(make_mocked_request("POST", path, headers=headers), route) is expected


@pytest.mark.parametrize(
    ("path", "route", "header", "expected"),
    [
        ("/v1/models/m:generateContent", "/v1/models/{model}:generateContent", "", True),
        ("/v1beta/models", "/v1/models", "", True),
        ("/v1alpha/nowhere", "other", "", True),
        ("/upload/v1beta/files", "other", "", True),
        ("/ws/google.ai.x", "other", "", True),
        ("/v1/files", "other", "x-goog-api-key", True),
        ("/v1/models", "/v1/models", "x-goog-api-client", True),
        ("/v1/models", "/v1/models", "", False),
        ("/v1/models/llama:8b", "/v1/models/{id}", "", False),
        ("/v1/chat/completions", "/v1/chat/completions", "x-goog-api-key", False),
        ("/v1/nowhere", "other", "", False),
    ],
)
def test_client_of_gemini_is_known_by_its_path_or_its_headers(
    path: str, route: str, header: str, expected: bool
) -> None:
    request = make_mocked_request("POST", path, headers={header: "x"} if header else {})

    assert speaks_gemini(request, route) is expected


def test_client_of_gemini_gets_googles_envelope() -> None:
    request = make_mocked_request("POST", "/v1beta/nowhere")
    refusal = write_refusal(NotFound("x"), request, RequestRecord("req_1", "other", 0.0))

    assert (refusal.status, json.loads(refusal.body)["error"]["status"]) == (404, "NOT_FOUND")


@pytest.mark.parametrize(
    ("route", "kind"), [("/v1/messages", "not_found_error"), ("other", "invalid_request_error")]
)
def test_refusal_has_the_form_of_its_client(route: str, kind: str) -> None:
    path = "/v1/nowhere" if route == "other" else route
    refusal = write_refusal(
        NotFound("x"), make_mocked_request("POST", path), RequestRecord("req_1", route, 0.0)
    )

    assert refusal.status == 404
    assert json.loads(refusal.body)["error"]["type"] == kind
    assert ("request-id" in refusal.headers) == (route != "other")


@pytest.mark.parametrize(("route", "has_them"), [("/v1/messages", True), ("/v1/chat/completions", False)])
def test_client_of_messages_gets_anthropics_headers_about_limits(route: str, has_them: bool) -> None:
    """A request that is refused before it is read gets them too."""
    facts = RequestRecord("req_1", route, 0.0)
    request = make_mocked_request("POST", route)
    assert not any("ratelimit" in name for name in write_refusal(NotFound("x"), request, facts).headers)

    facts.standing = BOTH
    headers = write_refusal(RateLimited("requests", 1), request, facts).headers

    assert ("anthropic-ratelimit-requests-limit" in headers) is has_them
