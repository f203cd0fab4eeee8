"""Tests that slow or idle clients hold resources for a bounded time only."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import aiohttp
import pytest

from proxy.config import Settings
from proxy.forwarding import deliver, event_stream
from proxy.ingress.routes import read_body
from proxy.ingress.routes.paths import CHAT_COMPLETIONS, COMPLETIONS, EMBEDDINGS, EXPLAIN
from proxy.server import serve as server
from tests.support.proxied import CHAT, Proxied, chat, proxied, settings_of
from tests.support.scripted_upstream import HANG, Pause, ScriptedUpstream, Step, answer, say

BOUND_S = 0.4
SLOW_S = 20.0
"""Seconds that a busy machine may add. The clients would go on for longer."""

ROOM = 4
LARGE = "x" * (24 * 2**20)
"""An answer that exceeds the kernel's buffers between two sockets."""


@pytest.fixture
def settings() -> Settings:
    """Return settings that admit :data:`ROOM` requests at a time."""
    return settings_of(general_settings={"max_in_flight": ROOM})


class Connection:
    """A connection that the test drives byte by byte."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer

    async def ends(self, within: float = 30.0) -> bytes:
        """Return everything that arrives before the proxy closes the connection."""
        async with asyncio.timeout(within):
            try:
                return await self.reader.read()
            except ConnectionResetError:
                return b""


@asynccontextmanager
async def connected(proxy: Proxied) -> AsyncIterator[Connection]:
    """Open a connection with a small read buffer."""
    reader, writer = await asyncio.open_connection("127.0.0.1", proxy.server.port, limit=2**10)
    try:
        yield Connection(reader, writer)
    finally:
        writer.transport.abort()


def head_for(size: int, path: str = CHAT) -> bytes:
    """Return the head of a request with a body."""
    return f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {size}\r\n\r\n".encode()


@pytest.mark.parametrize("path", [CHAT_COMPLETIONS, COMPLETIONS, EMBEDDINGS, EXPLAIN])
async def test_slow_body_is_a_408_that_frees_its_place(
    proxy: Proxied, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    """A body that takes too long gets a 408 and frees its slot, even if bytes keep coming."""
    monkeypatch.setattr(read_body, "_LONGEST_S", BOUND_S)
    loop = asyncio.get_running_loop()
    async with connected(proxy) as client:
        client.writer.write(head_for(1_000, path))
        started = loop.time()

        async def trickle() -> None:
            while True:
                client.writer.write(b" ")
                await asyncio.sleep(0.05)

        writing = loop.create_task(trickle())
        status = await asyncio.wait_for(client.reader.readline(), 30)
        took = loop.time() - started
        writing.cancel()

    assert status.split()[1] == b"408"
    assert BOUND_S * 0.9 < took < BOUND_S + SLOW_S
    assert proxy.server.gateway.admission.in_flight == 0


@pytest.mark.parametrize("begun", [b"", b"POST /v1/chat/completions HTT"], ids=["nothing", "some"])
async def test_head_that_never_ends(
    settings: Settings, upstream: ScriptedUpstream, monkeypatch: pytest.MonkeyPatch, begun: bytes
) -> None:
    """A connection without a complete request head is closed, even if bytes come.

    The connection never holds a request slot.
    """
    monkeypatch.setattr(server, "_IDLE_S", BOUND_S)
    loop = asyncio.get_running_loop()
    async with proxied(settings, upstream) as proxy, connected(proxy) as client:
        started = loop.time()
        client.writer.write(begun)
        await asyncio.sleep(BOUND_S / 2)
        client.writer.write(b"P" if begun else b"")
        assert proxy.server.gateway.admission.in_flight == 0
        assert await client.ends() == b""
        assert loop.time() - started < BOUND_S + SLOW_S


async def test_whole_answer_that_nobody_reads(
    proxy: Proxied, upstream: ScriptedUpstream, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A whole answer that nobody reads keeps its request slot for a bounded time.

    Then the client is disconnected.
    """
    monkeypatch.setattr(deliver, "_LONGEST_S", 2.0)
    upstream.then(answer(LARGE))
    async with connected(proxy) as client:
        body = json.dumps(chat()).encode()
        client.writer.write(head_for(len(body)) + body)
        await upstream.called()
        await asyncio.sleep(0.05)
        assert proxy.server.gateway.admission.in_flight == 1

        await proxy.idle()
        assert proxy.server.gateway.admission.in_flight == 0
        assert len(await client.ends()) < len(LARGE)
    assert await proxy.count("requests_total", outcome="client_disconnected") == 1


async def test_whole_answer_that_is_read(proxy: Proxied, upstream: ScriptedUpstream) -> None:
    """A large answer arrives whole, and its connection can be used again."""
    upstream.then(answer(LARGE))

    assert (await proxy.post(chat())).json["choices"][0]["message"]["content"] == LARGE
    assert (await proxy.post(chat())).status == 200
    assert await proxy.count("requests_total", outcome="ok") == 2


async def test_stream_that_nobody_reads(
    proxy: Proxied, upstream: ScriptedUpstream, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A stream that its client does not read is cut off, and the upstream call ends."""
    monkeypatch.setattr(event_stream, "HOLD_S", BOUND_S / 4)
    monkeypatch.setattr(event_stream, "STALL_S", BOUND_S)
    steps: list[Step] = [say("x" * 2**20) for _ in range(24)]
    upstream.then(*steps, HANG)
    async with connected(proxy) as client:
        body = json.dumps(chat(stream=True)).encode()
        client.writer.write(head_for(len(body)) + body)
        exchange = await upstream.called()

        assert await exchange.ended() in ("cancelled", "closed")
        await proxy.idle()
        assert len(await client.ends()) < 24 * 2**20
    assert await proxy.count("requests_total", outcome="client_disconnected") == 1


async def test_client_that_reads_a_stream_slowly_is_not_cut_off(
    proxy: Proxied, upstream: ScriptedUpstream, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A client that reads slowly gets its whole stream."""
    monkeypatch.setattr(event_stream, "HOLD_S", BOUND_S / 4)
    monkeypatch.setattr(event_stream, "KEEP_ALIVE_S", BOUND_S / 4)
    monkeypatch.setattr(event_stream, "STALL_S", 2.0)
    upstream.then(*[step for _ in range(8) for step in (say("x" * 2**17), Pause(0.3))], say("end"))
    async with connected(proxy) as client:
        body = json.dumps(chat(stream=True)).encode()
        client.writer.write(head_for(len(body)) + body)
        received = b""
        async with asyncio.timeout(60):
            while b'"end"' not in received[-2_000:]:
                received += await client.reader.read(2**16)
                await asyncio.sleep(0.02)


async def test_one_address_leaves_room_for_another(proxy: Proxied, upstream: ScriptedUpstream) -> None:
    """A refused client gets the next free slot, and the client that held all slots is refused."""
    loop = asyncio.get_running_loop()
    for _ in range(ROOM):
        upstream.then(HANG)
    greedy = [loop.create_task(proxy.post(chat())) for _ in range(ROOM)]
    await upstream.called(ROOM)
    connector = aiohttp.TCPConnector(local_addr=("127.0.0.2", 0))
    async with aiohttp.ClientSession(connector=connector) as session:

        async def other() -> int:
            async with session.post(f"{proxy.origin}{CHAT}", json=chat()) as response:
                return response.status

        assert await other() == 503
        greedy.pop().cancel()
        async with asyncio.timeout(30):
            while proxy.server.gateway.admission.in_flight == ROOM:  # noqa: ASYNC110 - no event tells of a freed place
                await asyncio.sleep(0.01)

        assert (await proxy.post(chat())).status == 503
        assert await other() == 200
    for task in greedy:
        task.cancel()
    await asyncio.gather(*greedy, return_exceptions=True)
