"""A request that is refused before its body was read: its answer comes, and the rest is not parsed."""

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
"""Bytes that may be parsed before a refusal stops it: what one read brings, and what the stream buffers."""

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
"""Paths that read no body: one that is sent all the same is no reason to read on."""

CASES = pytest.mark.parametrize(
    ("method", "path", "headers", "status"), [*REFUSALS.values(), *OPEN.values()], ids=[*REFUSALS, *OPEN]
)


@pytest.fixture
def settings() -> Settings:
    """Return settings that ask for a key."""
    return settings_of(general_settings={"master_key": KEY, "max_body_mib": 8})


@asynccontextmanager
async def connected(proxy: Proxied) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    """Open a connection."""
    reader, writer = await asyncio.open_connection("127.0.0.1", proxy.server.port)
    try:
        yield reader, writer
    finally:
        writer.transport.abort()


def head(method: str, path: str, headers: str = "") -> bytes:
    """Return the head of a request."""
    return f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n{headers}\r\n".encode()


async def everything(reader: asyncio.StreamReader) -> bytes:
    """Return all that comes until the connection ends, or is reset behind the answer."""
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
    """Send chunks, and tell whether they were all taken: else the connection broke."""
    try:
        for _ in range(CHUNKS):
            writer.write(CHUNK)
            await writer.drain()
    except ConnectionError:
        return False
    return True


@CASES
async def test_the_body_is_not_read(
    proxy: Proxied, monkeypatch: pytest.MonkeyPatch, method: str, path: str, headers: str, status: int
) -> None:
    """The client has its answer and the end of the connection, however much it goes on to send."""
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
async def test_a_body_that_never_comes_is_not_waited_for(
    proxy: Proxied, monkeypatch: pytest.MonkeyPatch, method: str, path: str, headers: str, status: int
) -> None:
    """A client that neither sends nor closes has its answer, and its connection is closed."""
    monkeypatch.setattr(close_unread, "LINGER_S", 0.1)
    async with connected(proxy) as (reader, writer):
        writer.write(head(method, path, headers))
        assert statuses(await everything(reader)) == [status]
        await proxy.idle()


@pytest.mark.parametrize(("method", "path", "headers", "status"), REFUSALS.values(), ids=list(REFUSALS))
async def test_a_client_that_asks_first_gets_the_refusal(
    proxy: Proxied, method: str, path: str, headers: str, status: int
) -> None:
    """``Expect: 100-continue`` is answered with the refusal, and never with the invitation."""
    async with connected(proxy) as (reader, writer):
        writer.write(head(method, path, f"{headers}Expect: 100-continue\r\n"))
        async with asyncio.timeout(30):
            first = await reader.readuntil(b"\r\n\r\n")
        writer.close()

    assert statuses(first) == [status]


async def test_nothing_behind_a_refused_key_is_answered(proxy: Proxied) -> None:
    """One wrong key, one answer: what is pipelined behind it is dropped."""
    one = head("GET", "/v1/models") + head("POST", CHAT, "Content-Length: 2\r\n") + b"{}"
    async with connected(proxy) as (reader, writer):
        writer.write(one * 1_000)
        received = await everything(reader)

    assert statuses(received) == [401]


async def test_a_refusal_with_its_body_there_keeps_the_connection(proxy: Proxied) -> None:
    """There is nothing to read, so the next request is answered on the same connection."""
    one = head("POST", "/nowhere", f"{BEARER}Content-Length: 2\r\n") + b"{}"
    async with connected(proxy) as (reader, writer):
        writer.write(one)
        async with asyncio.timeout(30):
            first = await reader.readuntil(b"}}")
        writer.write(one.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"))
        second = await everything(reader)

    assert statuses(first) == statuses(second) == [404]
    assert b"Connection: close" not in first


async def test_a_client_that_sends_too_much_is_cut_off(
    proxy: Proxied, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is dropped is bounded, and the connection ends without waiting for more."""
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


async def test_a_stop_does_not_wait_for_a_client_that_lingers(
    settings: Settings, upstream: ScriptedUpstream, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The process ends its connections."""
    monkeypatch.setattr(close_unread, "LINGER_S", 3_600.0)
    async with asyncio.timeout(30), proxied(settings, upstream) as proxy:
        reader, writer = await asyncio.open_connection("127.0.0.1", proxy.server.port)
        writer.write(head("POST", CHAT, CHUNKED))
        await reader.readuntil(b"\r\n\r\n")
    await everything(reader)
    writer.close()
