"""Run a fake provider, which prints its port: ``python -m benchmarks.attack.provider NICE``.

The first segment of a path names the behaviour (:mod:`benchmarks.attack.manners`). The rest of the path selects the
API. ``GET /_calls?manner=NAME`` returns the number of calls to a behaviour, and ``GET /_last?manner=NAME`` returns the
body of its last call.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections import Counter

from aiohttp import web

from benchmarks.attack import manners

_LARGEST = 2**28


class Provider:
    """The number of calls so far and the body of the last call, by behaviour."""

    def __init__(self) -> None:
        self.calls: Counter[str] = Counter()
        self.last: dict[str, bytes] = {}

    async def answer(self, request: web.Request) -> web.StreamResponse:
        """Record a call, and answer with the behaviour that its path names."""
        manner, _, path = request.path.lstrip("/").partition("/")
        body = await request.read()
        self.calls[manner] += 1
        self.last[manner] = body
        return await manners.behave(manner, path, body, request, self.calls)

    async def seen(self, request: web.Request) -> web.Response:
        """Return the number of calls to a behaviour."""
        return web.json_response(self.calls[request.query["manner"]])

    async def last_body(self, request: web.Request) -> web.Response:
        """Return the last body that was sent to a behaviour."""
        return web.Response(body=self.last.get(request.query["manner"], b""))


async def main() -> None:
    """Serve until the parent ends the process."""
    os.nice(int(sys.argv[1]))
    provider = Provider()
    app = web.Application(client_max_size=_LARGEST)
    app.router.add_get("/_calls", provider.seen)
    app.router.add_get("/_last", provider.last_body)
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
