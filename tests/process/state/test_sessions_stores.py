"""Tests of sessions on real servers and in a file: two replicas, a killed, frozen and full server, a restart."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from proxy.config.redis_address import parse_redis_address
from proxy.state.external.backend import ENTRY_BYTES, Bounds
from proxy.state.redis.backend import RedisBackend
from proxy.state.sessions.record_store import Limits
from proxy.state.sessions.session_errors import SessionsUnavailable
from proxy.state.sessions.sessions import Sessions
from proxy.state.spaces import SIGNATURES
from tests.support.session_stores import keep_chain, record, replicas, texts, user
from tests.support.sessions_contract import PLAN, Pair, SessionsContract
from tests.support.sqlite_stores import opened
from tests.support.store_servers import StoreServer, valkey_server
from tests.support.waiting import until


def backends(server: StoreServer, count: int = 2) -> list[RedisBackend]:
    """Return backends on *server*, each with connections of its own."""
    return [RedisBackend(parse_redis_address(server.url)) for _ in range(count)]


class TestOnServers(SessionsContract):
    """Two replicas over each server in turn."""

    @pytest.fixture
    async def pair(self, server: StoreServer) -> AsyncIterator[Pair]:
        async with replicas(backends(server)) as (one, other):
            yield one.sessions, other.sessions


async def test_killed_server_is_an_error_and_never_an_empty_history() -> None:
    """While the server is down each request fails. The server that comes back empty knows no id."""
    with valkey_server() as server:
        async with replicas(backends(server)) as (one, other):
            await keep_chain(one.sessions, "blue", 5)
            server.kill()
            for _ in range(10):
                for sessions in (one.sessions, other.sessions):
                    with pytest.raises(SessionsUnavailable):
                        await sessions.history("blue", "resp_4")
                    with pytest.raises(SessionsUnavailable):
                        await sessions.keep_response("blue", record(9))
                await asyncio.sleep(0.05)
            server.start()
            await until(lambda: one.store.is_up and other.store.is_up)

            assert await one.sessions.history("blue", "resp_4") is None
            assert await one.sessions.keep_response("blue", record(1))
            assert await other.sessions.history("blue", "resp_1") is not None


async def test_frozen_server_is_an_error_in_a_second_at_most() -> None:
    """A request that the server does not answer fails, and later requests work again."""
    with valkey_server() as server:
        async with replicas(backends(server)) as (one, other):
            await keep_chain(one.sessions, "blue", 3)
            server.freeze()
            for _ in range(3):
                with pytest.raises(SessionsUnavailable):
                    await other.sessions.history("blue", "resp_2")
            server.thaw()
            await until(lambda: other.store.is_up)
            history = await other.sessions.history("blue", "resp_2")

            assert history is not None
            assert texts(history.items) == ["q0", "a0", "q1", "a1", "q2", "a2"]


async def fill(sessions: Sessions) -> None:
    """Keep responses of 20 KB, many more than the server has room for."""
    for number in range(1_000):
        noise = random.Random(number).randbytes(20_000).hex()
        await sessions.keep_response("blue", record(number, output=[user(noise)]))


async def test_full_server_takes_no_response_and_still_deletes() -> None:
    """Reads go on, a write is an error, and deletions make room."""
    with valkey_server("--maxmemory", "4mb", "--maxmemory-policy", "noeviction") as server:
        async with replicas(backends(server)) as (one, other):
            with pytest.raises(SessionsUnavailable):
                await fill(one.sessions)
            assert await other.sessions.history("blue", "resp_0") is not None
            assert await other.sessions.delete_response("blue", "resp_0")
            assert await other.sessions.history("blue", "resp_0") is None
            assert await one.sessions.purge("blue") > 100
            assert await one.sessions.keep_response("blue", record(1))


async def test_bounds_hold_on_a_server_and_signatures_stay() -> None:
    """Many responses of two keys stay within the bounds, as the server itself counts them."""
    limits = Limits(60.0, Bounds(60_000, 90_000))
    with valkey_server() as server:
        async with replicas(backends(server), limits) as (one, other):
            await one.store.put(SIGNATURES, {"call_1": b"signed"}, tenant="blue")
            for number in range(100):
                for sessions, tenant in ((one.sessions, "blue"), (other.sessions, "red")):
                    assert await sessions.keep_response(tenant, record(number))
            names = [name for name in server.command("KEYS", "*") if b":sessions:" in name]
            size = sum(server.command("STRLEN", name) + ENTRY_BYTES for name in names)
            [totals] = server.command("KEYS", "*:totals")
            scores = [float(score) for score in server.command("ZRANGE", totals, 0, -1, "WITHSCORES")[1::2]]

            assert 80_000 < size <= 90_000
            assert sum(scores) == size
            assert all(score <= 60_000 for score in scores)
            assert len(server.command("KEYS", "*:signatures")) == 1
            for sessions, tenant in ((one.sessions, "blue"), (other.sessions, "red")):
                assert await sessions.history(tenant, "resp_99") is not None
                assert await sessions.history(tenant, "resp_0") is None


async def test_sessions_in_a_file_outlive_the_process(tmp_path: Path) -> None:
    """The next process reads the chain and the conversation, and deletes them."""
    path = tmp_path / "state.db"
    async with opened(path) as backend, replicas([backend]) as (one,):
        await keep_chain(one.sessions, "blue", 70)
        await one.sessions.create_conversation("blue", PLAN, [user("hi")])
    async with opened(path) as backend, replicas([backend]) as (one,):
        history = await one.sessions.history("blue", "resp_69")
        assert history is not None
        assert len(history.items) == 140
        assert await one.sessions.find_conversation("blue", "conv_1") == PLAN
        assert await one.sessions.purge("blue") > 70
    async with opened(path) as backend, replicas([backend]) as (one,):
        assert await one.sessions.history("blue", "resp_69") is None
