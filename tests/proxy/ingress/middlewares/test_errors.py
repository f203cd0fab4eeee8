"""Errors of paths and methods are answered in the client's format."""

from __future__ import annotations

import pytest

from tests.support.proxied import CHAT, Proxied


@pytest.mark.parametrize("path", [b"/v1/models/\xff", b"/\xff\xfe", b"/v1/chat/completions\xed\xa0\xbd"])
async def test_path_that_is_not_utf8_is_a_client_error(proxy: Proxied, path: bytes) -> None:
    """A path that is not UTF-8 is a client error, and not a 500."""
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
async def test_unknown_path_is_a_404_and_wrong_method_a_405(
    proxy: Proxied, method: str, path: str, status: int, code: str
) -> None:
    """An unknown path gives a 404 and a wrong method a 405. Both errors name the path."""
    reply = await proxy.request(method, path)

    assert (reply.status, reply.error["code"]) == (status, code)
    assert path in reply.error["message"]
