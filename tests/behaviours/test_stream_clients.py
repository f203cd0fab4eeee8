"""Tests streams with clients that are slow, stuck, or leave."""

from __future__ import annotations

import asyncio
import itertools
import socket
import time
from typing import Any
from unittest.mock import AsyncMock, Mock

import pytest
from aiohttp import web
from aiohttp.test_utils import make_mocked_request

from proxy.core.errors import UpstreamFault
from proxy.forwarding.end_stream import finish_stream
from proxy.forwarding.event_stream import EventStream
from proxy.ingress.openai_chat.format import OPENAI_CHAT
from proxy.observability.request_record import RequestRecord
from tests.behaviours.test_stream_limits import LIMITS
from tests.proxy.emulator.conftest import Client as GeminiEmulator
from tests.support.litellm_noise import LITELLM_NOISE
from tests.support.openai_emulator import OpenAIEmulator
from tests.support.proxied import CHAT, Proxied, chat, proxied, settings_of
from tests.support.scripted_upstream import HANG, STOP, ScriptedUpstream, say

pytestmark = LITELLM_NOISE

AT_ONCE = 10.0
"""Seconds within which a client's disconnect must reach the upstream."""


async def connect(proxy: Proxied, body: bytes) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Send a request on a socket with a small receive window."""
    raw = socket.socket()
    raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    raw.setblocking(False)
    await asyncio.get_running_loop().sock_connect(raw, ("127.0.0.1", proxy.server.port))
    reader, writer = await asyncio.open_connection(sock=raw, limit=1024)
    writer.write(
        b"POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n" % len(body)
        + body
    )
    await writer.drain()
    return reader, writer


BIG = 200_000
STREAM_BODY = b'{"model": "gemini", "messages": [{"role": "user", "content": "x"}], "stream": true}'
WHOLE_BODY = STREAM_BODY.replace(b"true", b"false")


async def test_slow_client_holds_the_provider_back(proxy: Proxied, upstream: ScriptedUpstream) -> None:
    """A client that does not read makes the provider wait, so that the proxy's memory stays bounded.

    Later the client gets everything.
    """
    taken = 0

    async def counted(call: Any) -> Any:
        nonlocal taken
        for _ in range(100):
            taken += 1
            yield say("x" * BIG)
        yield STOP

    upstream.stream = counted  # type: ignore[method-assign]  # a test double of a test double
    reader, writer = await connect(proxy, STREAM_BODY)
    await asyncio.sleep(0.3)
    held = taken
    received = 0
    while data := await asyncio.wait_for(reader.read(2**20), 30):
        received += len(data)
        if b"[DONE]" in data:
            break
    writer.close()

    assert held < 60
    assert taken == 100
    assert received > 100 * BIG


async def test_stuck_client_is_cut_off(upstream: ScriptedUpstream) -> None:
    """A client that reads nothing is disconnected at the deadline, and the upstream call ends."""
    upstream.then(*[say("x" * BIG)] * 100, STOP)
    async with proxied(settings_of(router_settings={**LIMITS, "timeout": 0.4}), upstream) as proxy:
        reader, writer = await connect(proxy, STREAM_BODY)
        exchange = await upstream.called()
        assert await exchange.ended(within=20) == "closed"
        await proxy.idle()
        assert await proxy.count("requests_total", outcome="client_disconnected") == 1
        received = await asyncio.wait_for(reader.read(), 30)
        assert b'"error"' not in received  # the proxy keeps no unsent bytes for this client
        writer.close()


def stuck(monkeypatch: pytest.MonkeyPatch) -> tuple[web.Request, EventStream, RequestRecord, Mock]:
    """Return a request, its stream, its record, and the client's transport.

    The stream's last flush is short.
    """
    monkeypatch.setattr("proxy.forwarding.event_stream._FLUSH_S", 0.05)
    transport = Mock(spec=asyncio.Transport)
    record = RequestRecord(request_id="x", route=CHAT, started=0.0)
    request = make_mocked_request("POST", CHAT, transport=transport)
    out = EventStream(request, OPENAI_CHAT, record)
    out.response = web.StreamResponse()
    return request, out, record, transport


async def test_client_that_is_stuck_at_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """A client that does not read a stream's last event is disconnected."""
    _, out, record, transport = stuck(monkeypatch)
    monkeypatch.setattr(out.response, "write", AsyncMock())
    monkeypatch.setattr(out.response, "write_eof", lambda: asyncio.sleep(3600))
    async with asyncio.timeout(30):
        await out.end(out.writer.write_end(), asyncio.get_running_loop().time())

    assert record.outcome == "client_disconnected"
    transport.abort.assert_called_once_with()


@pytest.mark.parametrize("fault", [ValueError(), UpstreamFault("No.")], ids=["ours", "the provider's"])
@pytest.mark.parametrize("begun", [False, True], ids=["about to write", "writing"])
async def test_client_that_is_stuck_before_the_end(
    monkeypatch: pytest.MonkeyPatch, fault: Exception, begun: bool
) -> None:
    """A keep-alive comment that the client does not read does not delay the stream's end."""
    _, out, record, transport = stuck(monkeypatch)
    monkeypatch.setattr(out.response, "write", lambda _: asyncio.sleep(3600))

    async def fail() -> None:
        out.hold(b"held")
        out._tick()
        if begun:
            await asyncio.sleep(0)
            assert out.is_writing
        raise fault

    async with asyncio.timeout(30):
        await finish_stream(out, fail, asyncio.get_running_loop().time(), record)

    assert record.outcome == "client_disconnected"
    transport.abort.assert_called_once_with()


async def test_a_chunk_costs_one_look_at_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """A chunk of a running stream costs one write and one look at the clock.

    An answer has hundreds of chunks.
    """
    loop = asyncio.get_running_loop()
    clock = Mock(side_effect=itertools.count(100.0))
    record = RequestRecord(request_id="x", route=CHAT, started=0.0)
    out = EventStream(make_mocked_request("POST", CHAT), OPENAI_CHAT, record)
    out.stop()
    out.response = web.StreamResponse()
    write = AsyncMock()
    monkeypatch.setattr(out.response, "write", write)
    await out.commit(b"first")
    with monkeypatch.context() as patched:
        patched.setattr(out, "_clock", clock)
        assert [await out.send(b"x", loop.time()) for _ in range(3)] == [100.0, 101.0, 102.0]

    assert clock.call_count == 3
    assert [call.args[0] for call in write.await_args_list] == [b"first", b"x", b"x", b"x"]


@pytest.mark.parametrize(
    ("body", "steps", "end"),
    [
        (STREAM_BODY, [say("x"), HANG], "cancelled"),
        (STREAM_BODY, [HANG], "cancelled"),
        (STREAM_BODY, [say("x" * BIG)] * 1000, "closed"),
        (WHOLE_BODY, [HANG], "cancelled"),
    ],
    ids=["between chunks", "before the first chunk", "while it does not read", "whole"],
)
async def test_leaving_client_ends_the_call(
    proxy: Proxied, upstream: ScriptedUpstream, body: bytes, steps: list[Any], end: str
) -> None:
    """A client's disconnect ends the provider's call at once, so that nobody pays for unread tokens."""
    upstream.then(*steps)
    _, writer = await connect(proxy, body)
    exchange = await upstream.called()
    await asyncio.sleep(0.2)
    assert exchange.end is None
    left = time.monotonic()
    writer.transport.abort()
    ended = await exchange.ended()

    assert ended == end
    assert time.monotonic() - left < AT_ONCE
    await proxy.idle()
    assert await proxy.count("requests_total", outcome="client_disconnected") == 1
    assert await proxy.count("in_flight") == 0


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
@pytest.mark.parametrize("model", ["openai", "gemini"])
async def test_leaving_client_reaches_the_provider(
    real: Proxied, openai: OpenAIEmulator, gemini: GeminiEmulator, model: str, stream: bool
) -> None:
    """A client's disconnect closes the provider's connection, through litellm too."""
    openai.faults.append({"delay_seconds": 0 if stream else 60, "chunk_delay_seconds": 1.5})
    await gemini.fault(delay_seconds=0 if stream else 60, chunk_delay_seconds=1.5)
    asked = asyncio.get_running_loop().create_task(real.post(chat(model=model, stream=stream)))

    async def seen() -> str | None:
        """Return how the provider's request ended, or `running`, or None before it began."""
        if model == "openai":
            return (openai.requests[0].finished or "running") if openai.requests else None
        journal = await gemini.journal()
        return str(journal[0]["finished"]) if journal else None

    async def reached(*ends: str | None) -> None:
        async with asyncio.timeout(20):
            while await seen() not in ends:  # noqa: ASYNC110 - one of them is asked over HTTP
                await asyncio.sleep(0.02)

    await reached("running")
    await asyncio.sleep(0.1)
    asked.cancel()
    await reached("disconnected")
