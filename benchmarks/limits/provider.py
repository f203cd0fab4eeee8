"""A provider that bills: it answers as each request's plan says, and keeps an account to the nano-dollar.

The provider runs in the driver's event loop. A prompt carries the number of its request, and the driver sets the plan
of that number before it sends the request. A call that ends early is billed for what the
provider had written until then, as real providers do.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

import orjson
from aiohttp import web

from benchmarks.limits.bill import Account, Prices, Usage
from benchmarks.limits.texts import count_prompt, find_number, words
from benchmarks.limits.wires import (
    Answer,
    AnthropicMessages,
    BillingWire,
    GeminiContents,
    OpenAIChat,
    openai_usage,
)

OPENAI, ANTHROPIC, GEMINI, EMBEDDING = (
    "gpt-4.1",
    "claude-sonnet-4-5",
    "gemini-2.5-pro",
    "text-embedding-3-small",
)

PRICES: Mapping[str, Prices] = {
    OPENAI: Prices("2", "8", "0.5"),
    ANTHROPIC: Prices("3", "15", "0.3", "3.75"),
    GEMINI: Prices("1.25", "10", "0.3125"),
    EMBEDDING: Prices("0.02", "0", "0"),
}
"""Dollars for a million tokens. They are the operator's own, so that a newer table changes nothing here."""

_FOREVER_S = 600.0

CLAUDE_SHARE = 1.04
"""The tokens that Claude's vocabulary takes for one of the words, by turnright's estimator."""

OWN_LIMITS = {
    "x-ratelimit-limit-requests": "7777",
    "x-ratelimit-remaining-tokens": "7777",
    "retry-after-ms": "7777",
}
"""Headers about the provider's own account, which no client is to see."""

BUSY, EMPTY, CUT = "busy", "empty", "cut"
"""Faults of one call: a 503 that costs nothing, a whole answer without text, and a stream whose connection breaks."""


@dataclass
class Plan:
    """The provider's answer to one request.

    *faults* are those of its first calls, each for one call. *pace_s* is the time between two pieces of a stream, or
    before a whole answer.
    """

    output: int = 20
    cached: int = 0
    written: int = 0
    reasoning: int = 0
    faults: list[str] = field(default_factory=list)
    piece_words: int = 4
    pace_s: float = 0.0
    held_after: int | None = None
    """The number of pieces after which a stream stands still until its client leaves. None: it goes on to its end."""


@dataclass
class BillingProvider:
    """The running provider: its address, the plans by the numbers of the requests, and its account."""

    origin: str = ""
    plans: dict[int, Plan] = field(default_factory=dict)
    account: Account = field(default_factory=lambda: Account(PRICES))
    calls: Counter[int] = field(default_factory=Counter)
    """The calls for each request."""

    running: int = 0
    """Calls that have not ended yet."""

    async def chat(self, request: web.Request) -> web.StreamResponse:
        """Answer a call on OpenAI's wire."""
        body = orjson.loads(await request.read())
        text = _text_of(body["messages"])
        says = bool((body.get("stream_options") or {}).get("include_usage"))
        return await self._answer(request, OpenAIChat(), OPENAI, text, says if body.get("stream") else None)

    async def messages(self, request: web.Request) -> web.StreamResponse:
        """Answer a call on Anthropic's wire."""
        body = orjson.loads(await request.read())
        says = True if body.get("stream") else None
        return await self._answer(request, AnthropicMessages(), ANTHROPIC, _text_of(body["messages"]), says)

    async def contents(self, request: web.Request) -> web.StreamResponse:
        """Answer a call on Gemini's wire."""
        body = orjson.loads(await request.read())
        text = "".join(part.get("text", "") for part in body["contents"][-1]["parts"])
        says = True if "stream" in request.match_info["method"] else None
        return await self._answer(request, GeminiContents(), GEMINI, text, says)

    async def embeddings(self, request: web.Request) -> web.StreamResponse:
        """Answer a call for embeddings."""
        body = orjson.loads(await request.read())
        given = body["input"]
        text = given if isinstance(given, str) else given[0]
        number = find_number(text) or 0
        self.calls[number] += 1
        usage = Usage(count_prompt(text), 0)
        self.account.add(number, EMBEDDING, usage, said=True)
        data = [{"object": "embedding", "index": 0, "embedding": [0.5, 0.5]}]
        said = {"prompt_tokens": usage.prompt, "total_tokens": usage.prompt}
        return web.json_response({"object": "list", "data": data, "model": "m", "usage": said})

    async def completions(self, request: web.Request) -> web.StreamResponse:
        """Answer a call for a text completion."""
        body = orjson.loads(await request.read())
        given = body["prompt"]
        text = given if isinstance(given, str) else given[0]
        number = find_number(text) or 0
        self.calls[number] += 1
        answer = self._plan_answer(number, text, OPENAI)
        self.account.add(number, OPENAI, answer.usage, said=True)
        choice = {"index": 0, "text": answer.text, "finish_reason": "stop", "logprobs": None}
        head = {"id": "c1", "object": "text_completion", "created": 1, "model": "m"}
        return web.json_response({**head, "choices": [choice], "usage": openai_usage(answer.usage)})

    async def _answer(
        self, request: web.Request, wire: BillingWire, model: str, text: str, says_usage: bool | None
    ) -> web.StreamResponse:
        """Answer a chat. *says_usage* is None for a whole answer."""
        number = find_number(text) or 0
        self.calls[number] += 1
        plan = self.plans.setdefault(number, Plan())
        fault = plan.faults.pop(0) if plan.faults else ""
        if fault == BUSY:
            return web.json_response({"error": {"message": "Overloaded.", "type": "overloaded"}}, status=503)
        answer = self._plan_answer(number, text, model)
        self.running += 1
        try:
            if says_usage is not None:
                return await self._stream(request, wire, model, answer, number, says_usage, cut=fault == CUT)
            if fault == EMPTY:
                answer = Answer([], replace(answer.usage, output=0, reasoning=0))
            await asyncio.sleep(plan.pace_s)
            self.account.add(number, model, answer.usage, said=True)
            return web.json_response(wire.whole(answer), headers=OWN_LIMITS)
        finally:
            self.running -= 1

    def _plan_answer(self, number: int, text: str, model: str) -> Answer:
        plan = self.plans.setdefault(number, Plan())
        share = CLAUDE_SHARE if model == ANTHROPIC else 1.0
        parts = words(Random(number), plan.output + plan.reasoning).split()
        size = plan.piece_words
        pieces = [" ".join(parts[at : at + size]) + " " for at in range(0, len(parts), size)]
        usage = Usage(
            prompt=round(count_prompt(text) * share),
            output=round(len(parts) * share),
            cached=plan.cached,
            written=plan.written,
            reasoning=plan.reasoning,
        )
        return Answer(pieces, usage, plan.reasoning // size if model == OPENAI else 0)

    async def _stream(
        self,
        request: web.Request,
        wire: BillingWire,
        model: str,
        answer: Answer,
        number: int,
        says_usage: bool,
        *,
        cut: bool,
    ) -> web.StreamResponse:
        plan, written, ended = self.plans[number], 0, False
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream", **OWN_LIMITS})
        try:
            await response.prepare(request)
            for event, place in wire.stream(answer, says_usage=says_usage):
                if place > written:
                    await asyncio.sleep(_FOREVER_S if written == plan.held_after else plan.pace_s)
                await response.write(event)
                written = place
                if cut and place > len(answer.pieces) // 2 and request.transport is not None:
                    request.transport.abort()
                    return response
            ended = True
            await response.write_eof()
            return response
        except ConnectionResetError:
            return response  # the gateway has left
        finally:
            usage = answer.usage if ended else _scaled(answer, written)
            self.account.add(number, model, usage, said=ended and says_usage)


def _scaled(answer: Answer, written: int) -> Usage:
    """Return the usage of an answer that ended behind its first *written* pieces."""
    share = written / max(1, len(answer.pieces))
    output = round(answer.usage.output * share)
    return replace(answer.usage, output=output, reasoning=min(output, answer.usage.reasoning))


def _text_of(messages: list[dict[str, Any]]) -> str:
    content = messages[-1]["content"]
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content)


@asynccontextmanager
async def billing_provider() -> AsyncIterator[BillingProvider]:
    """Serve a :class:`BillingProvider` on loopback while the context lasts."""
    provider = BillingProvider()
    app = web.Application(client_max_size=2**26)
    app.router.add_post("/v1/chat/completions", provider.chat)
    app.router.add_post("/v1/completions", provider.completions)
    app.router.add_post("/v1/embeddings", provider.embeddings)
    app.router.add_post("/v1/messages", provider.messages)
    app.router.add_post("/v1beta/models/{model}:{method}", provider.contents)
    runner = web.AppRunner(
        app, handler_cancellation=True, access_log=None, shutdown_timeout=0.1, keepalive_timeout=600
    )
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0, backlog=1024).start()
        provider.origin = f"http://127.0.0.1:{runner.addresses[0][1]}"
        yield provider
    finally:
        await runner.cleanup()
