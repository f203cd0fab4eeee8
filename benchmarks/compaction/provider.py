"""A provider on loopback with OpenAI's API and two models: one answers conversations, the other one summarizes.

The model of conversations answers each request with the same text. The provider keeps the newest request of each
conversation. The summarizer's answers come from a function of the driver.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from typing import Any

import orjson
from aiohttp import web

SUMMARISER = "scripted-cheap"
"""The provider's name of the model that summarizes. Every other name is a model of conversations."""

_MAX_BODY = 64 * 2**20


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer of the summarizer. *raw* is the body, where it is not the JSON of a chat completion."""

    text: str | None = None
    finish: str = "stop"
    status: int = 200
    delay_s: float = 0.0
    calls: tuple[dict[str, Any], ...] = ()
    raw: bytes | None = None


Summarise = Callable[[str], Answer]
"""Takes the data of a request to the summarizer, without the fences, and returns the answer."""


@dataclass
class Provider:
    """The running provider.

    *last* holds the newest request of each conversation, by the request's field ``user``. *summaries* are the requests
    to the summarizer. *running* is the number of summarizer calls that have no answer yet.
    """

    summarise: Summarise
    origin: str = ""
    last: dict[str, bytes] = field(default_factory=dict)
    requests: int = 0
    summaries: list[dict[str, Any]] = field(default_factory=list)
    running: int = 0
    reports_usage: bool = True
    """False where the answers to conversations report no tokens, so that the proxy learns no token factor."""

    reads: bool = True
    """False where the requests of conversations are answered unread, and none is kept."""

    @property
    def api_base(self) -> str:
        """The ``api_base`` of a deployment."""
        return f"{self.origin}/v1"

    def messages(self, user: str) -> list[dict[str, Any]]:
        """Return the messages of the newest request of the conversation *user*."""
        found: list[dict[str, Any]] = orjson.loads(self.last[user])["messages"]
        return found

    async def answer(self, request: web.Request) -> web.Response:
        """Answer one call of the API."""
        raw = await request.read()
        if not self.reads and SUMMARISER.encode() not in raw[:200] + raw[-200:]:
            return _completion("unread", {"role": "assistant", "content": "Noted."}, "stop", len(raw))
        body = orjson.loads(raw)
        if body["model"] == SUMMARISER:
            return await self._summarise(body, len(raw))
        self.requests += 1
        self.last[body.get("user", "")] = raw
        size = len(raw) if self.reports_usage else None
        return _completion(body["model"], {"role": "assistant", "content": "Noted."}, "stop", size)

    async def _summarise(self, body: dict[str, Any], size: int) -> web.Response:
        self.summaries.append(body)
        self.running += 1
        try:
            said = self.summarise(data_of(body["messages"][-1]["content"]))
            await asyncio.sleep(said.delay_s)
        finally:
            self.running -= 1
        if said.raw is not None:
            return web.Response(body=said.raw, status=said.status, content_type="application/json")
        if said.status != 200:
            error = {"message": "Refused by the script.", "type": "error", "param": None, "code": None}
            return web.json_response({"error": error}, status=said.status)
        message: dict[str, Any] = {"role": "assistant", "content": said.text}
        if said.calls:
            message["tool_calls"] = list(said.calls)
        return _completion(body["model"], message, said.finish, size)


def data_of(content: str) -> str:
    """Return the data between the two fences of *content*. The first line is the fence."""
    fence, _, rest = content.partition("\n")
    return rest.rpartition(f"\n{fence}")[0]


def _completion(model: str, message: dict[str, Any], finish: str, size: int | None) -> web.Response:
    """Return an answer to a prompt of *size* bytes. Without a size, the answer reports no tokens."""
    body = {
        "id": "chatcmpl-scripted",
        "object": "chat.completion",
        "created": 1_760_000_000,
        "model": model,
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
    }
    if size is not None:
        prompt = size // 4
        body["usage"] = {"prompt_tokens": prompt, "completion_tokens": 3, "total_tokens": prompt + 3}
    return web.Response(body=orjson.dumps(body), content_type="application/json")


@asynccontextmanager
async def providing(summarise: Summarise) -> AsyncIterator[Provider]:
    """Serve a provider on loopback while the context lasts."""
    provider = Provider(summarise)
    app = web.Application(client_max_size=_MAX_BODY)
    app.router.add_post("/v1/chat/completions", provider.answer)
    runner = web.AppRunner(app, handler_cancellation=True, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        provider.origin = f"http://127.0.0.1:{runner.addresses[0][1]}"
        yield provider
    finally:
        await runner.cleanup()


@contextmanager
def providing_in_a_thread(summarise: Summarise, *, reads: bool = True) -> Iterator[Provider]:
    """Serve a provider from another thread while the context lasts."""
    ready, stop = threading.Event(), asyncio.Event()
    loop = asyncio.new_event_loop()
    found: list[Provider] = []

    async def run() -> None:
        async with providing(summarise) as provider:
            provider.reads = reads
            found.append(provider)
            ready.set()
            await stop.wait()

    thread = threading.Thread(target=lambda: loop.run_until_complete(run()), name="scripted-provider")
    thread.start()
    try:
        if not ready.wait(60):
            raise TimeoutError("the provider does not start")
        yield found[0]
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join()
        loop.close()
