"""Tests that an answer written at once has the bytes that aiohttp would write, and when this write is used."""

from __future__ import annotations

import asyncio
import json
import re

import pytest
from aiohttp import web

from proxy.forwarding.whole_answer import AT_ONCE, WholeAnswer
from tests.support.proxied import CHAT, Proxied, chat, proxied, settings_of
from tests.support.scripted_upstream import GOOD_ANSWER, ScriptedUpstream, answer

BODY = json.dumps(chat()).encode()
DATE = re.compile(rb"\r\nDate: \w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT\r\n")
TIMES = re.compile(rb"(overhead-ms: |\"created\":)[0-9.]+")


def request(*lines: str, version: str = "1.1") -> bytes:
    """Return the bytes of a chat request with the further header *lines*."""
    head = [
        f"POST {CHAT} HTTP/{version}",
        "Host: localhost",
        f"Content-Length: {len(BODY)}",
        "x-request-id: mine",
        *lines,
    ]
    return "\r\n".join([*head, "", ""]).encode() + BODY


async def ask(proxy: Proxied, sent: bytes, answers: int = 1) -> list[bytes]:
    """Send bytes on one connection, and return the answers, which must have a ``Content-Length``."""
    reader, writer = await asyncio.open_connection("127.0.0.1", proxy.server.port)
    writer.write(sent)
    got = []
    try:
        async with asyncio.timeout(30):
            for _ in range(answers):
                head = await reader.readuntil(b"\r\n\r\n")
                [length] = re.findall(rb"\r\nContent-Length: (\d+)\r\n", head)
                got.append(head + await reader.readexactly(int(length)))
    finally:
        writer.close()
    return got


@pytest.fixture
def left(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Return a list that collects the result of `write_at_once` for each answer."""
    said: list[bool] = []
    write_at_once = WholeAnswer.write_at_once

    def leaving(self: WholeAnswer, request: web.Request, request_id: str) -> bool:
        said.append(write_at_once(self, request, request_id))
        return said[-1]

    monkeypatch.setattr(WholeAnswer, "write_at_once", leaving)
    return said


def without_times(got: bytes) -> bytes:
    """Return the bytes of an answer without its times."""
    assert len(DATE.findall(got)) == 1
    return TIMES.sub(rb"\1", DATE.sub(b"\r\n", got))


async def test_answer_has_the_same_bytes_as_aiohttps(
    monkeypatch: pytest.MonkeyPatch, left: list[bool]
) -> None:
    """An answer written at once has the same status line, headers and body as aiohttp's, except for times."""
    texts = ["Good day.", "a\r\nb", "größer \U0001f600", "x" * 9_000]
    upstream = ScriptedUpstream(*([answer(text)] for text in texts for _ in range(2)))
    async with proxied(settings_of(), upstream) as proxy:
        for text in texts:
            [short] = await ask(proxy, request())
            with monkeypatch.context() as patched:
                patched.setattr(WholeAnswer, "write_at_once", lambda *_: False)
                [long] = await ask(proxy, request())

            assert without_times(short) == without_times(long), text
    assert left == [True] * len(texts)


async def test_connection_takes_further_requests_after_an_answer(left: list[bool]) -> None:
    """After an answer that was written at once, the connection takes further requests, also pipelined ones."""
    async with proxied(settings_of(), ScriptedUpstream(*[GOOD_ANSWER] * 3)) as proxy:
        got = await ask(proxy, request() * 3, answers=3)

    assert [one.startswith(b"HTTP/1.1 200 OK\r\n") for one in got] == [True] * 3
    assert left == [True] * 3


@pytest.mark.parametrize(
    ("sent", "connection"),
    [
        (request("Connection: close"), b"\r\nConnection: close\r\n"),
        (request("Connection: keep-alive", version="1.0"), b"\r\nConnection: keep-alive\r\n"),
        (request(version="1.0"), b"HTTP/1.0 200 OK\r\n"),
    ],
)
async def test_http_1_0_and_closing_connections_are_answered_by_aiohttp(
    sent: bytes, connection: bytes, left: list[bool]
) -> None:
    """Only HTTP/1.1 answers that keep their connection are written at once. aiohttp writes the others."""
    async with proxied(settings_of(), ScriptedUpstream(GOOD_ANSWER)) as proxy:
        [got] = await ask(proxy, sent)

    assert connection in got
    assert left == [False]


async def test_answer_closes_its_connection_while_draining(left: list[bool]) -> None:
    """While the process drains, an answer closes its connection, so that the client connects elsewhere."""
    async with proxied(settings_of(), ScriptedUpstream(GOOD_ANSWER)) as proxy:
        proxy.server.gateway.lifecycle.draining = True
        [got] = await ask(proxy, request())

    assert b"\r\nConnection: close\r\n" in got
    assert not left


async def test_large_answer_waits_for_the_transport(left: list[bool]) -> None:
    """A large answer is written by aiohttp, since the transport may not take all bytes at once."""
    async with proxied(settings_of(), ScriptedUpstream([answer("x" * AT_ONCE)])) as proxy:
        [got] = await ask(proxy, request())

    assert got.startswith(b"HTTP/1.1 200 OK\r\n")
    assert b"x" * AT_ONCE in got
    assert left == [False]


@pytest.mark.parametrize("value", ["a\r\nSet-Cookie: b", "a\nb", "a\x00b", "a\x7fb"])
async def test_header_value_with_a_line_break_is_refused(value: str) -> None:
    """A header value with a line break or a control character is not written at once."""
    answered = WholeAnswer(b"{}", {"x-turnright-model": value})

    async def handle(request: web.Request) -> web.StreamResponse:
        assert not answered.write_at_once(request, "r")
        return web.Response(text="kept")

    app = web.Application()
    app.router.add_get("/", handle)
    runner = web.AppRunner(app)
    await runner.setup()
    try:
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        reader, writer = await asyncio.open_connection(*runner.addresses[0][:2])
        writer.write(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        async with asyncio.timeout(30):
            assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 200 OK\r\n")
            assert await reader.readexactly(4) == b"kept"
        writer.close()
    finally:
        await runner.cleanup()
