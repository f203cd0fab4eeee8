"""Fixtures of real servers for the store, started once per file."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

import pytest

from proxy.config.redis_address import parse_redis_address
from proxy.state.redis.backend import RedisBackend
from tests.support.store_servers import StoreServer, redis_server, redis_server_binary, valkey_server


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give the servers more time than a request has, since the tests share few processors."""
    monkeypatch.setattr("proxy.state.redis.connection.CONNECT_S", 2.0)
    monkeypatch.setattr("proxy.state.redis.connection.REPLY_S", 2.0)
    monkeypatch.setattr("proxy.state.redis.connections.EXCHANGE_S", 5.0)


@pytest.fixture(scope="module")
def valkey() -> Iterator[StoreServer]:
    """Run a Valkey server."""
    with valkey_server() as server:
        yield server


@pytest.fixture(scope="module")
def redis_7() -> Iterator[StoreServer]:
    """Run the machine's own Redis server, the oldest supported version on Debian 12. Skip where it is missing."""
    if redis_server_binary() is None:
        pytest.skip("redis-server is not installed")
    with redis_server() as server:
        yield server


@pytest.fixture(params=["valkey", "redis_7"])
def server(request: pytest.FixtureRequest) -> StoreServer:
    """Return each server in turn, empty."""
    chosen: StoreServer = request.getfixturevalue(request.param)
    chosen.command("FLUSHALL")
    return chosen


@pytest.fixture
async def redis_backend(server: StoreServer) -> AsyncIterator[RedisBackend]:
    """Yield an open backend on each server in turn, which is empty."""
    backend = RedisBackend(parse_redis_address(server.url))
    await backend.open()
    try:
        yield backend
    finally:
        await backend.close()
