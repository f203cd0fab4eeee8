"""Tests the direct transport's time limits: to connect, to the first byte, between bytes, and in all."""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import pytest

from proxy.core.errors import UpstreamTimeout
from proxy.core.failures import Cause
from proxy.upstream.direct import transport as direct
from tests.proxy.upstream.provider import (
    BOTH,
    FIRST,
    GOOD,
    STREAM,
    Exchange,
    Script,
    ask,
    assert_broken,
    before,
    calling,
    event,
    flooding,
    head,
    piece,
    providing,
    sending,
    whole,
)
from tests.support.proxied import chat
from tests.support.scripted_upstream import chunk, say

SLOW_S = 20.0
"""Seconds that a limit below one second may take on a busy machine. Limits that a test must not reach are longer."""


def dripping(start: bytes, unit: bytes, times: int, end: bytes = b"", every: float = 0.1) -> Script:
    """Return a script that sends the same bytes again and again, and then the end."""

    async def script(exchange: Exchange) -> None:
        await exchange.send(start)
        for _ in range(times):
            await asyncio.sleep(every)
            await exchange.send(unit)
        await exchange.send(end)

    return script


async def timed_out(script: Script, *, stream: bool, **limits: float) -> tuple[UpstreamTimeout, float]:
    """Return the timeout that the transport raises, and the seconds until then."""
    async with providing(script) as provider, calling(provider.port, limits) as direct:
        asked = time.monotonic()
        with pytest.raises(UpstreamTimeout) as raised:
            await direct.ask(stream=stream)
        took = time.monotonic() - asked
        async with asyncio.timeout(20):
            await provider.ended()
    return raised.value, took


ROLE = piece(event(chunk({"role": "assistant", "content": ""})))
JSON_HEAD = head("application/json")


@pytest.mark.parametrize(
    "start",
    [b"", head(), head() + piece(b": hello\n\n"), head() + ROLE],
    ids=["nothing", "head", "comment", "role"],
)
async def test_silence_before_a_stream_begins_is_a_first_byte_timeout(start: bytes) -> None:
    """Silence before the first content is a first-byte timeout. A head, a comment or a role is no content."""
    error, took = await timed_out(sending(start, then="wait"), stream=True, first_byte_s=0.2, idle_s=0.05)

    assert error.cause is Cause.FIRST_BYTE_TIMEOUT
    assert 0.15 < took < SLOW_S


@pytest.mark.parametrize(
    "start", [b"", JSON_HEAD, JSON_HEAD + piece(b" \n")], ids=["nothing", "head", "blank"]
)
async def test_silence_before_a_whole_answer_ends_at_the_deadline(start: bytes) -> None:
    """Until its first byte, only the deadline limits a whole answer.

    The provider writes the whole text before it sends.
    """
    error, took = await timed_out(
        sending(start, then="wait"), stream=False, first_byte_s=0.05, idle_s=0.05, total_s=0.2
    )

    assert error.cause is Cause.DEADLINE
    assert 0.15 < took < SLOW_S


@pytest.mark.parametrize(
    ("start", "stream"),
    [(JSON_HEAD + piece(GOOD[:10]), False), (whole(GOOD[:10], length=999), False), (head() + FIRST, True)],
    ids=["whole", "whole with a length", "stream"],
)
async def test_silence_within_an_answer_is_an_idle_timeout(start: bytes, stream: bool) -> None:
    """Silence within an answer is an idle timeout, for whole answers and for streams."""
    error, took = await timed_out(sending(start, then="wait"), stream=stream, idle_s=0.15)

    assert error.cause is Cause.IDLE_TIMEOUT
    assert 0.1 < took < SLOW_S


async def test_blanks_and_comments_restart_the_silence_limits() -> None:
    """Blanks and comments restart the limits of silence, so that only the deadline can end such an answer."""
    limit_s, every_s = 1.0, 0.1
    times = round(limit_s * 1.2 / every_s)

    async def reason(start: bytes, unit: bytes, end: bytes, *, stream: bool) -> str:
        script = dripping(start, unit, times, piece(end) + piece(b""), every_s)
        async with (
            providing(script) as provider,
            calling(provider.port, {"first_byte_s": limit_s, "idle_s": limit_s}) as direct,
        ):
            answers = await direct.ask(stream=stream)
        return str(answers[-1]["choices"][0]["finish_reason"])

    reasons = await asyncio.gather(
        reason(JSON_HEAD, piece(b"\n"), GOOD, stream=False),
        reason(JSON_HEAD + piece(b"{"), piece(b" "), GOOD[1:], stream=False),
        reason(head(), piece(b": ping\n\n"), STREAM, stream=True),
        reason(head() + FIRST, piece(b": ping\n\n"), STREAM, stream=True),
    )

    assert list(reasons) == ["stop"] * 4


@pytest.mark.parametrize(
    ("start", "unit", "stream"),
    [
        (JSON_HEAD, piece(b" "), False),
        (JSON_HEAD + piece(b"{"), piece(b" "), False),
        (head(), piece(b": ping\n\n"), True),
        (head() + FIRST, piece(event(say("x"))), True),
    ],
    ids=["whole, blank", "whole", "stream, comments", "stream"],
)
async def test_answer_that_goes_on_for_ever_ends_at_the_deadline(
    start: bytes, unit: bytes, stream: bool
) -> None:
    """An endless answer ends at the deadline, since its bytes restart the other limits."""
    script = dripping(start, unit, 100, every=0.05)
    error, took = await timed_out(script, stream=stream, total_s=0.25)

    assert error.cause is Cause.DEADLINE
    assert 0.2 < took < SLOW_S


@pytest.mark.parametrize(("start", "stream"), [(JSON_HEAD, False), (head(), True)], ids=["whole", "stream"])
async def test_endless_bytes_without_a_wait_end_at_the_deadline(
    start: bytes, stream: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Endless bytes that never make the reader wait end at the deadline as well."""
    monkeypatch.setattr(direct, "_LARGEST_ANSWER", 2**40)  # must not be met before the deadline
    unit = b" " * 2**16 if not stream else b": " + b"x" * 2**16 + b"\n"
    error, took = await timed_out(flooding(start, unit), stream=stream, total_s=0.2)

    assert error.cause is Cause.DEADLINE
    assert took < SLOW_S


async def test_stream_of_many_events_needs_few_timers(monkeypatch: pytest.MonkeyPatch) -> None:
    """A stream of many events needs few timers, since a timer for each read costs as much as the read."""
    loop = asyncio.get_running_loop()
    known, timers = loop.call_at, 0

    def counting(*arguments: Any, **named: Any) -> asyncio.TimerHandle:
        nonlocal timers
        timers += 1
        return known(*arguments, **named)

    async def script(exchange: Exchange) -> None:
        await exchange.send(head(), *[FIRST] * 200, piece(STREAM), piece(b""))

    async with providing(script) as provider, calling(provider.port) as direct:
        monkeypatch.setattr(loop, "call_at", counting)
        await direct.ask(stream=True)

    assert len(provider.exchanges) == 1
    assert timers < 20


async def test_client_gets_a_504_for_a_whole_answer_without_end() -> None:
    """A whole answer without an end is a 504, and the provider's connection is closed."""
    starts = (b"", JSON_HEAD, whole(GOOD[:10], length=999))
    asked = [ask(sending(start, then="wait"), stream=False, timeout=1) for start in starts]

    for reply, provider in await asyncio.gather(*asked):
        assert (reply.status, reply.error["code"]) == (504, "upstream_timeout")
        assert provider.exchanges[0].left.is_set()


@pytest.mark.parametrize("started", [False, True])
async def test_client_gets_a_timeout_for_a_silent_stream(started: bool) -> None:
    """A silent stream is a 504 before the first chunk, and an error event after it."""
    script = sending(head(), *([FIRST] if started else []), then="wait")
    reply, provider = await ask(
        script, stream=True, first_byte_timeout=30 if started else 0.3, idle_timeout=0.3
    )

    if started:
        assert_broken(reply, "upstream_timeout")
    else:
        assert (reply.status, reply.error["code"]) == (504, "upstream_timeout")
    assert provider.exchanges[0].left.is_set()


@contextmanager
def full_backlog() -> Iterator[str]:
    """Yield the address of a socket with a full backlog: the kernel drops new connections."""
    with socket.socket() as full:
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        port = full.getsockname()[1]
        fillers = [socket.socket() for _ in range(3)]
        for filler in fillers:
            filler.setblocking(False)
            filler.connect_ex(("127.0.0.1", port))
        try:
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            for filler in fillers:
                filler.close()


@asynccontextmanager
async def unreachable(kind: str, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[str]:
    """Yield an address to which no connection is made: its name, its socket or TLS never answers."""
    if kind == "tcp":
        with full_backlog() as address:
            yield address
    elif kind == "tls":
        async with providing(sending()) as provider:  # this server never answers a TLS handshake
            yield f"https://127.0.0.1:{provider.port}/v1"
    else:
        loop = asyncio.get_running_loop()
        known = loop.getaddrinfo

        async def slow(host: Any, *arguments: Any, **named: Any) -> Any:
            if host == "provider.invalid":
                await asyncio.sleep(60)
            return await known(host, *arguments, **named)

        monkeypatch.setattr(loop, "getaddrinfo", slow)
        yield "http://provider.invalid/v1"


@BOTH
@pytest.mark.parametrize("kind", ["dns", "tcp", "tls"])
async def test_connect_timeout_bounds_the_wait_for_a_connection(
    kind: str, stream: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The connect timeout bounds name resolution, TCP and TLS."""
    async with unreachable(kind, monkeypatch) as address:
        async with calling(address, {"connect_s": 0.15}) as direct:
            asked = time.monotonic()
            with pytest.raises(UpstreamTimeout) as raised:
                await direct.ask(stream=stream)
            took = time.monotonic() - asked
        async with before(address, connect_timeout=0.15, timeout=60) as proxy, asyncio.timeout(20):
            reply = await proxy.post(chat(stream=stream))

    assert raised.value.cause is Cause.CONNECT_TIMEOUT
    assert 0.1 < took < SLOW_S
    assert (reply.status, reply.error["code"]) == (504, "upstream_timeout")
    assert "could not be reached in time" in reply.error["message"]
