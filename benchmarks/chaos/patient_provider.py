"""A provider that never finishes an answer, and records when the connection of each call was closed.

The provider has OpenAI's API. The prompt's first word says how far the answer gets, and its second word is the
request's number.
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from aiohttp import web

RETRY_AFTER_S = 5
"""The Retry-After of a refused call, in seconds. It is far longer than any wait of a run."""

_FOREVER_S = 600.0


@dataclass
class Call:
    """The provider's calls for one request. Times are in seconds on the event loop's clock."""

    times: int = 0
    under_way: asyncio.Event = field(default_factory=asyncio.Event)
    """Set once the call is refused, or waits for ever."""

    closed: asyncio.Event = field(default_factory=asyncio.Event)
    closed_at: float = 0.0


@dataclass
class PatientProvider:
    """The provider: its address, and the calls that it has received."""

    origin: str = ""
    calls: dict[int, Call] = field(default_factory=dict)
    open: Counter[str] = field(default_factory=Counter)

    def call(self, number: int) -> Call:
        """Return the record of the calls for the request *number*."""
        return self.calls.setdefault(number, Call())

    async def answer(self, request: web.Request) -> web.StreamResponse:
        """Answer as far as the prompt says, and then wait for the end of the connection."""
        body = await request.json()
        how, number = body["messages"][0]["content"].split()[:2]
        call = self.call(int(number))
        call.times += 1
        self.open[how] += 1
        try:
            return await self._answer(request, how, call)
        finally:
            self.open[how] -= 1
            call.closed_at = asyncio.get_running_loop().time()
            call.closed.set()

    async def _answer(self, request: web.Request, how: str, call: Call) -> web.StreamResponse:
        if how == "refused":
            call.under_way.set()
            error = {"message": "Slow down.", "type": "rate_limit_error", "param": None, "code": None}
            return web.json_response(
                {"error": error}, status=429, headers={"Retry-After": str(RETRY_AFTER_S)}
            )
        if how in ("held", "streaming"):
            response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
            await response.prepare(request)
            await response.write(_event({"role": "assistant", "content": ""}))
            if how == "streaming":
                await response.write(_event({"content": "Some words. "}))
        call.under_way.set()
        await asyncio.sleep(_FOREVER_S)
        raise AssertionError("nobody has closed the connection")


def _event(delta: dict[str, str]) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": None}
    chunk = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}
    return b"data: " + json.dumps(chunk).encode() + b"\n\n"


@asynccontextmanager
async def patient_provider(keep_alive_s: float) -> AsyncIterator[PatientProvider]:
    """Serve a :class:`PatientProvider` on loopback while the context lasts.

    Idle connections are closed after *keep_alive_s*.
    """
    provider = PatientProvider()
    app = web.Application()
    app.router.add_post("/v1/chat/completions", provider.answer)
    runner = web.AppRunner(
        app, handler_cancellation=True, access_log=None, shutdown_timeout=0.1, keepalive_timeout=keep_alive_s
    )
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        provider.origin = f"http://127.0.0.1:{runner.addresses[0][1]}"
        yield provider
    finally:
        await runner.cleanup()
