"""Tests that bytes that a provider sends on an idle connection are not used as an answer."""

from __future__ import annotations

import asyncio

import pytest

from tests.proxy.upstream.provider import GOOD, STREAM, Exchange, calling, head, piece, providing, whole

STALE = GOOD.replace(b"Good day.", b"Somebody else's.")


WHOLE = [
    whole(STALE),
    head("application/json") + piece(STALE[:20]),
    whole(b"{}", status="408 Request Timeout", Connection="close"),
    whole(b"", status="408 Request Timeout"),
    b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\nx",
]
HALF = [b"HTTP/1.1 200 OK\r\nContent-Le", b"no http at all\r\n\r\n", b"\r\n"]


@pytest.mark.parametrize("unasked", WHOLE + HALF, ids=len)
@pytest.mark.parametrize("read", [True, False], ids=["read", "unread"])
async def test_connection_with_unasked_bytes_is_not_reused(unasked: bytes, read: bool) -> None:
    """The next call opens a connection, whether or not the bytes were read by then."""
    may_send = asyncio.Event()

    async def script(exchange: Exchange) -> None:
        await exchange.send(whole(GOOD))
        if len(provider.exchanges) == 1:
            await may_send.wait()
            await exchange.send(unasked)

    async with providing(script) as provider, calling(provider.port) as direct:
        await direct.ask(stream=False)
        await asyncio.sleep(0.02)
        may_send.set()
        for _ in range(2):  # the provider writes, and the loop has not looked at its sockets since
            await asyncio.sleep(0)
        if read:
            await asyncio.sleep(0.05)
        [answer] = await direct.ask(stream=False)

    assert answer["choices"][0]["message"]["content"] == "Good day."
    assert [exchange.connection for exchange in provider.exchanges] == [1, 2]


@pytest.mark.parametrize("unasked", WHOLE, ids=len)
async def test_second_answer_in_the_same_packet_is_not_used(unasked: bytes) -> None:
    """After a second answer in the same packet, the next call opens a new connection."""

    async def script(exchange: Exchange) -> None:
        await exchange.send(whole(GOOD) + (unasked if len(provider.exchanges) == 1 else b""))

    async with providing(script) as provider, calling(provider.port) as direct:
        for _ in range(2):
            [answer] = await direct.ask(stream=False)
            assert answer["choices"][0]["message"]["content"] == "Good day."

    assert [exchange.connection for exchange in provider.exchanges] == [1, 2]


async def test_bytes_after_a_stream_are_not_used() -> None:
    """After bytes that follow a stream, the next call opens a new connection."""
    sent = asyncio.Event()

    async def script(exchange: Exchange) -> None:
        await exchange.send(head(), piece(STREAM) + piece(b""))
        if len(provider.exchanges) == 1:
            await asyncio.sleep(0.02)
            await exchange.send(head() + piece(STREAM.replace(b"Good", b"Bad")))
            sent.set()

    async with providing(script) as provider, calling(provider.port) as direct:
        await direct.ask(stream=True)
        await sent.wait()
        await asyncio.sleep(0.05)
        chunks = await direct.ask(stream=True)

    assert chunks[0]["choices"][0]["delta"]["content"] == "Good "
    assert [exchange.connection for exchange in provider.exchanges] == [1, 2]


async def test_idle_connection_without_new_bytes_is_reused() -> None:
    """Three calls share one connection."""

    async def script(exchange: Exchange) -> None:
        await exchange.send(whole(GOOD))

    async with providing(script) as provider, calling(provider.port) as direct:
        for _ in range(3):
            await direct.ask(stream=False)
            await asyncio.sleep(0.02)

    assert provider.connections == 1
