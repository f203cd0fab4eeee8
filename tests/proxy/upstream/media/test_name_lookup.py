"""Tests of the resolver that looks up image hosts in threads of its own, since clients choose the names."""

from __future__ import annotations

import asyncio
import socket
import threading
from typing import Any

import pytest

from proxy.upstream.media.name_lookup import ThreadResolver


async def test_system_s_addresses_are_returned_as_numbers() -> None:
    """Addresses come with the requested port. The flags keep aiohttp from a second look-up."""
    found = await ThreadResolver().resolve("localhost", 81)

    assert {(result["host"], result["port"]) for result in found} == {("127.0.0.1", 81)}
    assert {result["flags"] for result in found} == {socket.AI_NUMERICHOST | socket.AI_NUMERICSERV}


@pytest.mark.parametrize("error", [socket.gaierror(8, "who knows the name"), UnicodeError("label too long")])
async def test_a_name_without_addresses_is_an_os_error(
    error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name that cannot be resolved or encoded raises an ``OSError``. The error's text does not hold the name."""

    def fail(*given: Any, **named: Any) -> Any:
        raise error

    monkeypatch.setattr(socket, "getaddrinfo", fail)
    with pytest.raises(OSError, match=f"^{type(error).__name__}$"):
        await ThreadResolver().resolve("a.example")


async def test_an_idle_resolver_calls_at_once_and_a_busy_one_when_its_thread_ends(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A look-up cannot be cancelled, so the resolver is busy until the look-up's thread ends."""
    may_end, daemons = threading.Event(), []

    def wait(*given: Any, **named: Any) -> list[Any]:
        daemons.append(threading.current_thread().daemon)
        may_end.wait(30)
        return []

    monkeypatch.setattr(socket, "getaddrinfo", wait)
    resolver = ThreadResolver()
    idle: list[str] = []
    resolver.call_when_idle(lambda: idle.append("before"))
    assert idle == ["before"]

    async with asyncio.TaskGroup() as group:
        waiting = group.create_task(resolver.resolve("a.example"))
        await asyncio.sleep(0)
        waiting.cancel()
    ended = asyncio.Event()
    resolver.call_when_idle(ended.set)
    assert not ended.is_set()

    may_end.set()
    await asyncio.wait_for(ended.wait(), 30)
    assert daemons == [True]
