"""The ways in which a store fails, on a real server: how each fault begins, goes on and ends.

All functions block, and are called in a thread.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from random import Random

import redis

from tests.support.store_servers import StoreServer, reserved_port

_FULL_BYTES = 1_000_000
"""A limit that is below what an empty server needs, so that each write is refused."""

_GARBAGE_BYTES, _GARBAGE_S = 200, 3600


def _nothing(_: StoreServer) -> None:
    """Leave the server as it is."""


@dataclass(frozen=True)
class StoreFault:
    """One fault of a store."""

    name: str
    begin: Callable[[StoreServer], None]
    end: Callable[[StoreServer], None] = _nothing
    again: Callable[[StoreServer], None] = _nothing
    """Done every half second while the fault lasts."""

    answers: bool = True
    """False where the server does not answer, so that the circuit around the store opens."""

    writes: bool = False
    """True where the server goes on to take writes, so that signatures that it gets during the fault are found."""


def _fill(server: StoreServer) -> None:
    server.command("CONFIG", "SET", "maxmemory-policy", "noeviction")
    server.command("CONFIG", "SET", "maxmemory", _FULL_BYTES)


def _empty(server: StoreServer) -> None:
    server.command("CONFIG", "SET", "maxmemory", 0)


def _demote(server: StoreServer) -> None:
    with reserved_port() as nobody:
        server.command("REPLICAOF", "127.0.0.1", nobody)


def _promote(server: StoreServer) -> None:
    server.command("REPLICAOF", "NO", "ONE")


def _restore_empty(server: StoreServer) -> None:
    server.command("FLUSHALL")
    server.restart()


def litter(server: StoreServer, draw: Random | None = None) -> None:
    """Overwrite every value, half of them by random bytes and half by a list."""
    draw = draw or Random(0)
    with closing(redis.Redis("127.0.0.1", server.port, socket_timeout=10)) as client:
        pipe = client.pipeline(transaction=False)
        for name in client.scan_iter(count=1000):
            if draw.random() < 0.5:
                pipe.set(name, draw.randbytes(_GARBAGE_BYTES), ex=_GARBAGE_S)
            else:
                pipe.delete(name)
                pipe.rpush(name, draw.randbytes(_GARBAGE_BYTES))
        pipe.execute(raise_on_error=False)


FAULTS = (
    StoreFault("frozen", StoreServer.freeze, StoreServer.thaw, answers=False),
    StoreFault("killed", StoreServer.kill, StoreServer.start, answers=False),
    StoreFault("full", _fill, _empty),
    StoreFault("demoted", _demote, _promote),
    StoreFault("restored empty", _restore_empty, writes=True),
    StoreFault("garbage", litter, again=litter, writes=True),
)


def commands_served(server: StoreServer) -> int:
    """Return the number of commands that the server has served since its start, without ``INFO`` and ``PING``."""
    found = 0
    reply: bytes = server.command("INFO", "commandstats")
    for line in reply.decode().splitlines():
        name, _, counts = line.partition(":")
        if name.startswith("cmdstat_") and name not in ("cmdstat_ping", "cmdstat_info"):
            found += int(counts.removeprefix("calls=").partition(",")[0])
    return found
