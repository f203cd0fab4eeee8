"""Tests of the pool of connections to a Redis server, and of its questions to Sentinels."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager

import pytest

from proxy.config.redis_address import RedisAddress, parse_redis_address
from proxy.state.external.backend import FaultKind, StoreFault
from proxy.state.redis.connection import Command
from proxy.state.redis.connections import EXCHANGE_S, MAX_CONNECTIONS, RedisConnections
from tests.support.scripted_redis import NIL, OK, Answer, ScriptedRedis, bulks, scripted_redis

PING: Command = ("PING",)


@asynccontextmanager
async def pool(url: str) -> AsyncIterator[RedisConnections]:
    """Yield the connections to *url*, and close them."""
    connections = RedisConnections(parse_redis_address(url))
    try:
        yield connections
    finally:
        await connections.give_up()


def names(master: ScriptedRedis) -> Answer:
    """Return a Sentinel's answer that names *master*."""
    return lambda _: bulks(b"127.0.0.1", b"%d" % master.port)


async def fault_of(connections: RedisConnections) -> FaultKind:
    """Return the kind of the failure of one ping."""
    with pytest.raises(StoreFault) as caught:
        await connections.exchange([PING])
    return caught.value.kind


async def test_connection_is_used_again() -> None:
    async with scripted_redis(lambda _: OK) as script, pool(script.url) as connections:
        for _ in range(5):
            await connections.exchange([PING])

        assert script.connections == 1


async def test_call_beyond_eight_is_refused_at_once() -> None:
    """No call waits for a connection: the caller limits the calls."""
    async with scripted_redis(lambda _: None) as script, pool(script.url) as connections:
        running = [asyncio.ensure_future(connections.exchange([PING])) for _ in range(MAX_CONNECTIONS)]
        await asyncio.sleep(0)

        assert await fault_of(connections) is FaultKind.CONNECTION
        outcomes = await asyncio.gather(*running, return_exceptions=True)

    assert all(isinstance(outcome, StoreFault) for outcome in outcomes)
    assert script.connections <= MAX_CONNECTIONS == 8


async def test_places_are_free_again_after_failures_and_cancellations() -> None:
    async with scripted_redis(lambda _: None) as script, pool(script.url) as connections:
        for _ in range(MAX_CONNECTIONS + 1):
            exchange = asyncio.ensure_future(connections.exchange([PING]))
            await asyncio.sleep(0.002)
            exchange.cancel()
            await asyncio.wait((exchange,))

        assert await fault_of(connections) is FaultKind.TIMEOUT


async def test_failure_closes_the_idle_connections_too() -> None:
    """The other connections lead to the same server, and would each need a timeout of their own."""
    frozen = False

    def answer(_: list[bytes]) -> bytes | None:
        return None if frozen else OK

    async with scripted_redis(answer) as script, pool(script.url) as connections:
        await asyncio.gather(*(connections.exchange([PING]) for _ in range(4)))
        assert script.open_connections == 4
        frozen = True
        assert await fault_of(connections) is FaultKind.TIMEOUT
        await asyncio.sleep(0.01)

        assert script.open_connections == 0
        assert script.names().count("PING") == 5


async def test_connection_that_the_server_closed_is_not_used() -> None:
    """A server that was restarted while nothing was asked costs no failed call."""
    async with scripted_redis(lambda _: OK) as script, pool(script.url) as connections:
        await asyncio.gather(*(connections.exchange([PING]) for _ in range(3)))
        await script.hang_up()
        await connections.exchange([PING])

        assert script.connections == 4
        assert script.open_connections == 1


async def test_server_that_sends_slowly_is_cut_off() -> None:
    """Each reply comes within its limit, but the whole pipeline takes too long."""
    wanted = 100

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while await reader.read(2**16):
            writer.write(OK)
            for _ in range(wanted):
                if writer.is_closing():
                    break
                await asyncio.sleep(EXCHANGE_S / 10)
                writer.write(OK)
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    async with server, pool(f"redis://127.0.0.1:{port}") as connections:
        with pytest.raises(StoreFault, match="did not answer in time") as caught:
            await connections.exchange([PING] * wanted)
        await asyncio.sleep(EXCHANGE_S / 5)

    assert caught.value.kind is FaultKind.TIMEOUT


async def test_pipeline_that_its_caller_ends_gives_all_connections_up() -> None:
    """The limit of the caller means that the server is lost, as the limit of the connections would."""
    frozen = False

    def answer(_: list[bytes]) -> bytes | None:
        return None if frozen else OK

    async with scripted_redis(answer) as script:
        connections = RedisConnections(parse_redis_address(script.url), is_limited=False)
        await asyncio.gather(*(connections.exchange([PING]) for _ in range(3)))
        frozen = True
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.005):
                await connections.exchange([PING])
        await asyncio.sleep(0.01)

        assert script.open_connections == 0


async def test_master_is_asked_for_once_and_again_after_a_failure() -> None:
    well = True
    async with AsyncExitStack() as stack:
        first = await stack.enter_async_context(scripted_redis(lambda _: OK if well else b""))
        second = await stack.enter_async_context(scripted_redis(lambda _: OK))
        master = [first]
        sentinel = await stack.enter_async_context(scripted_redis(lambda words: names(master[0])(words)))
        connections = await stack.enter_async_context(
            pool(f"redis+sentinel://127.0.0.1:{sentinel.port}/main")
        )

        await connections.exchange([PING])
        await connections.exchange([PING])
        assert sentinel.names().count("SENTINEL") == 1
        well, master[0] = False, second
        assert await fault_of(connections) is FaultKind.CONNECTION
        await connections.exchange([PING])

    assert sentinel.names().count("SENTINEL") == 2
    assert [b"SENTINEL", b"GET-MASTER-ADDR-BY-NAME", b"main"] in sentinel.commands
    assert second.names().count("PING") == 1


@pytest.mark.parametrize("bad", [NIL, b"-ERR unknown command\r\n", b"", None], ids=repr)
async def test_next_sentinel_is_asked_where_one_does_not_know(bad: bytes | None) -> None:
    """The Sentinel that answered is asked first the next time."""
    async with AsyncExitStack() as stack:
        master = await stack.enter_async_context(scripted_redis(lambda _: OK))
        silent = await stack.enter_async_context(scripted_redis(lambda _: bad))
        knows = await stack.enter_async_context(scripted_redis(names(master)))
        url = f"redis+sentinel://127.0.0.1:{silent.port},127.0.0.1:{knows.port}/main"
        connections = await stack.enter_async_context(pool(url))

        await connections.exchange([PING])
        await connections.give_up()
        await connections.exchange([PING])

    assert silent.names().count("SENTINEL") == 1
    assert knows.names().count("SENTINEL") == 2


async def test_no_sentinel_that_knows_is_a_fault_in_words() -> None:
    async with (
        scripted_redis(lambda _: NIL) as script,
        pool(f"redis+sentinel://127.0.0.1:{script.port}/x") as all_,
    ):
        with pytest.raises(StoreFault, match="no Sentinel answered with the master") as caught:
            await all_.exchange([PING])

    assert caught.value.kind is FaultKind.CONNECTION


async def test_sentinel_gets_the_password_only_if_it_asks_for_one() -> None:
    def url_of(sentinel: ScriptedRedis) -> str:
        return f"redis+sentinel://:pw@127.0.0.1:{sentinel.port}/main/5"

    def guarded(words: list[bytes]) -> bytes:
        if words[0] == b"AUTH":
            return OK
        authorized = any(sent[0] == b"AUTH" for sent in sentinel.commands)
        return names(master)(words) or b"" if authorized else b"-NOAUTH Authentication required.\r\n"

    async with scripted_redis(lambda _: OK) as master:
        async with scripted_redis(names(master)) as sentinel, pool(url_of(sentinel)) as connections:
            await connections.exchange([PING])
        assert sentinel.names() == ["CLIENT", "SENTINEL"]
        assert master.names() == ["AUTH", "CLIENT", "SELECT", "PING"]
        async with scripted_redis(guarded) as sentinel, pool(url_of(sentinel)) as connections:
            await connections.exchange([PING])
        assert sentinel.names() == ["CLIENT", "SENTINEL", "AUTH", "CLIENT", "SENTINEL"]


async def test_connection_in_use_when_all_are_given_up_is_closed_after_its_reply() -> None:
    asked, go, closed = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while sent := await reader.read(2**16):
            if b"PING" in sent:
                asked.set()
                await go.wait()
            writer.write(OK)
        writer.close()
        closed.set()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    async with server, pool(f"redis://127.0.0.1:{port}") as connections:
        exchange = asyncio.ensure_future(connections.exchange([PING]))
        await asked.wait()
        await connections.give_up()
        go.set()

        assert await exchange == [b"OK"]
        async with asyncio.timeout(5):
            await closed.wait()


async def test_password_never_goes_out_in_plain_text(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another call may give the certificates up while this one connects. The connection has TLS all the same."""
    async with scripted_redis(lambda _: OK) as script:
        url = f"rediss://:password@localhost:{script.port}"
        async with pool(url) as connections:

            async def look_up(_: object, host: str, port: int) -> None:
                await connections.give_up()

            async def read_files(
                make: Callable[..., ssl.SSLContext], *address: RedisAddress
            ) -> ssl.SSLContext:
                tls = make(*address)
                await connections.give_up()
                return tls

            monkeypatch.setattr("proxy.state.redis.host_lookup.HostLookup.check", look_up)
            monkeypatch.setattr(asyncio, "to_thread", read_files)
            assert await fault_of(connections) in {FaultKind.CONNECTION, FaultKind.TIMEOUT}

        assert script.commands == []
