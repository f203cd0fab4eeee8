"""Tests of failures of the direct transport, and of the client's error for each failure."""

from __future__ import annotations

import json
import socket
import time

import pytest

from proxy.core.errors import UpstreamUnreachable
from proxy.core.failures import Cause
from proxy.upstream.direct import transport as direct
from tests.proxy.upstream.provider import (
    BOTH,
    FIRST,
    GOOD,
    KEY,
    TOKEN,
    ask,
    assert_broken,
    before,
    calling,
    flooding,
    head,
    piece,
    providing,
    sending,
    whole,
)
from tests.support.proxied import chat


@BOTH
async def test_redirect_is_not_followed(stream: bool) -> None:
    """The redirect's target gets neither the request nor the key."""
    async with providing(sending(whole(GOOD))) as other:
        moved = whole(b"", status="307 Temporary Redirect", Location=f"http://127.0.0.1:{other.port}/v1/x")
        reply, provider = await ask(sending(moved), stream=stream)

        assert (reply.status, reply.error["code"]) == (502, "upstream_error")
        assert len(provider.exchanges) == 1
        assert other.connections == 0


@BOTH
async def test_refused_connection_is_a_502_that_may_be_retried(stream: bool) -> None:
    """The port is not in the answer."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound and not listening: refused
        port = taken.getsockname()[1]
        async with before(port) as proxy:
            reply = await proxy.post(chat(stream=stream))

    assert (reply.status, reply.error["code"]) == (502, "upstream_unreachable")
    assert str(port) not in reply.raw.decode()


@BOTH
@pytest.mark.parametrize("then", ["close", "reset"])
@pytest.mark.parametrize(
    "start", [b"", b"HTTP/1.1 200 OK\r\nContent-", b"not http\r\n\r\n"], ids=["0", "half", "none"]
)
async def test_connection_that_breaks_before_the_head_is_a_502(start: bytes, then: str, stream: bool) -> None:
    """The provider is asked once."""
    reply, provider = await ask(sending(start, then=then), stream=stream)

    assert (reply.status, reply.error["code"]) == (502, "upstream_unreachable")
    assert len(provider.exchanges) == 1


@pytest.mark.parametrize("then", ["close", "reset"])
async def test_connection_that_breaks_in_a_whole_answer_is_a_502(then: str) -> None:
    """The client gets no half of an answer."""
    reply, _ = await ask(sending(whole(GOOD[:50], length=len(GOOD)), then=then), stream=False)

    assert (reply.status, reply.error["code"]) == (502, "upstream_unreachable")


@pytest.mark.parametrize("then", ["close", "wait"])
@pytest.mark.parametrize("start", [b"", FIRST], ids=["before", "after"])
async def test_invalid_framing_ends_a_stream_at_once(start: bytes, then: str) -> None:
    """On invalid framing, aiohttp closes the connection, and the stream ends with that error."""
    reply, _ = await ask(sending(head() + start, b"zz\r\nno chunk\r\n", then=then), stream=True)

    if start:
        assert_broken(reply, "upstream_unreachable")
    else:
        assert (reply.status, reply.error["code"]) == (502, "upstream_unreachable")


@pytest.mark.parametrize("status", ["200 OK", "429 Slow down"])
async def test_invalid_framing_ends_a_whole_answer_at_once(status: str) -> None:
    """An error with invalid framing keeps its status."""
    asked = time.monotonic()
    start = head("application/json", status) + piece(GOOD[:10])
    reply, _ = await ask(sending(start, b"zz\r\n", then="wait"), stream=False)

    assert reply.status == (429 if status.startswith("429") else 502)
    assert time.monotonic() - asked < 20


@pytest.mark.parametrize("then", ["close", "reset", "broken"])
async def test_lost_connection_has_another_cause_than_an_unreachable_provider(then: str) -> None:
    """The causes differ, since a provider may have worked on a request that was sent."""
    end = b"zz\r\n" if then == "broken" else b""
    async with providing(sending(head() + FIRST, end, then=then)) as provider:
        async with calling(provider.port) as direct:
            with pytest.raises(UpstreamUnreachable) as lost:
                await direct.ask(stream=True)
        async with calling("http://127.0.0.1:1/v1") as direct:
            with pytest.raises(UpstreamUnreachable) as never:
                await direct.ask(stream=True)

    assert (lost.value.cause, never.value.cause) == (Cause.CONNECTION_LOST, Cause.UNREACHABLE)


@BOTH
@pytest.mark.parametrize("status", [400, 401, 403, 429, 500, 503])
async def test_error_status_is_kept_and_our_secrets_are_masked(status: int, stream: bool) -> None:
    """Headers that tell when to retry are kept too."""
    async with providing(sending()) as provider:
        words = f"No: {KEY} {TOKEN} http://127.0.0.1:{provider.port}/v1 at 127.0.0.1:{provider.port}."
        body = json.dumps({"error": {"message": words}}).encode()
        provider.script = sending(whole(body, status=f"{status} X", Retry_After="7", X_Should_Retry="true"))
        async with before(provider.port) as proxy:
            reply = await proxy.post(chat(stream=stream))

    assert reply.status == status
    assert (reply.headers["Retry-After"], reply.headers["x-should-retry"]) == ("7", "true")
    if status in (401, 403):
        assert "not your key" in reply.error["message"]
    else:
        assert reply.error["message"] == "No: ******** ******** ******** at ********."


@BOTH
@pytest.mark.parametrize("rest", ["html", "large", "endless", "silent", "cut"])
async def test_error_keeps_its_status_whatever_its_body_does(
    rest: str, stream: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The client also gets the time to retry."""
    monkeypatch.setattr(direct, "ERROR_S", 0.2)
    start = head("application/json", "429 Slow down", "Retry-After: 7\r\n")
    scripts = {
        "html": sending(start, piece(b"<html>" + KEY.encode()), piece(b"")),
        "large": sending(start, piece(b'{"message":"' + b"x" * 2**20 + b'"}'), piece(b"")),
        "endless": flooding(start, b" " * 4096),
        "silent": sending(start, piece(b"{"), then="wait"),
        "cut": sending(start, piece(b"{"), then="reset"),
    }
    reply, _ = await ask(scripts[rest], stream=stream)

    assert (reply.status, reply.headers["Retry-After"]) == (429, "7")
    assert reply.error["message"] == "The provider answered with status 429."


@BOTH
@pytest.mark.parametrize("value", [b"1\x01\x7f\x1b", b"\xff\xfe\x80", b"9" * 400])
async def test_invalid_retry_after_is_left_out_of_the_error(value: bytes, stream: bool) -> None:
    """A value is not passed on if it is too long or has characters that HTTP forbids."""
    start = b"HTTP/1.1 429 X\r\nContent-Length: 2\r\nRetry-After: " + value + b"\r\n\r\n{}"
    reply, _ = await ask(sending(start), stream=stream)

    assert reply.status in (429, 502)  # 502 where the client library refuses the whole head
    assert "Retry-After" not in reply.headers
