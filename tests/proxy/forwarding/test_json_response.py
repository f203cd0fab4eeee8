"""Tests of responses with a JSON body."""

from __future__ import annotations

from proxy.forwarding.json_response import json_response


def test_json_response_has_its_status_headers_and_charset() -> None:
    """A JSON response has the given status and headers, and text outside ASCII is sent as UTF-8."""
    response = json_response({"error": "ä"}, status=404, headers={"x-a": "b"})

    assert (response.status, response.headers["x-a"]) == (404, "b")
    assert response.headers["Content-Type"] == "application/json; charset=utf-8"
    assert response.body == '{"error":"ä"}'.encode()
