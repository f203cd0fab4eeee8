"""Tests of the look-ups of the store's host name, with a resolver that does not answer."""

from __future__ import annotations

import asyncio
import socket
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

import pytest

from proxy.config.redis_address import parse_redis_address
from proxy.state.external.backend import FaultKind, StoreFault
from proxy.state.redis.connection import Reply
from proxy.state.redis.connections import RedisConnections
from proxy.state.redis.host_lookup import HostLookup
from tests.support.scripted_redis import OK, scripted_redis

RESOLVE = socket.getaddrinfo


class Resolver:
    """A resolver that answers for ``store.test`` only when :attr:`answers` is set."""

    def __init__(self) -> None:
        self.answers = threading.Event()
        self.asked = 0

    def __call__(self, host: Any, *rest: Any, **more: Any) -> Any:
        if host != "store.test":
            return RESOLVE(host, *rest, **more)
        self.asked += 1
        self.answers.wait(30.0)
        return RESOLVE("127.0.0.1", *rest, **more)


@pytest.fixture
def resolver(monkeypatch: pytest.MonkeyPatch) -> Resolver:
    """Return the resolver that the process asks."""
    made = Resolver()
    monkeypatch.setattr(socket, "getaddrinfo", made)
    return made


@pytest.mark.parametrize("url", ["redis://store.test:1/0", "redis+sentinel://store.test:1/name"])
async def test_resolver_that_hangs_takes_no_threads_of_requests(resolver: Resolver, url: str) -> None:
    """The event loop's threads, which look up providers and plan long requests, stay free."""
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(2))
    connections = RedisConnections(parse_redis_address(url))
    try:
        for _ in range(4):
            with pytest.raises(StoreFault):
                await connections.exchange([("PING",)])

        async with asyncio.timeout(5):
            assert await asyncio.to_thread(int, "7") == 7
        assert resolver.asked == 1
    finally:
        resolver.answers.set()


async def test_store_is_found_once_the_resolver_answers(resolver: Resolver) -> None:
    """The look-up that hung ends, and the next call connects."""
    async with scripted_redis(lambda _: OK) as script:
        connections = RedisConnections(parse_redis_address(f"redis://store.test:{script.port}/0"))
        with pytest.raises(StoreFault):
            await connections.exchange([("PING",)])
        resolver.answers.set()

        async with asyncio.timeout(5):
            replies: list[Reply] = []
            while not replies:
                with suppress(StoreFault):
                    replies = await connections.exchange([("PING",)])
        await connections.give_up()


async def test_name_without_an_address_is_a_fault() -> None:
    """The fault has no host in its words."""
    with pytest.raises(StoreFault) as caught:
        await HostLookup().check("nobody.invalid", 6379)

    assert (caught.value.kind, "nobody" in str(caught.value)) == (FaultKind.CONNECTION, False)


async def test_address_is_not_looked_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Numbers need no resolver, and no thread."""
    monkeypatch.setattr(socket, "getaddrinfo", None)

    for address in ("127.0.0.1", "::1"):
        await HostLookup().check(address, 6379)
