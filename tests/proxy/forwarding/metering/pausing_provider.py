"""A provider that sends given bytes as its answer, and then waits, closes the connection or ends the answer."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Literal

from aiohttp import web

Then = Literal["end", "wait", "break"]


@dataclass
class PausingProvider:
    """Answers every request with *body*, and does *then* afterwards."""

    body: bytes = b""
    then: Then = "end"
    content_type: str = "text/event-stream"
    url: str = ""
    asked: list[Any] = field(default_factory=list)

    async def answer(self, request: web.Request) -> web.StreamResponse:
        """Send the body, and do what was asked."""
        self.asked.append(await request.json())
        response = web.StreamResponse(headers={"Content-Type": self.content_type})
        await response.prepare(request)
        await response.write(self.body)
        if self.then == "wait":
            await asyncio.sleep(3600)
        if self.then == "break":
            assert request.transport is not None
            await asyncio.sleep(0.05)
            request.transport.abort()
        return response


@asynccontextmanager
async def pausing(*events: Mapping[str, Any], then: Then) -> AsyncIterator[PausingProvider]:
    """Serve a provider that streams *events*. Anthropic's events have their type as their name."""
    lines = [
        (f"event: {event['type']}\n" if "type" in event else "") + f"data: {json.dumps(event)}\n\n"
        for event in events
    ]
    async with _serving(PausingProvider("".join(lines).encode(), then)) as provider:
        yield provider


@asynccontextmanager
async def answering(answer: Mapping[str, Any]) -> AsyncIterator[PausingProvider]:
    """Serve a provider with the whole *answer*."""
    async with _serving(PausingProvider(json.dumps(answer).encode(), "end", "application/json")) as provider:
        yield provider


@asynccontextmanager
async def _serving(provider: PausingProvider) -> AsyncIterator[PausingProvider]:
    app = web.Application()
    app.router.add_post("/{path:.*}", provider.answer)
    runner = web.AppRunner(app, handler_cancellation=True, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        provider.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
        yield provider
    finally:
        await runner.cleanup()
