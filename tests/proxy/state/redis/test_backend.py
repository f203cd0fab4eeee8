"""Tests of the answers of a Redis server that a real server gives only when it is in trouble."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from proxy.config.redis_address import parse_redis_address
from proxy.state.external.backend import Entry, FaultKind, StoreFault
from proxy.state.redis.backend import RedisBackend
from tests.support.scripted_redis import NIL, OK, Answer, ScriptedRedis, bulk, scripted_redis

OOM = b"-OOM command not allowed when used memory > 'maxmemory'.\r\n"
READONLY = b"-READONLY You can't write against a read only replica.\r\n"
WRONGTYPE = b"-WRONGTYPE Operation against a key holding the wrong kind of value\r\n"
NOPERM = b"-NOPERM User ann has no permissions\r\n"
ENTRIES = [Entry(name, b"v", 1.5) for name in "abc"]


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give the server more time than a request has, since the tests share few processors."""
    monkeypatch.setattr("proxy.state.redis.connection.REPLY_S", 5.0)
    monkeypatch.setattr("proxy.state.redis.connection.CONNECT_S", 5.0)
    monkeypatch.setattr("proxy.state.redis.connections.EXCHANGE_S", 10.0)


@asynccontextmanager
async def backend_on(answer: Answer) -> AsyncIterator[tuple[ScriptedRedis, RedisBackend]]:
    """Serve *answer*, and yield the server with a backend on it."""
    async with scripted_redis(answer) as script:
        backend = RedisBackend(parse_redis_address(script.url))
        try:
            yield script, backend
        finally:
            await backend.close()


async def test_names_are_got_one_by_one_in_one_pipeline() -> None:
    """A cluster could answer them too, and a value of another type does not lose the others."""
    replies = {b"a": bulk(b"1"), b"b": NIL, b"c": WRONGTYPE, b"d": bulk(b"4")}
    async with backend_on(lambda words: replies[words[1]]) as (script, backend):
        assert await backend.get(["a", "b", "c", "d"]) == {"a": b"1", "c": b"", "d": b"4"}

    assert script.commands[1:] == [[b"GET", name] for name in replies]
    assert script.connections == 1


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (NOPERM, FaultKind.REFUSED),
        (b"-ERR unknown command\r\n", FaultKind.REFUSED),
        (b"-MOVED 3999 10.0.0.1:6381\r\n", FaultKind.REFUSED),
        (b"-MASTERDOWN Link with MASTER is down\r\n", FaultKind.CONNECTION),
        (b"-LOADING Redis is loading the dataset in memory\r\n", FaultKind.CONNECTION),
    ],
)
async def test_other_error_fails_the_look_up(reply: bytes, kind: FaultKind) -> None:
    async with backend_on(lambda _: reply) as (_, backend):
        with pytest.raises(StoreFault) as caught:
            await backend.get(["a"])

    assert caught.value.kind is kind
    assert "10.0.0.1" not in str(caught.value)


@pytest.mark.parametrize("error", [OOM, NOPERM, WRONGTYPE])
async def test_refused_entries_are_returned_one_by_one(error: bytes) -> None:
    async with backend_on(lambda words: error if words[1] == b"b" else OK) as (script, backend):
        assert list(await backend.put(ENTRIES)) == [ENTRIES[1]]

    assert script.commands[1] == [b"SET", b"a", b"v", b"PX", b"1500"]


@pytest.mark.parametrize("error", [OOM, b"-MISCONF Errors writing to the AOF file\r\n"])
async def test_server_that_refuses_all_entries_is_full(error: bytes) -> None:
    async with backend_on(lambda _: error) as (_, backend):
        with pytest.raises(StoreFault) as caught:
            await backend.put(ENTRIES)
        with pytest.raises(StoreFault) as swapped:
            await backend.swap("a", None, b"v", 1)

    assert caught.value.kind is swapped.value.kind is FaultKind.FULL


async def test_master_without_its_replicas_takes_no_writes() -> None:
    """Its writes are kept for later, as those to a full server. ``min-replicas-to-write`` is set beside Sentinels."""
    async with backend_on(lambda _: b"-NOREPLICAS Not enough good replicas to write.\r\n") as (_, backend):
        for write in (backend.put(ENTRIES), backend.swap("a", None, b"v", 1), backend.delete(["a"])):
            with pytest.raises(StoreFault) as caught:
                await write
            assert caught.value.kind is FaultKind.READ_ONLY


async def test_entries_that_are_all_refused_for_another_reason_are_returned() -> None:
    """They are dropped. A server that is full is tried again with the same entries."""
    async with backend_on(lambda _: NOPERM) as (_, backend):
        assert list(await backend.put(ENTRIES)) == ENTRIES


async def test_replica_is_left_at_once() -> None:
    """All connections are closed, since the address may lead to the new master the next time."""
    demoted = False

    def answer(_: list[bytes]) -> bytes:
        return READONLY if demoted else OK

    async with backend_on(answer) as (script, backend):
        await backend.put(ENTRIES)
        demoted = True
        for write in (backend.put(ENTRIES), backend.swap("a", None, b"v", 1), backend.delete(["a"])):
            with pytest.raises(StoreFault) as caught:
                await write
            assert caught.value.kind is FaultKind.READ_ONLY
        demoted = False
        await backend.put(ENTRIES)

    assert script.connections == 4


async def test_script_is_sent_whole_once() -> None:
    async with backend_on(lambda _: bulk(b"new")) as (script, backend):
        for _ in range(3):
            assert await backend.swap("a", b"old", b"new", 2) == b"new"

    assert script.names()[1:] == ["EVAL", "EVALSHA", "EVALSHA"]
    assert script.commands[1][2:] == script.commands[2][2:]


@pytest.mark.parametrize(
    ("info", "refused"),
    [
        (bulk(b"# Cluster\r\ncluster_enabled:1\r\n"), True),
        (bulk(b"# Cluster\r\ncluster_enabled:0\r\n"), False),
        (NOPERM, False),
    ],
    ids=["cluster", "one server", "no permission"],
)
async def test_cluster_is_refused_in_words_when_opened(info: bytes, refused: bool) -> None:
    async with backend_on(lambda words: info if words[0] == b"INFO" else b"+PONG\r\n") as (script, backend):
        if refused:
            with pytest.raises(StoreFault, match="cluster mode, which is not supported yet") as caught:
                await backend.open()
            assert caught.value.kind is FaultKind.REFUSED
        else:
            await backend.open()
        await backend.ping()

    assert script.names().count("INFO") == 1


async def test_nothing_to_do_asks_nothing() -> None:
    async with backend_on(lambda _: OK) as (script, backend):
        await backend.get([])
        await backend.put([])
        await backend.delete([])

    assert script.connections == 0


@pytest.mark.parametrize(
    ("lifetime_s", "sent"), [(1.5, b"1500"), (0.0001, b"1"), (0.0, b"1"), (-3, b"1"), (1e9, b"1000000000000")]
)
async def test_lifetime_is_sent_in_milliseconds(lifetime_s: float, sent: bytes) -> None:
    """A server refuses a lifetime of 0. What is left of a lifetime may be less when a write had to wait."""
    async with backend_on(lambda _: OK) as (script, backend):
        await backend.put([Entry("a", b"v", lifetime_s)])

    assert script.commands[1][-2:] == [b"PX", sent]


def test_backend_is_shared_and_shows_no_password() -> None:
    backend = RedisBackend(parse_redis_address("redis://ann:hunter2@store"))

    assert backend.is_shared
    assert "hunter2" not in repr(vars(backend))
