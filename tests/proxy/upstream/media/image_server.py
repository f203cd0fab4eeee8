"""A server of images on loopback that can be slow, endless or large."""

from __future__ import annotations

import asyncio
import socket
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from aiohttp import web
from aiohttp.abc import AbstractResolver, ResolveResult
from typing_extensions import override

PNG = b"\x89PNG\r\n\x1a\n" + bytes(24)
JPEG = b"\xff\xd8\xff\xe0" + bytes(24)
MIB = 2**20


@dataclass(slots=True)
class ImageServer:
    """A running server. *hits* counts the requests by path, and *heads* holds the headers of each request."""

    port: int
    hits: Counter[str] = field(default_factory=Counter)
    heads: list[dict[str, str]] = field(default_factory=list)

    def url(self, path: str, host: str = "images.test") -> str:
        """Return the URL of *path* on this server. The test's :class:`Names` resolves *host*."""
        return f"http://{host}:{self.port}{path}"


class Names(AbstractResolver):
    """Resolves from a table. Each look-up of a name returns its next list of addresses. The last list is repeated."""

    def __init__(self, **answers: list[list[str]]) -> None:
        self._answers = {name.replace("_", "."): list(given) for name, given in answers.items()}
        self.asked: list[str] = []

    @override
    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        self.asked.append(host)
        answers = self._answers[host]
        addresses = answers.pop(0) if len(answers) > 1 else answers[0]
        return [
            ResolveResult(
                hostname=host,
                host=address,
                port=port,
                family=socket.AF_INET,
                proto=0,
                flags=socket.AI_NUMERICHOST,
            )
            for address in addresses
        ]

    @override
    async def close(self) -> None:
        return


@asynccontextmanager
async def serving_images() -> AsyncIterator[ImageServer]:
    """Serve images on a port that the kernel chooses."""
    server = ImageServer(0)

    async def handle(request: web.Request) -> web.StreamResponse:
        server.hits[request.path] += 1
        server.heads.append(dict(request.headers))
        return await _answer(request)

    app = web.Application()
    app.router.add_get("/{path:.*}", handle)
    runner = web.AppRunner(app, shutdown_timeout=0, handler_cancellation=True)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    server.port = runner.addresses[0][1]
    try:
        yield server
    finally:
        await runner.cleanup()


async def _answer(request: web.Request) -> web.StreamResponse:
    path = request.path
    if path.startswith("/to/"):
        _, _, left = path.partition("/to/")
        raise web.HTTPFound(request.query.get("url") or (f"/to/{int(left) - 1}" if int(left) else "/a.png"))
    if path == "/a.jpg":
        return web.Response(body=JPEG, content_type="image/png")  # it says what it is not
    if path == "/page":
        return web.Response(text="<html>", content_type="image/png")
    if path == "/missing":
        return web.Response(status=404)
    if path == "/zipped":
        return web.Response(body=PNG, headers={"Content-Encoding": "gzip"})
    if path.startswith("/large/"):
        return web.Response(body=PNG + bytes(int(path.rpartition("/")[2])))
    response = web.StreamResponse()
    if path == "/endless":
        await response.prepare(request)
        while True:
            await response.write(PNG + bytes(65_536))
    if path == "/slow":
        await response.prepare(request)
        await response.write(PNG)
        await asyncio.sleep(60)
    if path == "/silent":
        await asyncio.sleep(60)
    return web.Response(body=PNG)
