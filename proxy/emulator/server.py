"""Runs an emulator on a port, for the command line, the demo and the tests.

A handler is cancelled when its client disconnects, which is not aiohttp's default. So the journal reports the
disconnect at once. The access log is off, because its lines would contain the key of a query string.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from aiohttp import web

from proxy.emulator.app import create_emulator

SHUTDOWN_SECONDS = 1.0
"""Seconds that answers in flight may go on after the shutdown began."""


@asynccontextmanager
async def serving(
    host: str = "127.0.0.1", port: int = 0, *, app: web.Application | None = None
) -> AsyncIterator[str]:
    """Serve an emulator while the context lasts and yield its base URL, ``http://host:port``.

    *port* 0 takes a free port. *app* is the result of ``create_emulator``, with default options if it is left out.
    Raises ``OSError`` if the port is taken.
    """
    runner = web.AppRunner(
        app if app is not None else create_emulator(),
        handler_cancellation=True,
        access_log=None,
        shutdown_timeout=SHUTDOWN_SECONDS,
    )
    await runner.setup()
    try:
        site = web.TCPSite(runner, host, port)
        await site.start()
        bound = runner.addresses[0]
        name = f"[{host}]" if ":" in host else host
        yield f"http://{name}:{bound[1]}"
    finally:
        await runner.cleanup()
