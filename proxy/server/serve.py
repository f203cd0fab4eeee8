"""The life of the serving process.

    start ─▶ listen (not ready) ─▶ warm ─▶ ready ──SIGTERM──▶ drain delay ─▶ grace ─▶ cut off ─▶ exit 0

After SIGTERM or SIGINT the process ends in these steps:

1. ``/readyz`` fails. For the drain delay new requests are still served, since load balancers need time to notice. Each
   answer closes its connection, since a request sent to an idle connection at its close would be lost.
2. The listener closes. Requests in flight have the grace period to end.
3. The remaining requests get an error event and are cancelled.
4. Two seconds later the process has ended, whatever its threads do (:mod:`proxy.server.process_end`).

A second signal exits at once. The first signal ends a process that is not ready yet. The admin listener stays open
until the end. A changed configuration is applied (:mod:`proxy.server.reload`) from ready until the first signal.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass

from aiohttp import web

from proxy.config import Settings
from proxy.core.lifecycle import Lifecycle
from proxy.forwarding.gateway import Current, Gateway
from proxy.observability.logs import get_log
from proxy.observability.tracing import Tracing
from proxy.server.app import create_admin_app, create_app, create_gateway
from proxy.server.connections.guard import ConnectionGuard
from proxy.server.connections.limits import accepted_at_once, descriptor_limit
from proxy.server.event_loop import name_loop
from proxy.server.fast_router import route_fast
from proxy.server.process_end import ProcessEnd
from proxy.server.reload.reloader import Reloader
from proxy.server.store_run import running_store
from proxy.server.warm_up_budgets import warm_up_budgets
from proxy.state.sessions.describe_sessions import describe_sessions
from proxy.upstream import Upstream

_STOPPED_TWICE = 130
"""Exit status after a second signal: 128 + SIGINT, as in shells."""

_IDLE_S = 620.0
"""The most seconds between two requests of a connection. Google's load balancers reuse one for up to 600 seconds.

The first request head must come sooner (:mod:`proxy.server.connections`).
"""

_QUEUE = 1024
"""Connections that may wait in the kernel to be accepted. The kernel has a limit of its own (``somaxconn``)."""

_QUEUE_SHARE = 16
"""With uvloop, a sixteenth of all connections may wait in the kernel, since uvloop accepts them in one iteration."""

_FLUSH_S = 1.0
"""Seconds for sending the last error events after the requests are cancelled."""

_FORCE_AFTER_S = 1.5
"""Seconds after the grace period until the process is ended by force. The documentation promises two seconds."""


@dataclass(frozen=True, slots=True)
class Serving:
    """A listening process: its gateway, the API's address, and the admin listener's port if there is one."""

    current: Current
    api: web.Application
    host: str
    port: int
    admin_port: int | None
    api_listener: asyncio.AbstractServer

    @property
    def gateway(self) -> Gateway:
        """The gateway that new requests get."""
        return self.current.gateway

    @property
    def base_url(self) -> str:
        """The address that clients use as their base URL."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}/v1"


@contextlib.asynccontextmanager
async def serving(
    settings: Settings, upstream: Upstream, tracing: Tracing | None = None, *, host: str, port: int
) -> AsyncIterator[Serving]:
    """Listen on *host* and *port*, warm up, and yield when ready. Closes everything at the end.

    Port 0 lets the kernel choose. Raises :class:`OSError` if the address is taken, and
    :class:`proxy.state.external.backend.StoreInUse` if another process uses the store's file.
    """
    gateway = create_gateway(settings, upstream, tracing)
    current = Current(gateway)
    async with contextlib.AsyncExitStack() as stack:
        if tracing is not None:
            stack.push_async_callback(tracing.close)  # closed last, so that the last requests have spans too
        stack.push_async_callback(upstream.close)
        stack.enter_context(gateway.metrics.loop_lag.watching())
        stack.enter_context(gateway.lifecycle.watching_deadlines())
        guard = ConnectionGuard(gateway.connections, gateway.metrics.connections_closed)
        stack.callback(guard.close)
        loop = asyncio.get_running_loop()
        stack.callback(loop.set_exception_handler, loop.get_exception_handler())
        loop.set_exception_handler(guard.on_loop_error)
        await stack.enter_async_context(running_store(gateway))  # before anybody can connect
        stack.push_async_callback(gateway.summaries.close)
        admin_port = None
        admin = settings.general_settings.admin
        if admin is not None:
            _, admin_port = await _listen(stack, guard, create_admin_app(current), admin.host, admin.port)
        api = create_app(current)
        listener, api_port = await _listen(stack, guard, api, host, port)
        try:
            await asyncio.gather(upstream.start(), asyncio.to_thread(warm_up_budgets, settings))
        except asyncio.CancelledError:
            await _cut_off(gateway.lifecycle)  # requests that wait for the start get an error
            raise
        gateway.lifecycle.ready = True
        yield Serving(current, api, host, api_port, admin_port, listener)


async def _listen(
    stack: contextlib.AsyncExitStack, guard: ConnectionGuard, app: web.Application, host: str, port: int
) -> tuple[asyncio.AbstractServer, int]:
    # With handler_cancellation, a disconnected client cancels its handler, and with it the upstream call.
    runner = web.AppRunner(
        app,
        handler_cancellation=True,
        access_log=None,
        shutdown_timeout=_FLUSH_S,
        keepalive_timeout=_IDLE_S,
        auto_decompress=False,  # read_body unpacks, after the key check
        lingering_time=0.0,  # close_unread ends connections with an unread body
    )
    await runner.setup()
    server = runner.server
    assert server is not None  # AppRunner.setup has created it
    server.request_handler = route_fast(app, server.request_handler)
    guard.watch(server)
    stack.push_async_callback(runner.cleanup)
    # Not aiohttp's TCPSite: asyncio also takes its backlog as the number of connections to accept in one iteration.
    backlog = accepted_at_once(descriptor_limit())
    loop = asyncio.get_running_loop()
    listener = await loop.create_server(server, host, port, reuse_address=True, backlog=backlog)
    stack.callback(listener.close)
    queue = _QUEUE
    if name_loop(loop) != "asyncio":
        queue = min(queue, max(8, guard.maximum // _QUEUE_SHARE))
    for listening in listener.sockets:
        with socket.socket(fileno=os.dup(listening.fileno())) as same:
            same.listen(queue)
    return listener, listener.sockets[0].getsockname()[1]


class _StopSignals:
    """The signals that end the process. The first one drains, the second one exits at once."""

    def __init__(self, end: ProcessEnd) -> None:
        self.requested = asyncio.Event()
        self.server: Serving | None = None  # None before the process is ready
        self._end = end
        self._task = asyncio.current_task()

    def on_signal(self) -> None:
        """End the process within the drain delay, the grace period and :data:`_FORCE_AFTER_S`. A second call exits."""
        if self.requested.is_set():
            os._exit(_STOPPED_TWICE)  # SystemExit would wait for requests in flight, and for litellm's import
        self.requested.set()
        if self.server is not None:
            general = self.server.gateway.settings.general_settings
            self._end.force_after(general.drain_delay + general.drain_grace + _FORCE_AFTER_S)
        else:
            self._end.force_after(_FORCE_AFTER_S)
            if self._task is not None:
                self._task.cancel()


@dataclass(frozen=True, slots=True)
class Service:
    """The settings, upstream and tracing of the API, and its address. Port 0 lets the kernel choose.

    *on_ready* is called with the base URL as soon as requests are served.
    """

    settings: Settings
    upstream: Upstream
    tracing: Tracing | None
    host: str
    port: int
    on_ready: Callable[[str], None] = lambda _: None


async def serve(service: Service, reloader: Reloader, end: ProcessEnd) -> int:
    """Serve until a signal comes, drain, and return the exit status 0.

    *reloader* replaces the settings while the process serves. *end* ends the process in time, even if this coroutine
    does not return.
    """
    stop = _StopSignals(end)
    loop = asyncio.get_running_loop()
    for name in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(name, stop.on_signal)
    loop.add_signal_handler(signal.SIGHUP, reloader.request_reload)
    try:
        async with (
            serving(
                service.settings, service.upstream, service.tracing, host=service.host, port=service.port
            ) as server,
            asyncio.TaskGroup() as group,
        ):
            stop.server = server
            get_log().info(
                "ready",
                host=service.host,
                port=server.port,
                admin_port=server.admin_port,
                base_url=server.base_url,
                event_loop=name_loop(loop),
                sessions=describe_sessions(service.settings.sessions, service.settings.store),
            )
            service.on_ready(server.base_url)
            reloading = group.create_task(reloader.run(server.current, server.api))
            await stop.requested.wait()
            reloading.cancel()
            await drain(server, server.gateway.settings)
    except asyncio.CancelledError:
        if not stop.requested.is_set():
            raise  # the cancellation did not come from a signal
    end.log_stopped()
    return 0


async def drain(server: Serving, settings: Settings) -> None:
    """Accept new requests for the drain delay, wait the grace period for requests in flight, then cancel the rest."""
    general, lifecycle = settings.general_settings, server.gateway.lifecycle
    lifecycle.ready, lifecycle.draining = False, True
    get_log().info("draining", in_flight=len(lifecycle.in_flight), delay_s=general.drain_delay)
    await asyncio.sleep(general.drain_delay)
    server.api_listener.close()
    clock = asyncio.get_running_loop().time
    end = clock() + general.drain_grace
    while lifecycle.in_flight and (left := end - clock()) > 0:
        await asyncio.wait(tuple(lifecycle.in_flight), timeout=min(left, 0.5))
    await _cut_off(lifecycle)
    server.gateway.refusals.log_counts()


async def _cut_off(lifecycle: Lifecycle) -> None:
    """Cancel the requests in flight, and give them a moment to send their errors."""
    if lifecycle.in_flight:
        get_log().warning("cut_off", in_flight=len(lifecycle.in_flight))
        lifecycle.cut_off()
        await asyncio.wait(tuple(lifecycle.in_flight), timeout=_FLUSH_S)
