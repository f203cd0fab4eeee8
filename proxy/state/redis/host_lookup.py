"""Looks up the store's host name before a connection to it is made, in a thread of its own.

asyncio looks names up in the event loop's threads, which also look up providers and plan long requests. A look-up
cannot be cancelled. Against a resolver that hangs, one ping a second would take all of these threads within seconds.
So a connection is made only to a name that was resolved a moment before.
"""

from __future__ import annotations

import asyncio
import socket
import threading
from contextlib import suppress
from ipaddress import ip_address

from proxy.state.external.backend import FaultKind, StoreFault


class HostLookup:
    """The look-ups of the hosts of one store. Each host is looked up once at a time."""

    def __init__(self) -> None:
        self._running: dict[str, asyncio.Future[bool]] = {}

    async def check(self, host: str, port: int) -> None:
        """Return if *host* has an address now. Raises :class:`StoreFault` otherwise. The caller limits the wait."""
        if _is_address(host):
            return
        found = self._running.get(host)
        if found is None:
            loop = asyncio.get_running_loop()
            found = self._running[host] = loop.create_future()
            found.add_done_callback(lambda _: self._running.pop(host, None))
            threading.Thread(
                target=_look_up, args=(host, port, found, loop), name="turnright-store-lookup", daemon=True
            ).start()
        if not await asyncio.shield(found):
            raise StoreFault(FaultKind.CONNECTION, "the store's host name has no address")


def _is_address(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


def _look_up(host: str, port: int, found: asyncio.Future[bool], loop: asyncio.AbstractEventLoop) -> None:
    try:
        socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        has_address = True
    except (OSError, UnicodeError):
        has_address = False
    with suppress(RuntimeError):  # the event loop is closed
        loop.call_soon_threadsafe(found.set_result, has_address)
