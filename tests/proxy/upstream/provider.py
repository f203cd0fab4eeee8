"""A scripted provider on a real socket, and the proxy or the transport in front of it."""

from __future__ import annotations

import asyncio
import json
import socket
import struct
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import pytest

from proxy.config import resolve
from proxy.core.upstream_call import Timeouts, UpstreamCall
from proxy.upstream.direct.transport import DirectUpstream
from proxy.upstream.select_transport import SelectingUpstream
from tests.support.builders import user
from tests.support.proxied import MODEL, Proxied, Reply, chat, proxied, settings_of
from tests.support.scripted_upstream import STOP, answer, say

KEY = "sk-ours-5d0f7c1e"


TOKEN = "token-of-ours"


GOOD = json.dumps(answer("Good day.")).encode()


DONE = b"data: [DONE]\n\n"


BOTH = pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])


def event(chunk: Any, end: bytes = b"\n") -> bytes:
    """Return *chunk* as one server-sent event."""
    return b"data: " + json.dumps(chunk).encode() + end + end


STREAM = event(say("Good ")) + event(say("day.")) + event(STOP) + DONE


def whole(
    body: bytes,
    kind: str = "application/json",
    status: str = "200 OK",
    length: int | None = None,
    **headers: str,
) -> bytes:
    """Return an answer with a content length. *length* announces another length than the body's."""
    named = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in headers.items())
    size = len(body) if length is None else length
    return (
        f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {size}\r\n{named}\r\n".encode() + body
    )


def head(kind: str = "text/event-stream", status: str = "200 OK", more: str = "") -> bytes:
    """Return the head of a chunked answer."""
    return f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nTransfer-Encoding: chunked\r\n{more}\r\n".encode()


def piece(data: bytes) -> bytes:
    """Return *data* as one chunk of a chunked HTTP answer. An empty chunk ends the answer."""
    return b"%x\r\n%b\r\n" % (len(data), data)


FIRST = piece(event(say("Good ")))
HALF = piece(event(say("day."))[:20])


@dataclass(slots=True)
class Exchange:
    """One request to the provider, its connection, and methods that answer it or end the connection."""

    head: bytes
    body: bytes
    connection: int
    writer: asyncio.StreamWriter
    reader: asyncio.StreamReader
    written: int = 0
    left: asyncio.Event = field(default_factory=asyncio.Event)

    async def send(self, *parts: bytes) -> None:
        """Write *parts* to the client, each with a write of its own."""
        for part in parts:
            self.writer.write(part)
            self.written += len(part)
            await self.writer.drain()
            await asyncio.sleep(0)

    def close(self) -> None:
        """End the connection."""
        self.writer.close()

    def reset(self) -> None:
        """Break the connection."""
        raw: socket.socket = self.writer.get_extra_info("socket")
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.writer.transport.abort()

    async def gone(self) -> None:
        """Wait until the other side closes the connection."""
        try:
            while await self.reader.read(65536):
                pass
        except ConnectionError:
            pass
        self.left.set()


Script = Callable[[Exchange], Awaitable[None]]


@dataclass(slots=True)
class Provider:
    """A server that answers each request by the script."""

    script: Script
    port: int = 0
    connections: int = 0
    open: int = 0
    exchanges: list[Exchange] = field(default_factory=list)
    came: asyncio.Event = field(default_factory=asyncio.Event)

    async def ended(self) -> None:
        """Wait until all connections are closed."""
        while self.open:  # noqa: ASYNC110 - there is no event for it
            await asyncio.sleep(0.005)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one connection's requests."""
        self.connections += 1
        self.open += 1
        connection = self.connections
        try:
            while not writer.is_closing():
                request = await reader.readuntil(b"\r\n\r\n")
                length = next(
                    int(line.split(b":")[1])
                    for line in request.split(b"\r\n")
                    if line.lower().startswith(b"content-length")
                )
                exchange = Exchange(request, await reader.readexactly(length), connection, writer, reader)
                self.exchanges.append(exchange)
                self.came.set()
                await self.script(exchange)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            self.open -= 1
            writer.close()


@asynccontextmanager
async def providing(script: Script) -> AsyncIterator[Provider]:
    """Serve a provider on a port of the kernel's choice."""
    provider = Provider(script)
    tasks: set[asyncio.Task[None]] = set()

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        tasks.add(task)
        try:
            await provider.serve(reader, writer)
        except asyncio.CancelledError:
            writer.transport.abort()  # the end of the test

    server = await asyncio.start_server(connected, "127.0.0.1", 0)
    provider.port = server.sockets[0].getsockname()[1]
    try:
        yield provider
    finally:
        server.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


@dataclass(frozen=True, slots=True)
class Direct:
    """The direct transport with a call for it."""

    upstream: DirectUpstream
    call: UpstreamCall

    async def ask(self, *, stream: bool) -> list[Any]:
        """Return the chunks, or a list of the whole answer. Raises the call's error."""
        if not stream:
            return [await self.upstream.complete(self.call)]
        async with aclosing(self.upstream.stream(self.call)) as chunks:
            return [chunk async for chunk in chunks]


PATIENT = {"connect_s": 30.0, "first_byte_s": 30.0, "idle_s": 30.0, "total_s": 60.0}
"""Time limits that no test waits for. They are so long that a slow machine does not reach them."""


@asynccontextmanager
async def calling(
    base: int | str,
    limits: Mapping[str, float] = MappingProxyType({}),
    *,
    model: str = "openai/gpt-4.1",
    parameters: Mapping[str, Any] = MappingProxyType({}),
) -> AsyncIterator[Direct]:
    """Yield the direct transport with a call to *base*, a loopback port or an address, under *limits*."""
    address = f"http://127.0.0.1:{base}/v1" if isinstance(base, int) else base
    [deployment] = resolve(settings_of({MODEL: {"model": model, "api_base": address, "api_key": KEY}}), MODEL)
    call = UpstreamCall(deployment, [user("Hello.")], parameters, Timeouts(**{**PATIENT, **limits}))
    upstream = DirectUpstream()
    await upstream.start()
    try:
        async with asyncio.timeout(90):
            yield Direct(upstream, call)
    finally:
        await upstream.close()


@asynccontextmanager
async def before(base: int | str, **router: Any) -> AsyncIterator[Proxied]:
    """Serve the proxy in front of a provider at *base*, a loopback port or an address."""
    entry = {
        "model": "openai/gpt-4.1",
        "api_base": f"http://127.0.0.1:{base}/v1" if isinstance(base, int) else base,
        "api_key": KEY,
        "extra_headers": {"x-team-token": TOKEN},
    }
    settings = settings_of({MODEL: entry}, router_settings=router)
    async with proxied(settings, SelectingUpstream.for_settings(settings)) as proxy:
        yield proxy


async def ask(script: Script, *, stream: bool, **router: Any) -> tuple[Reply, Provider]:
    """Send one request, check that the reply shows no secret or address, and return the reply and the provider."""
    async with providing(script) as provider, before(provider.port, **router) as proxy, asyncio.timeout(90):
        reply = await proxy.post(chat(stream=stream))
    shown = f"{reply.raw.decode()} {dict(reply.headers)}"
    assert not {secret for secret in (KEY, TOKEN, "127.0.0.1", f":{provider.port}") if secret in shown}
    return reply, provider


def sending(*parts: bytes, then: str = "") -> Script:
    """Return a script that sends *parts*.

    *then* says whether it closes or resets the connection or waits afterwards.
    """

    async def script(exchange: Exchange) -> None:
        for part in parts:
            await exchange.send(part)
            await asyncio.sleep(0.01)  # what was sent is read before the connection ends
        if then == "close":
            exchange.close()
        elif then == "reset":
            exchange.reset()
        elif then == "wait":
            await exchange.gone()

    return script


def flooding(start: bytes, unit: bytes) -> Script:
    """Return a script that sends *start*, and then chunks of *unit* without end."""

    async def script(exchange: Exchange) -> None:
        await exchange.send(start)
        while True:
            await exchange.send(piece(unit))

    return script


def text_of(reply: Reply) -> str:
    """Join the text of a stream's chunks."""
    chunks = [found for found in reply.events if found != "[DONE]" and "error" not in found]
    return "".join(found["choices"][0]["delta"].get("content") or "" for found in chunks)


def assert_broken(reply: Reply, code: str = "upstream_error") -> None:
    """Check that a started stream ends in an error, without a finish reason and without ``[DONE]``."""
    assert reply.status == 200
    assert reply.events[-1]["error"]["code"] == code
    assert "[DONE]" not in reply.events
    assert all(found["choices"][0]["finish_reason"] is None for found in reply.events[:-1])


async def leave_at(proxy: Proxied, body: Any, until: Callable[[], Awaitable[object]]) -> None:
    """Send a request, await *until*, and abort the client's connection."""
    data = json.dumps(body).encode()
    _, writer = await asyncio.open_connection("127.0.0.1", proxy.server.port)
    writer.write(
        b"POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n" % len(data)
        + data
    )
    await until()
    writer.transport.abort()
