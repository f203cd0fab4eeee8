"""Connections are reused where possible, and closed at once when their client has left."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from proxy.core.offload import run_offloaded
from proxy.upstream.direct import transport as direct
from tests.proxy.upstream.provider import (
    FIRST,
    GOOD,
    STREAM,
    Exchange,
    before,
    calling,
    event,
    head,
    leave_at,
    piece,
    providing,
    sending,
    whole,
)
from tests.support.proxied import chat
from tests.support.scripted_upstream import say


@pytest.mark.parametrize("kinds", [(False, False), (True, False), (False, True), (True, True)])
async def test_connection_is_reused_after_a_complete_answer(
    kinds: tuple[bool, bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A connection is reused after whole answers and after finished streams."""
    monkeypatch.setattr(direct, "_AFTER_DONE_S", 2)  # a slow machine is not what is tested

    async def script(exchange: Exchange) -> None:
        if b'"stream":true' in exchange.body:
            await exchange.send(head(), piece(STREAM))
            await asyncio.sleep(0.001)
            await exchange.send(piece(b""))
        else:
            await exchange.send(whole(GOOD))

    async with providing(script) as provider, before(provider.port) as proxy:
        for stream in kinds:
            assert (await proxy.post(chat(stream=stream))).status == 200

    assert [exchange.connection for exchange in provider.exchanges] == [1, 1]


@pytest.mark.parametrize("parts", [[STREAM + b"data: more\n\n"], [STREAM, b"more"], [event({"error": "x"})]])
async def test_connection_of_an_unfinished_body_is_not_reused(parts: list[bytes]) -> None:
    """After an unfinished body, the next request opens a new connection."""

    async def script(exchange: Exchange) -> None:
        if provider.connections == 1:
            await exchange.send(head(), *map(piece, parts))
            await exchange.gone()
        else:
            await exchange.send(whole(GOOD))

    async with providing(script) as provider, before(provider.port) as proxy:
        await proxy.post(chat(stream=True))
        reply = await proxy.post(chat())

    assert reply.json["choices"][0]["message"]["content"] == "Good day."
    assert [exchange.connection for exchange in provider.exchanges] == [1, 2]


@pytest.mark.parametrize(
    ("start", "stream"),
    [
        (b"", False),
        (whole(GOOD[:10], length=999), False),
        (b"", True),
        (head(), True),
        (head() + FIRST, True),
    ],
    ids=["whole, waiting", "whole, half", "stream, waiting", "stream, headers", "stream, chunk"],
)
async def test_client_that_disconnects_closes_the_provider_s_connection(start: bytes, stream: bool) -> None:
    """The connection is closed before, during and after the head of the answer."""
    async with providing(sending(start, then="wait")) as provider, before(provider.port) as proxy:

        async def until() -> None:
            await provider.came.wait()
            await asyncio.sleep(0.05)

        await leave_at(proxy, chat(stream=stream), until)
        async with asyncio.timeout(10):
            await provider.exchanges[0].left.wait()
        await proxy.idle()


async def test_client_that_does_not_read_stops_the_provider() -> None:
    """The provider can send what the buffers hold, and no more."""
    unit = event(say("x" * 1000))
    sizes: list[int] = []

    async def script(exchange: Exchange) -> None:
        exchange.writer.transport.set_write_buffer_limits(high=0)
        await exchange.send(head())
        while True:
            await exchange.send(piece(unit))

    async with providing(script) as provider, before(provider.port) as proxy:

        async def until() -> None:
            await provider.came.wait()
            while len(sizes) < 4 or len(set(sizes[-4:])) > 1 or not sizes[-1]:
                await asyncio.sleep(0.05)
                sizes.append(provider.exchanges[0].written)
                assert sizes[-1] < 32 * 2**20, "the provider can go on sending"

        async with asyncio.timeout(60):
            await leave_at(proxy, chat(stream=True), until)
            await proxy.idle()


@pytest.mark.long
async def test_number_of_connections_is_not_limited() -> None:
    """The transport has no limit of its own, since the proxy limits the number of requests."""
    count = 150  # the client library's own limit is 100
    all_here = asyncio.Event()

    async def script(exchange: Exchange) -> None:
        if len(provider.exchanges) == count:
            all_here.set()
        await all_here.wait()
        await exchange.send(whole(GOOD))

    async with providing(script) as provider, calling(provider.port) as direct, asyncio.TaskGroup() as group:
        for _ in range(count):
            group.create_task(direct.ask(stream=False))

    assert provider.connections == count


async def test_request_body_is_freed_before_the_answer_arrives(monkeypatch: pytest.MonkeyPatch) -> None:
    """A large body is freed as soon as it is sent."""
    gone: list[int] = []

    class Written(bytes):
        def __del__(self) -> None:
            gone.append(len(self))

    work = run_offloaded

    async def noting(size: int, write: Callable[[], bytes]) -> bytes:
        return Written(await work(size, write))

    async def script(exchange: Exchange) -> None:
        async with asyncio.timeout(10):
            while not gone:  # noqa: ASYNC110 - there is no event for it
                await asyncio.sleep(0.01)
        await exchange.send(whole(GOOD))

    monkeypatch.setattr(direct, "run_offloaded", noting)
    async with providing(script) as provider, before(provider.port) as proxy:
        assert (await proxy.post(chat("a" * 2**20))).status == 200
    assert len(gone) == 1
