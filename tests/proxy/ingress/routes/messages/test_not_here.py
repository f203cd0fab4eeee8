"""Tests of the paths of Anthropic's API that are not served."""

from __future__ import annotations

import pytest

from tests.proxy.ingress.routes.messages.asking import VERSION, error_of, serving


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/v1/messages/batches"),
        ("GET", "/messages/batches/b/results"),
        ("DELETE", "/v1/v1/messages/batches/b"),
        ("POST", "/v1/complete"),
        ("POST", "/v1/files"),
        ("GET", "/v1/nowhere"),
    ],
)
async def test_path_is_a_404_in_the_envelope(method: str, path: str) -> None:
    async with serving() as (proxy, _):
        reply = await proxy.request(method, path, headers=VERSION)

    assert error_of(reply)[:2] == (404, "not_found_error")


async def test_other_method_is_refused_in_the_envelope() -> None:
    async with serving() as (proxy, _):
        reply = await proxy.get("/v1/messages")

    assert error_of(reply)[:2] == (405, "invalid_request_error")
    assert reply.headers["Allow"] == "POST"


async def test_probe_of_the_root_needs_no_key() -> None:
    """Claude Code asks for the head of the root first, without credentials."""
    keys = {"keys": [{"name": "ann", "key": "sk-ann-000000"}]}
    async with serving(general_settings=keys) as (proxy, _):
        reply = await proxy.request("HEAD", "/")

    assert reply.status == 200
