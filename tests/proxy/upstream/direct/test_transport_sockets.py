"""Tests of name resolution, TLS and socket options of the direct transport."""

from __future__ import annotations

import asyncio
import gc
import socket
import ssl
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from proxy.core.errors import UpstreamUnreachable
from proxy.core.failures import Cause
from tests.clients.running_clients import ENVIRONMENT, existing
from tests.proxy.upstream.provider import BOTH, GOOD, Direct, calling, head, piece, providing, sending, whole


def connections_of(direct: Direct) -> list[socket.socket]:
    """Return the sockets of the idle connections in the pool."""
    pool = direct.upstream._connector
    assert pool is not None
    protocols = [protocol for idle in pool._conns.values() for protocol, _ in idle]
    return [protocol.transport.get_extra_info("socket") for protocol in protocols if protocol.transport]


async def test_nagles_algorithm_is_off() -> None:
    """``TCP_NODELAY`` is set, so that small requests leave at once."""
    async with providing(sending(whole(GOOD))) as provider, calling(provider.port) as direct:
        await direct.ask(stream=False)
        [used] = connections_of(direct)

        assert used.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


MAKE_CERTIFICATE = Path(__file__).parents[3] / "clients" / "python" / "make_certificate.py"

SLOWLY = (head("application/json"), piece(GOOD[:10]), piece(GOOD[10:]) + piece(b""))
"""The parts of an answer whose body the transport has to wait for."""


async def test_broken_idle_connection_is_replaced_without_a_complaint() -> None:
    """The broken connection leaves no exception that asyncio reports."""
    complaints: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: complaints.append(context))
    async with providing(sending(*SLOWLY, b"", then="reset")) as provider, calling(provider.port) as direct:
        for _ in range(2):
            await direct.ask(stream=False)
            await provider.ended()
            await asyncio.sleep(0.02)
        gc.collect()

    assert provider.connections == 2
    assert complaints == []


async def test_connection_keeps_nothing_of_its_answers() -> None:
    """A connection that is reused does not collect the bodies of its answers."""

    def bodies() -> list[aiohttp.StreamReader]:
        gc.collect()
        return [found for found in gc.get_objects() if isinstance(found, aiohttp.StreamReader)]

    kept = bodies()  # of other tests; held, so that no new one gets the id of an old one
    others = set(map(id, kept))
    async with providing(sending(*SLOWLY)) as provider, calling(provider.port) as direct:
        for _ in range(20):
            await direct.ask(stream=False)
        ours = [body for body in bodies() if id(body) not in others]

        assert provider.connections == 1
        assert len(ours) < 5


async def test_provider_s_name_is_looked_up_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Several connections use one look-up."""
    loop = asyncio.get_running_loop()
    known, asked = loop.getaddrinfo, 0

    async def counting(host: Any, port: Any, **named: Any) -> Any:
        nonlocal asked
        if host == "provider.invalid":
            asked += 1
            host, named = "127.0.0.1", {**named, "flags": 0}
        return await known(host, port, **named)

    monkeypatch.setattr(loop, "getaddrinfo", counting)
    async with (
        providing(sending(whole(GOOD, Connection="close"), then="close")) as provider,
        calling(f"http://provider.invalid:{provider.port}/v1") as direct,
    ):
        for _ in range(3):
            await direct.ask(stream=False)

    assert (provider.connections, asked) == (3, 1)


async def test_cookies_and_forward_proxies_are_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """A forward proxy would see the key."""
    loop = asyncio.get_running_loop()
    known = loop.getaddrinfo

    async def here(host: Any, port: Any, **named: Any) -> Any:
        return await known("127.0.0.1", port, **{**named, "flags": 0})

    monkeypatch.setattr(loop, "getaddrinfo", here)
    cookie = whole(GOOD, Set_Cookie="session=7; Path=/")
    async with providing(sending(cookie)) as provider, providing(sending(whole(GOOD))) as other:
        monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{other.port}")
        async with calling(f"http://provider.invalid:{provider.port}/v1") as direct:
            for _ in range(2):
                await direct.ask(stream=False)

    assert len(provider.exchanges) == 2
    assert other.connections == 0
    assert not any(b"session=7" in exchange.head for exchange in provider.exchanges)


@BOTH
async def test_unknown_host_name_is_unreachable(stream: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """The message does not hold the name."""
    loop = asyncio.get_running_loop()
    known = loop.getaddrinfo

    async def knowing(host: Any, *arguments: Any, **named: Any) -> Any:
        if host == "provider.invalid":
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return await known(host, *arguments, **named)

    monkeypatch.setattr(loop, "getaddrinfo", knowing)
    async with calling("http://provider.invalid/v1") as direct:
        with pytest.raises(UpstreamUnreachable) as raised:
            await direct.ask(stream=stream)

    assert raised.value.cause is Cause.UNREACHABLE
    assert "invalid" not in raised.value.message


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a self-signed certificate for 127.0.0.1, with its key."""
    path = tmp_path_factory.mktemp("tls") / "both.pem"
    python = existing(ENVIRONMENT / "bin" / "python")
    subprocess.run([python, MAKE_CERTIFICATE, path], check=True, capture_output=True, timeout=30)
    return path


@asynccontextmanager
async def listening(certificate: Path, received: bytearray) -> AsyncIterator[int]:
    """Serve TLS with a certificate, add received bytes to *received*, and yield the port."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        received.extend(await reader.readuntil(b"\r\n\r\n"))
        writer.write(whole(GOOD))
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=context)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()


@BOTH
async def test_untrusted_certificate_is_refused_before_the_request(certificate: Path, stream: bool) -> None:
    """An untrusted certificate counts as an unreachable provider, which allows a fallback."""
    received = bytearray()
    async with listening(certificate, received) as port, calling(f"https://127.0.0.1:{port}/v1") as direct:
        with pytest.raises(UpstreamUnreachable) as raised:
            await direct.ask(stream=stream)

    assert raised.value.cause is Cause.UNREACHABLE
    assert received == b""


async def test_trusted_certificate_is_accepted(certificate: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same certificate is accepted once it is trusted."""
    trusting = ssl.create_default_context(cafile=str(certificate))
    monkeypatch.setattr("aiohttp.connector._SSL_CONTEXT_VERIFIED", trusting)
    received = bytearray()
    async with listening(certificate, received) as port, calling(f"https://127.0.0.1:{port}/v1") as direct:
        [answer] = await direct.ask(stream=False)

    assert answer["choices"][0]["message"]["content"] == "Good day."
    assert received.startswith(b"POST /v1/chat/completions")
