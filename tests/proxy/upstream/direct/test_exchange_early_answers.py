"""Tests of an answer that arrives before the whole request has been sent."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from tests.proxy.upstream.provider import GOOD, calling, whole
from tests.support.builders import user


async def test_connection_is_closed_when_the_answer_comes_before_the_request_was_sent() -> None:
    """The next call opens a new connection, since the old one still expects the rest of a request."""
    connections = 0

    async def answer_at_once(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal connections
        connections += 1
        await reader.readuntil(b"\r\n\r\n")
        writer.write(whole(GOOD))
        await over.wait()
        writer.transport.abort()

    over = asyncio.Event()
    server = await asyncio.start_server(answer_at_once, "127.0.0.1", 0)
    async with server, calling(server.sockets[0].getsockname()[1]) as direct:
        large = replace(direct, call=replace(direct.call, messages=[user("x" * 16 * 2**20)]))
        for _ in range(2):
            [answer] = await large.ask(stream=False)
            assert answer["choices"][0]["message"]["content"] == "Good day."
        over.set()

    assert connections == 2
