"""Errors of paths and methods are answered in the client's format."""

from __future__ import annotations

import pytest

from tests.support.proxied import CHAT, Proxied


@pytest.mark.parametrize("path", [b"/v1/models/\xff", b"/\xff\xfe", b"/v1/chat/completions\xed\xa0\xbd"])
async def test_path_that_is_no_text(proxy: Proxied, path: bytes) -> None:
    """Bytes in a path that are no UTF-8 get an error, not a fault of ours."""
    reply = await proxy.raw(b"GET " + path + b" HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")

    assert 400 <= reply.status < 500


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("GET", "/nothing", 404, "not_found"),
        ("POST", "/v2/models", 404, "not_found"),
        ("GET", CHAT, 405, "method_not_allowed"),
    ],
)
async def test_what_is_not_served(proxy: Proxied, method: str, path: str, status: int, code: str) -> None:
    """A path that does not exist is a 404 in the envelope, a method that it does not take a 405."""
    reply = await proxy.request(method, path)

    assert (reply.status, reply.error["code"]) == (status, code)
    assert path in reply.error["message"]
