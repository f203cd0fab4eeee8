"""Tests of a request that is answered before its body is read: the rest of the body is not parsed."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from aiohttp import streams

from proxy.config import Settings
from proxy.core import close_unread
from tests.support.proxied import CHAT, Proxied, proxied, settings_of
from tests.support.scripted_upstream import ScriptedUpstream

KEY = "tr-abc-0123456789"
BEARER = f"Authorization: Bearer {KEY}\r\n"
CHUNKED = "Transfer-Encoding: chunked\r\n"
CHUNK = b"10000\r\n" + b"x" * 0x10000 + b"\r\n"
"""64 KiB in one chunk."""

CHUNKS = 512
PARSED = 4 * 2**20
"""Bytes that may be parsed before a refusal: one read, and the stream's buffer."""

REFUSALS = {
    "no key": ("POST", CHAT, CHUNKED, 401),
    "wrong key": ("POST", CHAT, f"Authorization: Bearer x\r\n{CHUNKED}", 401),
    "unknown path, no key": ("POST", "/nowhere", CHUNKED, 401),
    "unknown path": ("POST", "/nowhere", BEARER + CHUNKED, 404),
    "method": ("PUT", CHAT, BEARER + CHUNKED, 405),
    "announced size": ("POST", CHAT, f"{BEARER}Content-Length: {2**31}\r\n", 413),
    "coding": ("POST", CHAT, f"{BEARER}{CHUNKED}Content-Encoding: br\r\n", 415),
    "inspector": ("POST", "/ui/api/look", CHUNKED, 401),
    "inspector, announced size": ("POST", "/ui/api/look", f"{BEARER}Content-Length: {2**23}\r\n", 413),
}
OPEN = {
    "probe": ("GET", "/livez", CHUNKED, 200),
    "metrics": ("GET", "/metrics", CHUNKED, 200),
    "page": ("GET", "/ui/", CHUNKED, 200),
    "list": ("GET", "/v1/models", BEARER + CHUNKED, 200),
}
"""Paths that read no body. A body that a client sends there is not read."""

CASES = pytest.mark.parametrize(
    ("method", "path", "headers", "status"), [*REFUSALS.values(), *OPEN.values()], ids=[*REFUSALS, *OPEN]
)


@pytest.fixture
def settings() -> Settings:
    """Return settings that ask for a key."""
    return settings_of(general_settings={"master_key": KEY, "max_body_mib": 8})


@asynccontextmanager
async def connected(proxy: Proxied) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    """Open a connection to the proxy, and abort it at the end."""
    reader, writer = await asyncio.open_connection("127.0.0.1", proxy.server.port)
    try:
        yield reader, writer
    finally:
        writer.transport.abort()


def head(method: str, path: str, headers: str = "") -> bytes:
    """Return the head of a request."""
    return f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n{headers}\r\n".encode()


async def everything(reader: asyncio.StreamReader) -> bytes:
    """Return all data until the connection ends or is reset."""
    received = b""
    async with asyncio.timeout(30):
        try:
            while more := await reader.read(2**16):
                received += more
        except ConnectionResetError:
            pass
    return received


def statuses(received: bytes) -> list[int]:
    """Return the status of each answer."""
    return [int(part.split(b" ", 1)[0]) for part in received.split(b"HTTP/1.1 ")[1:]]


async def flood(writer: asyncio.StreamWriter) -> bool:
    """Send chunks. Return False if the connection broke before all chunks were sent."""
    try:
        for _ in range(CHUNKS):
            writer.write(CHUNK)
            await writer.drain()
    except ConnectionError:
        return False
    return True


@CASES
async def test_body_of_an_answered_request_is_not_read(
    proxy: Proxied, monkeypatch: pytest.MonkeyPatch, method: str, path: str, headers: str, status: int
) -> None:
    """A client that goes on sending its body gets the answer and the end of the connection.

    The proxy parses only the first bytes of the body.
    """
    parsed: list[int] = []
    feed = streams.StreamReader.feed_data

    def counting(self: streams.StreamReader, data: bytes, *rest: Any) -> bool:
        parsed.append(len(data))
        return feed(self, data, *rest)

    monkeypatch.setattr(streams.StreamReader, "feed_data", counting)
    async with connected(proxy) as (reader, writer):
        writer.write(head(method, path, headers))
        sending = asyncio.get_running_loop().create_task(flood(writer))
        received = await everything(reader)
        sending.cancel()

    assert statuses(received) == [status]
    assert b"\r\nConnection: close\r\n" in received
    assert sum(parsed) < PARSED < CHUNKS * len(CHUNK)


@CASES
async def test_connection_of_a_silent_client_is_closed(
    proxy: Proxied, monkeypatch: pytest.MonkeyPatch, method: str, path: str, headers: str, status: int
) -> None:
    """After the answer the proxy closes the connection of a client that neither sends its body nor leaves."""
    monkeypatch.setattr(close_unread, "LINGER_S", 0.1)
    async with connected(proxy) as (reader, writer):
        writer.write(head(method, path, headers))
        assert statuses(await everything(reader)) == [status]
        await proxy.idle()


@pytest.mark.parametrize(("method", "path", "headers", "status"), REFUSALS.values(), ids=list(REFUSALS))
async def test_expect_100_continue_is_answered_with_the_refusal(
    proxy: Proxied, method: str, path: str, headers: str, status: int
) -> None:
    """The refusal comes in place of ``100 Continue``, so that the client does not send its body."""
    async with connected(proxy) as (reader, writer):
        writer.write(head(method, path, f"{headers}Expect: 100-continue\r\n"))
        async with asyncio.timeout(30):
            first = await reader.readuntil(b"\r\n\r\n")
        writer.close()

    assert statuses(first) == [status]


async def test_pipelined_requests_after_a_wrong_key_are_dropped(proxy: Proxied) -> None:
    """A thousand pipelined requests after a wrong key get one answer."""
    one = head("GET", "/v1/models") + head("POST", CHAT, "Content-Length: 2\r\n") + b"{}"
    async with connected(proxy) as (reader, writer):
        writer.write(one * 1_000)
        received = await everything(reader)

    assert statuses(received) == [401]


async def test_refusal_of_a_request_with_its_whole_body_keeps_the_connection(proxy: Proxied) -> None:
    """A refused request whose body was sent in full keeps its connection open for the next request."""
    one = head("POST", "/nowhere", f"{BEARER}Content-Length: 2\r\n") + b"{}"
    async with connected(proxy) as (reader, writer):
        writer.write(one)
        async with asyncio.timeout(30):
            first = await reader.readuntil(b"}}")
        writer.write(one.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"))
        second = await everything(reader)

    assert statuses(first) == statuses(second) == [404]
    assert b"Connection: close" not in first


async def test_connection_of_a_client_that_sends_too_much_is_aborted(
    proxy: Proxied, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A connection whose client sends too much after the refusal is aborted."""
    monkeypatch.setattr(close_unread, "LINGER_S", 60.0)
    dropped: list[int] = []
    drop = close_unread._DroppingProtocol.data_received

    def counting(self: close_unread._DroppingProtocol, data: bytes) -> None:
        dropped.append(len(data))
        drop(self, data)

    monkeypatch.setattr(close_unread._DroppingProtocol, "data_received", counting)
    async with connected(proxy) as (_, writer):
        writer.write(head("POST", CHAT, CHUNKED))
        async with asyncio.timeout(30):
            assert not await flood(writer)

    assert close_unread.MAX_DROPPED < sum(dropped) <= close_unread.MAX_DROPPED + 2**20


async def test_stop_does_not_wait_for_a_lingering_client(
    settings: Settings, upstream: ScriptedUpstream, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The stop of the server closes a connection that waits for its client to finish sending."""
    monkeypatch.setattr(close_unread, "LINGER_S", 3_600.0)
    async with asyncio.timeout(30), proxied(settings, upstream) as proxy:
        reader, writer = await asyncio.open_connection("127.0.0.1", proxy.server.port)
        writer.write(head("POST", CHAT, CHUNKED))
        await reader.readuntil(b"\r\n\r\n")
    await everything(reader)
    writer.close()
