"""Resolves names that clients choose, each in a thread of its own.

A slow look-up blocks its thread for up to a minute, and cannot be cancelled. asyncio's own thread pool is small, and
upstream calls resolve their names in that pool. A client that names slow hosts would block these calls.
"""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

from aiohttp.abc import AbstractResolver, ResolveResult
from typing_extensions import override


class ThreadResolver(AbstractResolver):
    """Resolves one name after the other. The threads are daemons, so the process does not wait for them at its end."""

    def __init__(self) -> None:
        self._lookup: asyncio.Future[list[Any]] | None = None

    @override
    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        """Return the addresses of *host*. Raises OSError if it has none."""
        self._lookup = _start(host, port, family)
        return [
            ResolveResult(
                hostname=host,
                host=place[0],
                port=place[1],
                family=kind,
                proto=protocol,
                flags=socket.AI_NUMERICHOST | socket.AI_NUMERICSERV,
            )
            for kind, _, protocol, _, place in await asyncio.shield(self._lookup)
        ]

    def call_when_idle(self, call: Callable[[], None]) -> None:
        """Call *call* when no thread of this resolver runs: now, or when the running thread ends."""
        if self._lookup is None or self._lookup.done():
            call()
        else:
            self._lookup.add_done_callback(lambda _: call())

    @override
    async def close(self) -> None:
        return


def _start(host: str, port: int, family: socket.AddressFamily) -> asyncio.Future[list[Any]]:
    """Start a thread that resolves *host*, and return its result as a future."""
    loop = asyncio.get_running_loop()
    found: asyncio.Future[list[Any]] = loop.create_future()

    def look_up() -> None:
        tell: Callable[[], None]
        try:
            kind, flags = socket.SOCK_STREAM, socket.AI_ADDRCONFIG
            tell = partial(found.set_result, socket.getaddrinfo(host, port, family, kind, flags=flags))
        except (OSError, ValueError) as error:  # ValueError: a name that cannot be encoded
            tell = partial(found.set_exception, OSError(type(error).__name__))
        with suppress(RuntimeError):  # the loop is closed
            loop.call_soon_threadsafe(tell)

    try:
        threading.Thread(target=look_up, name="media-look-up", daemon=True).start()
    except RuntimeError:  # the system has no more threads
        found.set_exception(OSError("no thread for a look-up"))
    return found
