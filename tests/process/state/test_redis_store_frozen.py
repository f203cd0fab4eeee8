"""Tests that a real server that is frozen costs a call its limit, once, and is used again when it goes on."""

from __future__ import annotations

import time

import pytest

from proxy.config.redis_address import parse_redis_address
from proxy.state.external.backend import FaultKind, StoreFault
from proxy.state.redis.backend import RedisBackend
from tests.support.store_servers import StoreServer

GENEROUS_S = 5.0
"""Far more than the limits of a call together, and far less than redis-py's own: a minute for a frozen server."""


@pytest.fixture(autouse=True)
def patient() -> None:
    """Keep the limits that a request has."""


async def test_frozen_server_is_a_timeout_and_is_used_again_once_it_goes_on(server: StoreServer) -> None:
    """The kernel accepts connections for a frozen server, which get no reply either."""
    server.command("SET", "a", "value")
    backend = RedisBackend(parse_redis_address(server.url))
    server.freeze()
    try:
        for _ in range(3):
            started = time.monotonic()
            with pytest.raises(StoreFault) as caught:
                await backend.get(["a"])
            assert caught.value.kind is FaultKind.TIMEOUT
            assert time.monotonic() - started < GENEROUS_S
    finally:
        server.thaw()
    found = await get_soon(backend)
    await backend.close()

    assert found == {"a": b"value"}


async def get_soon(backend: RedisBackend) -> object:
    """Return what stands there. A busy machine may need more than one attempt."""
    until = time.monotonic() + 10 * GENEROUS_S
    while True:
        try:
            return await backend.get(["a"])
        except StoreFault:
            if time.monotonic() > until:
                raise
