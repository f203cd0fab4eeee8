"""Tests that one connection has the limits it needs, makes no retry, and tells every failure in words."""

from __future__ import annotations

import asyncio
import ssl
import traceback
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from proxy.config.redis_address import RedisAddress, parse_redis_address
from proxy.state.external.backend import FaultKind, StoreFault
from proxy.state.redis.connection import (
    CONNECT_S,
    REPLY_S,
    Command,
    RedisConnection,
    ReplyError,
    connection_settings,
    make_tls,
)
from tests.support.scripted_redis import OK, Answer, ScriptedRedis, bulk, scripted_redis

PING: Command = ("PING",)
SECRET = "hunter2"

URLS = {
    "redis": f"redis://ann:{SECRET}@127.0.0.1:1/3",
    "rediss": f"rediss://ann:{SECRET}@127.0.0.1:1/3",
    "sentinel": f"redis+sentinel://ann:{SECRET}@127.0.0.1:2/main/3",
}

FAULTS = {
    "wrong password": (b"-WRONGPASS invalid username-password pair\r\n", FaultKind.CONNECTION, "password"),
    "password wanted": (b"-NOAUTH Authentication required.\r\n", FaultKind.CONNECTION, "password"),
    "loading": (b"-LOADING Redis is loading the dataset in memory\r\n", FaultKind.CONNECTION, "reached"),
    "too many clients": (b"-ERR max number of clients reached\r\n", FaultKind.CONNECTION, "reached"),
    "another protocol": (b"HTTP/1.1 400 Bad Request\r\n\r\n", FaultKind.CONNECTION, "reached"),
    "closed": (b"", FaultKind.CONNECTION, "reached"),
    "half a reply": (b"$5\r\nab", FaultKind.TIMEOUT, "in time"),
    "silence": (None, FaultKind.TIMEOUT, "in time"),
}


@asynccontextmanager
async def connected(answer: Answer, login: str = "") -> AsyncIterator[tuple[ScriptedRedis, RedisConnection]]:
    """Serve *answer*, and yield the server with an opened connection to it. Ten seconds are the limit."""
    async with asyncio.timeout(10), scripted_redis(answer) as script:
        address = parse_redis_address(f"redis://{login}127.0.0.1:{script.port}")
        connection = RedisConnection(address, "127.0.0.1", script.port, None)
        await connection.open()
        try:
            yield script, connection
        finally:
            await connection.close()


@pytest.mark.parametrize("url", URLS.values(), ids=URLS)
def test_settings_arrive_on_the_connection_for_every_kind_of_address(url: str) -> None:
    """The limits are those of this module, not the library's five seconds and ten retries."""
    address = parse_redis_address(url)
    tls = make_tls(address) if address.uses_tls else None
    real = RedisConnection(address, "127.0.0.1", 1, tls)._connection

    assert (real.socket_timeout, real.socket_connect_timeout) == (REPLY_S, CONNECT_S) == (0.05, 0.1)
    assert real.retry.get_retries() == 0
    assert not real.retry_on_error
    assert not real.retry_on_timeout
    assert real.health_check_interval == 0
    assert (real.protocol, real.client_name) == (2, "turnright")
    assert (real.db, real.username, real.password) == (3, "ann", SECRET)
    if tls is not None:
        arguments = real._connection_arguments()
        assert arguments["ssl"] is tls


def test_certificates_are_checked() -> None:
    tls = make_tls(parse_redis_address("rediss://store"))

    assert tls.verify_mode is ssl.CERT_REQUIRED
    assert tls.check_hostname
    assert tls.minimum_version >= ssl.TLSVersion.TLSv1_2


@pytest.mark.parametrize("files", ["ssl_ca_certs=/none", "ssl_certfile=/none&ssl_keyfile=/none"])
def test_missing_certificate_is_a_fault_in_words(files: str) -> None:
    with pytest.raises(StoreFault, match="certificates for the store cannot be read") as caught:
        make_tls(parse_redis_address(f"rediss://store?{files}"))

    assert caught.value.kind is FaultKind.CONNECTION


@pytest.mark.parametrize(
    ("url", "sent"),
    [
        ("redis://h", ["CLIENT SETNAME turnright"]),
        ("redis://:pw@h/2", ["AUTH pw", "CLIENT SETNAME turnright", "SELECT 2"]),
        ("redis://ann:pw@h", ["AUTH ann pw", "CLIENT SETNAME turnright"]),
    ],
)
async def test_connecting_sends_only_what_is_needed(url: str, sent: list[str]) -> None:
    """There is no round trip for the library's name, the protocol or the server's health."""
    async with scripted_redis(lambda _: OK) as script:
        connection = RedisConnection(parse_redis_address(url), "127.0.0.1", script.port, None)
        await connection.open()
        await connection.exchange([PING])
        await connection.close()

    assert [b" ".join(words).decode() for words in script.commands] == [*sent, "PING"]


@pytest.mark.parametrize(("reply", "kind", "words"), FAULTS.values(), ids=FAULTS)
async def test_failure_is_told_in_words_and_not_retried(
    reply: bytes | None, kind: FaultKind, words: str
) -> None:
    async with connected(lambda _: reply) as (script, connection):
        with pytest.raises(StoreFault, match=words) as caught:
            await connection.exchange([PING])

        assert caught.value.kind is kind
        assert script.names() == ["CLIENT", "PING"]
        assert script.connections == 1
        assert not await connection.is_clean()


@pytest.mark.parametrize(
    "reply",
    [b"-WRONGPASS invalid\r\n", b"-ERR AUTH <password> called without any password\r\n", b"-NOPERM no\r\n"],
)
async def test_no_fault_holds_address_or_password(reply: bytes) -> None:
    with pytest.raises(StoreFault) as caught:
        async with connected(lambda words: reply + words[-1] + b"\r\n", f"ann:{SECRET}@"):
            pass

    shown = "".join(traceback.format_exception_only(caught.value)) + repr(caught.value.__cause__)
    assert SECRET not in shown
    assert "127.0.0.1" not in shown


async def test_unreachable_server_is_a_fault() -> None:
    async with scripted_redis(lambda _: OK) as script:
        port = script.port
    connection = RedisConnection(RedisAddress((("127.0.0.1", port),)), "127.0.0.1", port, None)

    with pytest.raises(StoreFault, match="cannot be reached") as caught:
        await connection.open()

    assert caught.value.kind is FaultKind.CONNECTION


async def test_database_that_the_server_does_not_have_is_a_fault() -> None:
    def answer(words: list[bytes]) -> bytes:
        return b"-ERR DB index is out of range\r\n" if words[0] == b"SELECT" else OK

    async with scripted_redis(answer) as script:
        address = parse_redis_address(f"{script.url}/99")
        with pytest.raises(StoreFault, match=r"refused the connection \(ERR\): see its database") as caught:
            await RedisConnection(address, "127.0.0.1", script.port, None).open()

    assert caught.value.kind is FaultKind.REFUSED


async def test_error_for_one_command_does_not_lose_the_other_replies() -> None:
    replies = {b"a": bulk(b"1"), b"b": b"-WRONGTYPE Operation against a key\r\n", b"c": bulk(b"3")}
    async with connected(lambda words: replies[words[1]]) as (_, connection):
        found = await connection.exchange([("GET", "a"), ("GET", "b"), ("GET", "c")])

        assert found == [b"1", ReplyError("WRONGTYPE"), b"3"]
        assert await connection.is_clean()


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("OOM command not allowed when used memory > 'maxmemory'.", "OOM"),
        ("READONLY You can't write against a read only replica.", "READONLY"),
        ("NOSCRIPT No matching script.", "NOSCRIPT"),
        ("NOPERM User has no permissions", "NOPERM"),
        ("MASTERDOWN Link with MASTER is down", "MASTERDOWN"),
        ("MISCONF Errors writing to the AOF file", "MISCONF"),
        ("ERR unknown command", "ERR"),
        ("ERR Error running script (call to f_0): @user_script:1: -OOM command not allowed", "OOM"),
        ("ERR Error running script (call to f_0): @user_script:1: -READONLY You can't write", "READONLY"),
    ],
)
async def test_code_of_an_error_is_its_first_word(text: str, code: str) -> None:
    """A script's error has other words in servers before Redis 7, which hold the code in their midst."""
    async with connected(lambda _: f"-{text}\r\n".encode()) as (_, connection):
        assert await connection.exchange([PING]) == [ReplyError(code)]


async def test_cancelled_exchange_closes_the_connection() -> None:
    """A reply that comes late is never read as the reply to a later command."""
    async with connected(lambda _: None) as (_, connection):
        exchange = asyncio.ensure_future(connection.exchange([PING]))
        await asyncio.sleep(0.01)
        exchange.cancel()
        with pytest.raises(asyncio.CancelledError):
            await exchange

        assert not await connection.is_clean()


async def test_connection_is_closed_after_an_error_of_the_caller() -> None:
    """No exception leaves a connection open, whatever the library does by itself."""
    async with connected(lambda _: OK) as (_, connection):
        with pytest.raises(TypeError):
            await connection.exchange([PING, ("GET", None)])  # type: ignore[list-item]

        assert not await connection.is_clean()


async def test_connection_with_waiting_bytes_or_without_its_server_is_not_clean() -> None:
    async with connected(lambda _: OK + OK) as (_, connection):
        await connection.exchange([PING])
        assert not await connection.is_clean()
    async with connected(lambda words: OK if words[0] == b"PING" else b"") as (_, connection):
        await connection.exchange([PING])
        assert await connection.is_clean()


def test_settings_of_two_connections_share_nothing() -> None:
    address = RedisAddress((("h", 1),))

    assert connection_settings(address)["retry"] is not connection_settings(address)["retry"]
