"""Applies the connection table's rules to the listeners: hooks in aiohttp's server, timers, a log line, counts.

aiohttp (3.14.5) has no time limit for a first request head. It reports each connection to its ``Server`` by the public
methods ``connection_made`` and ``connection_lost``. These methods are replaced here. The tests with real sockets fail
if aiohttp stops calling them.
"""

from __future__ import annotations

import asyncio
import select
from collections import Counter
from typing import Any

from aiohttp import web

from proxy.core.clients import client_at
from proxy.core.connection_table import Closing, Connections
from proxy.observability.logs import get_log
from proxy.observability.metrics.labelled import Counters

LINE_S = 60.0
"""Seconds between two log lines about closed connections."""

_SHED_AT_ONCE = 16
"""Connections that are closed at once when file descriptors have run out."""


class ConnectionGuard:
    """Closes the connections that *table* chooses, for all listeners of the process. Counts them in *closed*."""

    def __init__(self, table: Connections, closed: Counters) -> None:
        self._table = table
        table.has_unread = self._has_unread
        self._closed = closed
        self._transports: dict[asyncio.BaseProtocol, asyncio.Transport] = {}
        self._loop = asyncio.get_running_loop()
        self._sweep_timer: asyncio.TimerHandle | None = None
        self._line_timer: asyncio.TimerHandle | None = None
        self._unlogged: Counter[str] = Counter()

    @property
    def maximum(self) -> int:
        """The largest number of open connections."""
        return self._table.maximum

    def watch(self, server: web.Server) -> None:
        """Observe all connections of *server* from now on."""
        made, lost = server.connection_made, server.connection_lost

        def on_made(handler: web.RequestHandler, transport: asyncio.Transport) -> None:
            made(handler, transport)
            self._open(handler, transport)

        def on_lost(handler: web.RequestHandler, exc: BaseException | None = None) -> None:
            self._table.remove(handler)
            self._transports.pop(handler, None)
            lost(handler, exc)

        server.connection_made, server.connection_lost = on_made, on_lost  # type: ignore[method-assign]

    def on_loop_error(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """Handle an error of the event loop. If accept failed for lack of descriptors, close waiting connections.

        asyncio reports each failed accept, hundreds of thousands of times a minute. All other errors go to the default
        handler.
        """
        if context.get("message") != "socket.accept() out of system resource":
            loop.default_exception_handler(context)
            return
        shed = self._table.shed(_SHED_AT_ONCE)
        for closing in shed:
            self._close(closing)
        if not shed:
            self._count("descriptors")

    def close(self) -> None:
        """Stop the timers and write the last log line."""
        if self._sweep_timer is not None:
            self._sweep_timer.cancel()
        if self._line_timer is not None:
            self._line_timer.cancel()
            self._log_closed()

    def _open(self, handler: asyncio.BaseProtocol, transport: asyncio.Transport) -> None:
        peer = transport.get_extra_info("peername")
        self._transports[handler] = transport
        closing = self._table.open(handler, client_at(peer[0] if peer else None), self._loop.time())
        if closing is not None:
            self._close(closing)
        if self._sweep_timer is None:
            self._sweep()

    def _has_unread(self, handler: asyncio.BaseProtocol) -> bool:
        transport = self._transports.get(handler)
        raw = transport.get_extra_info("socket") if transport is not None else None
        if raw is None or raw.fileno() < 0:
            return False
        arrivals = select.poll()
        arrivals.register(raw.fileno(), select.POLLIN)
        return any(event & select.POLLIN and not event & select.POLLHUP for _, event in arrivals.poll(0))

    def _close(self, closing: Closing[asyncio.BaseProtocol]) -> None:
        transport = self._transports.pop(closing.key, None)
        if transport is not None:
            transport.abort()
        self._count(closing.reason.value)

    def _sweep(self) -> None:
        for closing in self._table.overdue(self._loop.time()):
            self._close(closing)
        deadline = self._table.next_deadline()
        self._sweep_timer = None if deadline is None else self._loop.call_at(deadline, self._sweep)

    def _count(self, reason: str) -> None:
        self._closed.labels(reason).inc()
        self._unlogged[reason] += 1
        if self._line_timer is None:
            self._log_closed()
            self._line_timer = self._loop.call_later(LINE_S, self._log_again)

    def _log_again(self) -> None:
        self._line_timer = self._loop.call_later(LINE_S, self._log_again) if self._unlogged else None
        self._log_closed()

    def _log_closed(self) -> None:
        if self._unlogged:
            get_log().warning(
                "connections_closed",
                open=len(self._table),
                maximum=self._table.maximum,
                closed=self._unlogged.total(),
                reasons=",".join(f"{reason}={count}" for reason, count in sorted(self._unlogged.items())),
            )
            self._unlogged.clear()
