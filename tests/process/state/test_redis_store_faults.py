"""Tests of a real server in trouble: killed, full, demoted, in cluster mode, or with a password."""

from __future__ import annotations

import asyncio
import os
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from proxy.config.redis_address import parse_redis_address
from proxy.state.external.backend import Entry, FaultKind, StoreFault
from proxy.state.redis.backend import RedisBackend
from tests.support.store_servers import StoreServer, running_server, valkey_server, valkey_server_binary

VALUE = os.urandom(700)


@asynccontextmanager
async def backend_at(url: str) -> AsyncIterator[RedisBackend]:
    """Yield a backend on the server at *url*, which is not opened yet."""
    backend = RedisBackend(parse_redis_address(url))
    try:
        yield backend
    finally:
        await backend.close()


async def fault_of(backend: RedisBackend) -> FaultKind:
    """Return the kind of a look-up's failure."""
    with pytest.raises(StoreFault) as caught:
        await backend.get(["a"])
    return caught.value.kind


def entry(name: str, value: bytes = VALUE) -> Entry:
    """Return an entry that lives for a minute."""
    return Entry(name, value, 60)


async def test_killed_server_cannot_be_reached_until_it_is_back(server: StoreServer) -> None:
    async with backend_at(server.url) as backend:
        await backend.open()
        server.kill()
        try:
            assert [await fault_of(backend) for _ in range(3)] == [FaultKind.CONNECTION] * 3
            with pytest.raises(StoreFault):
                await backend.open()
        finally:
            server.restart()
        await backend.open()

        assert await backend.get(["a"]) == {}
        assert await backend.swap("a", None, b"script is sent anew", 60) == b"script is sent anew"


async def test_restarted_server_costs_no_failed_call(
    server: StoreServer, redis_backend: RedisBackend
) -> None:
    await asyncio.to_thread(server.restart)

    assert await redis_backend.get(["a"]) == {}


async def test_full_server_is_still_read(server: StoreServer, redis_backend: RedisBackend) -> None:
    await redis_backend.put([entry("a")])
    server.command("CONFIG", "SET", "maxmemory", "1")
    try:
        for write in (redis_backend.put([entry("b"), entry("c")]), redis_backend.swap("d", None, VALUE, 60)):
            with pytest.raises(StoreFault) as caught:
                await write
            assert caught.value.kind is FaultKind.FULL
        assert await redis_backend.get(["a", "b", "c", "d"]) == {"a": VALUE}
        await redis_backend.delete(["a"])
    finally:
        server.command("CONFIG", "SET", "maxmemory", "0")

    assert list(await redis_backend.put([entry("b")])) == []


async def test_demoted_server_takes_no_writes_and_is_left(
    server: StoreServer, redis_backend: RedisBackend
) -> None:
    """The connections are made anew after each refused write, and reading goes on."""
    await redis_backend.put([entry("a")])
    server.command("REPLICAOF", "127.0.0.1", "1")
    try:
        before = connections_so_far(server)
        writes = (
            redis_backend.put([entry("b")]),
            redis_backend.swap("c", None, VALUE, 60),
            redis_backend.delete(["a"]),
        )
        for write in writes:
            with pytest.raises(StoreFault) as caught:
                await write
            assert caught.value.kind is FaultKind.READ_ONLY
            assert await redis_backend.get(["a"]) == {"a": VALUE}
        assert connections_so_far(server) - before >= len(writes)
    finally:
        server.command("REPLICAOF", "NO", "ONE")

    assert list(await redis_backend.put([entry("b")])) == []


def connections_so_far(server: StoreServer) -> int:
    """Return the number of connections that *server* has accepted."""
    stats = dict(line.split(b":", 1) for line in server.command("INFO", "stats").split() if b":" in line)
    return int(stats[b"total_connections_received"])


async def test_value_of_another_type_is_unreadable_and_can_be_replaced(
    server: StoreServer, redis_backend: RedisBackend
) -> None:
    """The other names of the same look-up are found."""
    await redis_backend.put([entry("a")])
    server.command("HSET", "b", "field", "value")
    server.command("RPUSH", "c", "element")

    assert await redis_backend.get(["a", "b", "c", "d"]) == {"a": VALUE, "b": b"", "c": b""}
    assert await redis_backend.swap("b", None, b"new", 60) == b""
    assert await redis_backend.swap("b", b"", b"new", 60) == b"new"
    assert list(await redis_backend.put([entry("c", b"newer")])) == []
    assert await redis_backend.get(["b", "c"]) == {"b": b"new", "c": b"newer"}


@pytest.mark.parametrize("login", ["", ":wrong@", "ann:wrong@"])
async def test_wrong_password_is_told_in_words(login: str) -> None:
    with valkey_server("--requirepass", "right") as server:
        async with backend_at(f"redis://{login}127.0.0.1:{server.port}") as backend:
            with pytest.raises(StoreFault, match="refused the user or the password") as caught:
                await backend.open()
        async with backend_at(f"redis://:right@127.0.0.1:{server.port}") as backend:
            await backend.open()

    assert caught.value.kind is FaultKind.CONNECTION
    assert "wrong" not in str(caught.value)


async def test_user_of_an_access_list_needs_these_commands_alone() -> None:
    """A user with few permissions can do all that the backend does."""
    rules = ["on", ">pw", "~p:*", "-@all"]
    rules += ["+ping", "+info", "+client|setname", "+get", "+set", "+del", "+unlink", "+eval", "+evalsha"]
    with valkey_server() as server:
        server.command("ACL", "SETUSER", "ann", *rules)
        async with backend_at(f"redis://ann:pw@127.0.0.1:{server.port}") as backend:
            await backend.open()
            await backend.put([entry("p:1")])
            assert await backend.swap("p:1", VALUE, None, 60) is None
            assert await backend.swap("p:1", None, VALUE, 60) == VALUE
            await backend.delete(["p:1"])
            assert await backend.get(["p:1"]) == {}
            with pytest.raises(StoreFault, match="NOPERM") as caught:
                await backend.get(["other"])

    assert caught.value.kind is FaultKind.REFUSED


async def test_databases_hold_different_values(server: StoreServer) -> None:
    async with backend_at(f"{server.url}/1") as first, backend_at(f"{server.url}/2") as second:
        await first.put([entry("a", b"1")])

        assert (await first.get(["a"]), await second.get(["a"])) == ({"a": b"1"}, {})


async def test_cluster_is_refused() -> None:
    with running_server(valkey_server_binary(), "--cluster-enabled", "yes") as server:
        async with backend_at(server.url) as backend:
            with pytest.raises(StoreFault, match="cluster mode, which is not supported yet"):
                await backend.open()


async def test_cancelled_call_never_gives_its_reply_to_a_later_one(redis_backend: RedisBackend) -> None:
    """600 look-ups of 20 names are cancelled at random moments. Each later look-up gets its own values."""
    names = [f"n{number}" for number in range(200)]
    await redis_backend.put([entry(name, name.encode() * 40) for name in names])
    choose = random.Random(7)
    cancelled = 0
    for _ in range(600):
        wanted = choose.sample(names, 20)
        task = asyncio.ensure_future(redis_backend.get(wanted))
        for _ in range(choose.randrange(8)):
            await asyncio.sleep(0)
        if choose.random() < 0.3:
            await asyncio.sleep(choose.random() / 1_000)
        cancelled += task.cancel()
        await asyncio.wait((task,))
        name = choose.choice(names)
        assert await redis_backend.get([name]) == {name: name.encode() * 40}
        if not task.cancelled():
            assert task.result() == {name: name.encode() * 40 for name in wanted}

    assert cancelled > 100
