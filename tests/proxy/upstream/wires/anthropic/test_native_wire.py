"""Tests of the wire of requests in their client's own form."""

from __future__ import annotations

from dataclasses import replace

import pytest

from proxy.core.source import MessagesRequest
from proxy.upstream.wires.anthropic.native_wire import MESSAGES
from proxy.upstream.wires.request_headers import with_client_headers
from tests.proxy.upstream.wires.anthropic.test_native_requests import CLAUDE, native_of

HEADERS = {"anthropic-version": "2026-10-21", "anthropic-beta": "b", "user-agent": "cli"}


@pytest.mark.parametrize(("query", "end"), [("", "/v1/messages"), ("beta=true", "/v1/messages?beta=true")])
def test_query_of_the_client_is_passed_on(query: str, end: str) -> None:
    """Claude Code asks with a query."""
    native, call = native_of()
    assert call.source is not None
    call = replace(call, source=replace(call.source, native=replace(native, query=query)))

    assert MESSAGES.url(call, stream=False) == f"https://api.anthropic.com{end}"


def test_clients_headers_stand_in_place_of_the_wires_own() -> None:
    """The key is the deployment's, and the version the client's."""
    native, call = native_of()
    assert isinstance(native, MessagesRequest)
    assert call.source is not None
    call = replace(call, source=replace(call.source, native=replace(native, headers=HEADERS)))

    headers = with_client_headers(MESSAGES.headers(CLAUDE), MESSAGES.client_headers(call), CLAUDE)

    assert headers["x-api-key"] == "sk-ours"
    assert {name: headers[name] for name in HEADERS} == HEADERS


def test_no_field_of_the_client_is_unsupported() -> None:
    """The fields are the provider's own."""
    assert MESSAGES.unsupported(CLAUDE, {"anything": 1}) == frozenset()
