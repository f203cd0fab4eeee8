"""A fake provider in a process of its own: ``python -m benchmarks.attack.provider``; it prints its port.

The first segment of a path says how it behaves (:mod:`benchmarks.attack.manners`), the rest which wire is spoken.
``GET /_seen`` tells how many calls each behaviour had, and the last body of each.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections import Counter
from contextlib import suppress

from aiohttp import web

from benchmarks.attack import manners

_LARGEST = 2**28


class Provider:
    """The calls so far, by behaviour."""

    def __init__(self) -> None:
        self.calls: Counter[str] = Counter()
        self.last: dict[str, bytes] = {}

    async def answer(self, request: web.Request) -> web.StreamResponse:
        """Read a call and behave as its path says."""
        manner, _, path = request.path.lstrip("/").partition("/")
        body = await request.read()
        self.calls[manner] += 1
        self.last[manner] = body
        return await manners.behave(manner, path, body, request, self.calls)

    async def seen(self, request: web.Request) -> web.Response:
        """Tell what came: the calls of a behaviour, and the end of its last body's text."""
        manner = request.query["manner"]
        last = self.last.get(manner, b"").decode("utf-8", "replace")
        return web.json_response({"calls": self.calls[manner], "last": last})


async def main() -> None:
    """Serve until the parent ends the process."""
    with suppress(OSError):
        os.nice(5)  # the attack's own provider must not take the core from the prober
    provider = Provider()
    app = web.Application(client_max_size=_LARGEST)
    app.router.add_get("/_seen", provider.seen)
    app.router.add_route("*", "/{rest:.*}", provider.answer)
    runner = web.AppRunner(app, handler_cancellation=True, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    print(json.dumps({"port": runner.addresses[0][1]}), flush=True)
    parent = os.getppid()
    while os.getppid() == parent:  # noqa: ASYNC110 - an orphan ends by itself
        await asyncio.sleep(0.5)


if __name__ == "__main__":
    asyncio.run(main())
