"""Tests of the pipelines that run scripts."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from proxy.config.redis_address import parse_redis_address
from proxy.state.external.backend import FaultKind, StoreFault
from proxy.state.redis.connection import ReplyError
from proxy.state.redis.connections import RedisConnections
from proxy.state.redis.scripts import make_script, read_error, run_scripts
from tests.support.scripted_redis import Answer, ScriptedRedis, bulk, scripted_redis

A, B = make_script("return 'a'"), make_script("return 'b'")
NOSCRIPT = b"-NOSCRIPT No matching script. Please use EVAL.\r\n"


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give the server more time than a request has, since the tests share few processors."""
    monkeypatch.setattr("proxy.state.redis.connection.REPLY_S", 5.0)
    monkeypatch.setattr("proxy.state.redis.connection.CONNECT_S", 5.0)
    monkeypatch.setattr("proxy.state.redis.connections.EXCHANGE_S", 10.0)


@asynccontextmanager
async def connected(answer: Answer) -> AsyncIterator[tuple[ScriptedRedis, RedisConnections]]:
    """Serve *answer*, and yield the server with connections to it."""
    async with scripted_redis(answer) as script:
        connections = RedisConnections(parse_redis_address(script.url))
        try:
            yield script, connections
        finally:
            await connections.give_up()


def test_script_is_known_by_its_digest() -> None:
    assert A.digest == hashlib.sha1(b"return 'a'").hexdigest()


async def test_text_of_a_script_is_sent_until_the_server_has_run_it() -> None:
    """A call by an unknown digest would be made again after later calls, and their order counts."""
    async with connected(lambda words: bulk(words[-1])) as (script, connections):
        calls = [(A, (0, "1")), (B, (0, "2"))]
        assert await run_scripts(connections, calls[:1]) == [b"1"]
        assert await run_scripts(connections, calls) == [b"1", b"2"]
        assert await run_scripts(connections, calls) == [b"1", b"2"]
        await connections.give_up()
        await run_scripts(connections, calls[:1])

    assert [name for name in script.names() if name.startswith("EVAL")] == [
        "EVAL",
        *("EVALSHA", "EVAL"),
        *("EVALSHA", "EVALSHA"),
        "EVAL",
    ]
    assert script.commands[-1][1] == A.text.encode()


async def test_script_that_the_server_has_forgotten_is_sent_with_its_text() -> None:
    def answer(words: list[bytes]) -> bytes:
        return NOSCRIPT if words[1] == B.digest.encode() else bulk(words[-1])

    async with connected(answer) as (script, connections):
        calls = [(A, (0, "1")), (B, (0, "2")), (A, (0, "3"))]
        await run_scripts(connections, calls)
        assert await run_scripts(connections, calls) == [b"1", b"2", b"3"]

    assert script.names()[-4:] == ["EVALSHA", "EVALSHA", "EVALSHA", "EVAL"]
    assert script.commands[-1] == [b"EVAL", B.text.encode(), b"0", b"2"]


async def test_error_of_one_call_leaves_the_others() -> None:
    def answer(words: list[bytes]) -> bytes:
        return b"-OOM command not allowed\r\n" if words[-1] == b"2" else bulk(words[-1])

    async with connected(answer) as (_, connections):
        replies = await run_scripts(connections, [(A, (0, "1")), (A, (0, "2"))])

    assert replies == [b"1", ReplyError("OOM")]


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (b"-READONLY You can't write against a read only replica.\r\n", FaultKind.READ_ONLY),
        (b"-MASTERDOWN Link with MASTER is down\r\n", FaultKind.CONNECTION),
    ],
)
async def test_replica_is_left(error: bytes, kind: FaultKind) -> None:
    async with connected(lambda _: error) as (script, connections):
        for _ in range(2):
            with pytest.raises(StoreFault) as caught:
                await run_scripts(connections, [(A, ())])
            assert caught.value.kind is kind

    assert script.connections == 2


async def test_no_call_sends_nothing() -> None:
    async with connected(lambda _: b"") as (script, connections):
        assert await run_scripts(connections, []) == []

    assert script.connections == 0


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("OOM", FaultKind.FULL),
        ("MISCONF", FaultKind.FULL),
        ("NOREPLICAS", FaultKind.READ_ONLY),
        ("NOPERM", FaultKind.REFUSED),
        ("WRONGTYPE", FaultKind.REFUSED),
    ],
)
def test_code_tells_the_fault(code: str, kind: FaultKind) -> None:
    assert read_error(ReplyError(code)).kind is kind
