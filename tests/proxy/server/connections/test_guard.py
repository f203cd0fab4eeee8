"""Tests of the rules on client connections with real sockets, their log lines and their counts."""

from __future__ import annotations

import asyncio
import errno
from typing import Any

import pytest

from proxy.core import connection_table as table
from proxy.server.connections import guard
from tests.proxy.conftest import LogLines
from tests.support.proxied import CHAT, Proxied, chat, proxied, settings_of
from tests.support.scripted_upstream import GOOD_ANSWER, ScriptedUpstream

KEY = "tr-master-41"
KEYED = {"Authorization": f"Bearer {KEY}"}


async def connect(proxy: Proxied, sent: bytes = b"") -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Open a connection and send some bytes."""
    reader, writer = await asyncio.open_connection("127.0.0.1", proxy.server.port)
    writer.write(sent)
    return reader, writer


async def is_closed(reader: asyncio.StreamReader) -> bool:
    """Wait for the end of the connection. Return True if the process closes the connection."""
    try:
        async with asyncio.timeout(30):
            return await reader.read() == b""
    except ConnectionResetError:
        return True


async def open_connections(proxy: Proxied, count: int) -> None:
    """Wait until there are *count* connections."""
    async with asyncio.timeout(30):
        while len(proxy.server.gateway.connections) != count:  # noqa: ASYNC110 - there is no event for it
            await asyncio.sleep(0.01)


@pytest.mark.parametrize("sent", [b"", b"POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nX: "])
async def test_connection_without_a_whole_head_is_closed_in_time_and_counted(
    upstream: ScriptedUpstream, monkeypatch: pytest.MonkeyPatch, sent: bytes
) -> None:
    """The client sends nothing, or half of a request's head."""
    monkeypatch.setattr(table, "HEAD_S", 0.1)
    async with proxied(settings_of(), upstream) as proxy:
        reader, writer = await connect(proxy, sent)
        closed = await is_closed(reader)
        writer.close()
        counted = await proxy.count("connections_closed_total", reason="slow_head")

    assert (closed, counted) == (True, 1)


async def test_slow_bytes_of_a_head_do_not_extend_its_time(
    upstream: ScriptedUpstream, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A client that sends one byte after another is disconnected all the same."""
    monkeypatch.setattr(table, "HEAD_S", 0.3)
    async with proxied(settings_of(), upstream) as proxy:
        reader, writer = await connect(proxy, b"GET / HTTP/1.1\r\nHost: localhost\r\nX: ")
        reading = asyncio.get_running_loop().create_task(is_closed(reader))
        while not reading.done():
            writer.write(b"x")
            await asyncio.sleep(0.05)
        writer.close()

    assert reading.result()


@pytest.mark.parametrize(
    ("path", "headers"), [(CHAT, KEYED), (CHAT, {}), ("/livez", {}), ("/metrics", {}), ("/nowhere", KEYED)]
)
async def test_connection_that_sent_a_head_is_kept(
    upstream: ScriptedUpstream, monkeypatch: pytest.MonkeyPatch, path: str, headers: dict[str, str]
) -> None:
    """Clients, probes and scrapers reuse a connection, also after a refused key."""
    monkeypatch.setattr(table, "HEAD_S", 0.1)
    async with proxied(settings_of(general_settings={"master_key": KEY}), upstream) as proxy:
        first = await proxy.get(path, headers)
        await asyncio.sleep(0.3)
        again = await proxy.get(path, headers)
        counted = await proxy.count("connections_closed_total")
        ports = len(proxy.server.gateway.connections)

    assert first.status == again.status
    assert (counted, ports) == (0, 1)


async def test_silent_connections_are_closed_in_favour_of_a_client_with_a_key(
    upstream: ScriptedUpstream, log_lines: LogLines
) -> None:
    """The log has two lines for 56 closed connections."""
    upstream = ScriptedUpstream(GOOD_ANSWER)
    async with proxied(settings_of(general_settings={"master_key": KEY}), upstream) as proxy:
        proxy.server.gateway.connections.resize(16)
        assert (await proxy.post(chat(), headers=KEYED)).status == 200
        silent = [await connect(proxy) for _ in range(60)]
        served = [(await proxy.post(chat(), headers=KEYED)).status for _ in range(3)]
        opened, closed = await proxy.count("connections"), await proxy.count("connections_closed_total")
        for _, writer in silent:
            writer.close()

    assert served == [200] * 3
    assert opened == 5  # a quarter of 16, and the client's connection
    assert closed == 56
    logged = [line for line in log_lines() if line["event"] == "connections_closed"]
    assert [line["closed"] for line in logged] == [1, 55]  # the first is logged at once, the rest at the end
    assert (logged[-1]["open"], logged[-1]["maximum"], logged[-1]["reasons"]) == (0, 16, "address=55")


async def test_many_addresses_fill_all_places_and_no_more(
    upstream: ScriptedUpstream, log_lines: LogLines
) -> None:
    """The oldest silent connection is closed first."""
    async with proxied(settings_of(), upstream) as proxy:
        proxy.server.gateway.connections.resize(8)
        held = []
        for number in range(12):
            local = (f"127.0.0.{2 + number}", 0)
            held.append(await asyncio.open_connection("127.0.0.1", proxy.server.port, local_addr=local))
            await open_connections(proxy, min(8, number + 1))
        closed = [await is_closed(reader) for reader, _ in held[:4]]
        counted = await proxy.count("connections_closed_total", reason="maximum")
        for _, writer in held:
            writer.close()

    assert closed == [True] * 4
    assert counted == 5  # one for the request of the metrics
    assert log_lines()[0]["reasons"] == "maximum=1"


async def test_busy_connection_is_not_closed_and_a_new_one_is_refused() -> None:
    """A new connection is served when there is room again."""
    async with proxied(settings_of(), ScriptedUpstream(GOOD_ANSWER)) as proxy:
        connections = proxy.server.gateway.connections
        reply = await proxy.post(chat())
        connections.resize(1)
        [idle] = connections._idle
        connections.begin_request(idle)  # stands for a long request
        reader, writer = await connect(proxy)
        refused = await is_closed(reader)
        writer.close()
        connections.end_request(idle)
        after = await proxy.post(chat())

    assert (reply.status, refused, after.status) == (200, True, 200)


async def test_connection_closed_by_its_client_leaves_the_table(upstream: ScriptedUpstream) -> None:
    """The table holds open connections alone."""
    async with proxied(settings_of(), upstream) as proxy:
        several = [await connect(proxy) for _ in range(5)]
        await open_connections(proxy, 5)
        for _, writer in several:
            writer.close()
        await open_connections(proxy, 0)


async def test_failed_accepts_are_counted_and_close_a_silent_connection(
    upstream: ScriptedUpstream, log_lines: LogLines
) -> None:
    """The log has two lines for 1,000 failures."""
    failed: dict[str, Any] = {
        "message": "socket.accept() out of system resource",
        "exception": OSError(errno.EMFILE, "Too many open files"),
    }
    async with proxied(settings_of(), upstream) as proxy:
        reader, writer = await connect(proxy)
        await open_connections(proxy, 1)
        loop = asyncio.get_running_loop()
        for _ in range(1_000):
            loop.call_exception_handler(failed)
        closed = await is_closed(reader)
        writer.close()
        counted = await proxy.count("connections_closed_total", reason="descriptors")

    assert closed
    assert counted == 1_000
    assert [line["event"] for line in log_lines()] == ["connections_closed"] * 2


async def test_other_errors_of_the_event_loop_reach_the_default_handler(
    upstream: ScriptedUpstream, caplog: pytest.LogCaptureFixture
) -> None:
    """The former handler is restored at the end."""
    loop = asyncio.get_running_loop()
    before = loop.get_exception_handler()
    async with proxied(settings_of(), upstream):
        loop.call_exception_handler({"message": "something else"})

    assert "something else" in caplog.text
    assert loop.get_exception_handler() is before


async def test_closed_connections_are_logged_at_once_and_then_in_intervals(
    upstream: ScriptedUpstream, monkeypatch: pytest.MonkeyPatch, log_lines: LogLines
) -> None:
    """After an interval without closed connections, the next closed connection is logged at once."""
    monkeypatch.setattr(guard, "LINE_S", 0.2)
    async with proxied(settings_of(), upstream) as proxy:
        proxy.server.gateway.connections.resize(4)

        async def flood() -> None:
            for _ in range(6):
                _, writer = await connect(proxy)
                await open_connections(proxy, 1)
                writers.append(writer)

        writers: list[asyncio.StreamWriter] = []
        await flood()
        await asyncio.sleep(0.7)
        await flood()
        for writer in writers:
            writer.close()

    logged = [line["closed"] for line in log_lines() if line["event"] == "connections_closed"]
    assert logged[0] == 1
    assert sum(logged) == 11
    assert 3 <= len(logged) < 11
