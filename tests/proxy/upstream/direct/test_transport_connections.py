"""The direct transport's connections: used again where they can be, closed at once where nobody waits any more."""

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
async def test_connection_is_used_again_after_a_complete_answer(
    kinds: tuple[bool, bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A connection is used again after a whole answer and after a finished stream."""
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
async def test_unfinished_body_is_not_used_again(parts: list[bytes]) -> None:
    """A connection on which an answer goes on after its end is closed; the next request has one of its own."""

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
async def test_client_that_leaves(start: bytes, stream: bool) -> None:
    """A client that leaves closes the provider's connection at once."""
    async with providing(sending(start, then="wait")) as provider, before(provider.port) as proxy:

        async def until() -> None:
            await provider.came.wait()
            await asyncio.sleep(0.05)

        await leave_at(proxy, chat(stream=stream), until)
        async with asyncio.timeout(10):
            await provider.exchanges[0].left.wait()
        await proxy.idle()


async def test_client_that_does_not_read_stops_the_provider() -> None:
    """A client that does not read stops the provider: it gets rid of what the buffers hold, and no more."""
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
            while len(sizes) < 2 or sizes[-1] != sizes[-2] or not sizes[-1]:
                await asyncio.sleep(0.3)
                sizes.append(provider.exchanges[0].written)
                assert sizes[-1] < 32 * 2**20, "the provider can go on sending"

        async with asyncio.timeout(60):
            await leave_at(proxy, chat(stream=True), until)
            await proxy.idle()


async def test_calls_do_not_wait_for_one_another() -> None:
    """However many calls are under way, the next has a connection: who may be in flight is decided elsewhere."""
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


async def test_what_was_sent_is_not_held_while_the_provider_thinks(monkeypatch: pytest.MonkeyPatch) -> None:
    """A large body's copy for the provider goes as soon as it is sent, not when the answer comes."""
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
