"""Tests with real Sentinels: the master is found through them, and found again after a failover."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import NamedTuple

import pytest

from proxy.config.redis_address import parse_redis_address
from proxy.state.external.backend import Entry, FaultKind, StoreFault
from proxy.state.redis.backend import RedisBackend
from tests.support.store_servers import (
    StoreServer,
    running_sentinel,
    valkey_server,
    wait_until,
    wait_until_replica,
)

FAILOVER_SECONDS = 30.0
ENTRIES = [Entry("a", b"value", 60)]


class Watched(NamedTuple):
    """A master and its replica, and a Sentinel that watches both."""

    master: StoreServer
    replica: StoreServer
    sentinel: StoreServer

    @property
    def url(self) -> str:
        """The address through the Sentinel, with a dead Sentinel before it."""
        return f"redis+sentinel://127.0.0.1:1,127.0.0.1:{self.sentinel.port}/main"


@pytest.fixture
def watched() -> Iterator[Watched]:
    """Run a master, a replica and a Sentinel that knows both."""
    with valkey_server() as master, valkey_server("--replicaof", f"127.0.0.1 {master.port}") as replica:
        wait_until_replica(replica)
        with running_sentinel(master, "main") as sentinel:
            wait_until(lambda: sentinel.command("SENTINEL", "REPLICAS", "main"))
            yield Watched(master, replica, sentinel)


async def write_until_it_works(backend: RedisBackend) -> set[FaultKind]:
    """Write every 50 ms until a write is accepted. Return the kinds of the failures before."""
    kinds = set[FaultKind]()
    async with asyncio.timeout(FAILOVER_SECONDS):
        while True:
            try:
                await backend.put(ENTRIES)
            except StoreFault as fault:
                kinds.add(fault.kind)
                await asyncio.sleep(0.05)
            else:
                return kinds


async def test_master_is_found_through_a_sentinel(watched: Watched) -> None:
    backend = RedisBackend(parse_redis_address(watched.url))
    await backend.open()
    await backend.put(ENTRIES)
    await backend.close()

    assert watched.master.command("GET", "a") == b"value"


async def test_new_master_is_found_after_the_old_one_was_killed(watched: Watched) -> None:
    backend = RedisBackend(parse_redis_address(watched.url))
    await backend.open()
    await asyncio.to_thread(watched.master.kill)
    kinds = await write_until_it_works(backend)
    await backend.close()

    assert FaultKind.CONNECTION in kinds
    assert watched.replica.command("GET", "a") == b"value"


async def test_new_master_is_found_after_the_old_one_froze(watched: Watched) -> None:
    """The frozen server's connections stay open, so only the missing replies show the failure."""
    backend = RedisBackend(parse_redis_address(watched.url))
    await backend.open()
    watched.master.freeze()
    kinds = await write_until_it_works(backend)
    await backend.close()

    assert FaultKind.TIMEOUT in kinds
    assert watched.replica.command("GET", "a") == b"value"


async def test_new_master_is_found_after_the_old_one_was_demoted(watched: Watched) -> None:
    """The old master answers on, as a replica that takes no writes. A Sentinel would take eight seconds for it."""
    backend = RedisBackend(parse_redis_address(watched.url))
    await backend.open()
    # refused until the Sentinel has asked the replica for its state
    await asyncio.to_thread(wait_until, lambda: watched.sentinel.command("SENTINEL", "FAILOVER", "main"))
    await asyncio.to_thread(wait_until, lambda: watched.replica.command("ROLE")[0] == b"master")
    watched.master.command("REPLICAOF", "127.0.0.1", watched.replica.port)
    kinds = await write_until_it_works(backend)
    await backend.close()

    assert FaultKind.READ_ONLY in kinds
    assert watched.replica.command("GET", "a") == b"value"
