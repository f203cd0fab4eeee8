"""Stands between a client and the gateways, and records what they say to each other.

It sends the client's requests to several gateways in turn, and can take the envelopes out of the items, as a client
would that knows no ``encrypted_content``.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import ClientSession, ClientTimeout, DummyCookieJar, web

PATH = "/v1/responses"
THOUGHTS = ("thinking", "redacted_thinking")
HOP_BY_HOP = {
    "accept-encoding",
    "connection",
    "content-encoding",
    "content-length",
    "host",
    "transfer-encoding",
}
"""Headers of one connection, and those that would change the bytes of the answer."""


@dataclass
class Exchange:
    """A request of the client, and the answer. ``answer`` grows while it is relayed."""

    path: str
    request: Any
    status: int = 0
    is_stream: bool = False
    answer: bytearray = field(default_factory=bytearray)


class Relay:
    """A server on loopback. A test says where the requests go, and reads the exchanges."""

    def __init__(self) -> None:
        self.base_url = ""
        self.exchanges: list[Exchange] = []
        self._origins: Iterator[str] = iter(())
        self._strips = False

    def begin(self, *origins: str, strips: bool = False) -> None:
        """Forget the exchanges, and send the next requests to *origins* in turn.

        With *strips*, the requests lose the ``encrypted_content`` of their items, the thoughts of their messages, and
        the thoughts and signatures of their contents.
        """
        self.exchanges.clear()
        self._origins = itertools.cycle(origins)
        self._strips = strips

    @property
    def responses(self) -> list[Exchange]:
        """The exchanges of ``POST /v1/responses``."""
        return [exchange for exchange in self.exchanges if exchange.path == PATH]

    async def relay(self, request: web.Request, session: ClientSession) -> web.StreamResponse:
        """Send *request* on, and the answer back as it comes."""
        raw = await request.read()
        body = json.loads(raw) if raw else None
        exchange = Exchange(request.path, body)
        self.exchanges.append(exchange)
        if self._strips and body is not None:
            _strip(body)
            raw = json.dumps(body).encode()
        url = next(self._origins) + request.path_qs
        headers = {name: value for name, value in request.headers.items() if name.lower() not in HOP_BY_HOP}
        async with session.request(request.method, url, headers=headers, data=raw) as answer:
            exchange.status = answer.status
            exchange.is_stream = answer.content_type == "text/event-stream"
            kept = {name: value for name, value in answer.headers.items() if name.lower() not in HOP_BY_HOP}
            response = web.StreamResponse(status=answer.status, headers=kept)
            await response.prepare(request)
            async for chunk in answer.content.iter_any():
                exchange.answer += chunk
                await response.write(chunk)
            await response.write_eof()
        return response


def _strip(body: Any) -> None:
    items = body.get("input")
    for item in items if isinstance(items, list) else ():
        item.pop("encrypted_content", None)
    for message in body.get("messages", ()):
        if isinstance(message["content"], list):
            kept = [block for block in message["content"] if block["type"] not in THOUGHTS]
            message["content"] = kept
    for content in body.get("contents", ()):
        content["parts"] = [part for part in content["parts"] if not part.get("thought")]
        for part in content["parts"]:
            part.pop("thoughtSignature", None)


@contextmanager
def relaying() -> Iterator[Relay]:
    """Serve a relay in a thread while the context lasts."""
    relay, ready, stop, loop = Relay(), threading.Event(), asyncio.Event(), asyncio.new_event_loop()

    async def run() -> None:
        timeout = ClientTimeout(total=None)
        async with ClientSession(cookie_jar=DummyCookieJar(), timeout=timeout) as session:
            app = web.Application(client_max_size=64 * 1024 * 1024)

            async def handle(request: web.Request) -> web.StreamResponse:
                return await relay.relay(request, session)

            app.router.add_route("*", "/{path:.*}", handle)
            runner = web.AppRunner(app, handler_cancellation=True, access_log=None, shutdown_timeout=1.0)
            await runner.setup()
            try:
                await web.TCPSite(runner, "127.0.0.1", 0).start()
                relay.base_url = f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
                ready.set()
                await stop.wait()
            finally:
                await runner.cleanup()

    thread = threading.Thread(target=lambda: loop.run_until_complete(run()), name="relay")
    thread.start()
    try:
        assert ready.wait(60)
        yield relay
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join()
        loop.close()
