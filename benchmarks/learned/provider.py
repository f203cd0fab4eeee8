"""A provider on loopback that refuses what a driver wants refused, on OpenAI's wire and on Gemini's.

The provider notes each call under the mark of its request (:mod:`benchmarks.learned.conversations`). So a driver knows
how many calls a request cost, and what was accepted.
"""

from __future__ import annotations

import asyncio
import re
from collections import defaultdict
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import orjson
from aiohttp import web

Body: TypeAlias = dict[str, Any]
"""A request as the provider received it."""

_MARK = re.compile(rb"\[(\d+\.\d+)\]")
_WORDS = ("Noted", " and", " done", ".")


@dataclass(frozen=True, slots=True)
class Reply:
    """A reply that is no usual answer.

    A status other than 200 is an error with *words*. A reply waits *delay_s* seconds first. With *cut*, it is a stream
    that waits behind its first word, and whose connection then ends. *answer* replaces the usual whole answer.
    """

    status: int = 400
    words: str = ""
    delay_s: float = 0.0
    cut: bool = False
    answer: Body | None = None


Judge: TypeAlias = Callable[[Body], Reply | None]
"""Takes a request and returns the reply, or None for the usual answer."""


def refusing(refuse: Callable[[Body], str]) -> Judge:
    """Return a judge that refuses a request in the words of *refuse*, and accepts it where there are none."""

    def judge(body: Body) -> Reply | None:
        words = refuse(body)
        return Reply(words=words) if words else None

    return judge


@dataclass(frozen=True, slots=True)
class Call:
    """One call of the provider: its body, and the status of its reply."""

    body: Body
    status: int


@dataclass
class Provider:
    """The running provider. *calls* holds the calls of each request by its mark, oldest first."""

    judge: Judge
    origin: str = ""
    calls: dict[str, list[Call]] = field(default_factory=lambda: defaultdict(list))

    def base(self, route: str) -> str:
        """Return the ``api_base`` of a deployment on *route*."""
        return f"{self.origin}/v1beta" if route == "gemini" else f"{self.origin}/v1"

    def sent(self, mark: str) -> list[Body]:
        """Return the bodies of the calls of the request *mark*, oldest first."""
        return [call.body for call in self.calls[mark]]

    async def answer(self, request: web.Request) -> web.StreamResponse:
        """Answer one call."""
        raw = await request.read()
        body: Body = orjson.loads(raw)
        reply = self.judge(body) or Reply(200)
        mark = _MARK.findall(raw)[-1].decode()
        self.calls[mark].append(Call(body, reply.status))
        if reply.delay_s and not reply.cut:
            await asyncio.sleep(reply.delay_s)
        gemini = request.path.startswith("/v1beta")
        if reply.status != 200:
            return web.json_response(_error(reply, gemini=gemini), status=reply.status)
        streamed = "streamGenerateContent" in request.path or bool(body.get("stream"))
        if not streamed and not reply.cut:
            whole = reply.answer or _whole(gemini=gemini)
            return web.Response(body=orjson.dumps(whole), content_type="application/json")
        return await _stream(request, reply, gemini=gemini)


def _error(reply: Reply, *, gemini: bool) -> Body:
    if gemini:
        return {"error": {"code": reply.status, "message": reply.words, "status": "INVALID_ARGUMENT"}}
    return {"error": {"message": reply.words, "type": "invalid_request_error", "param": None, "code": None}}


def _whole(*, gemini: bool) -> Body:
    text = "".join(_WORDS)
    if gemini:
        return _gemini(text, finish="STOP")
    message = {"role": "assistant", "content": text}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    return {**_openai("chat.completion", choice), "usage": _USAGE}


async def _stream(request: web.Request, reply: Reply, *, gemini: bool) -> web.StreamResponse:
    """Write the answer as events. A cut answer ends with its connection, behind the first word."""
    response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
    await response.prepare(request)
    for number, word in enumerate(_WORDS):
        event = _gemini(word) if gemini else _openai("chat.completion.chunk", _delta({"content": word}))
        await response.write(b"data: " + orjson.dumps(event) + b"\n\n")
        if reply.cut and number == 0:
            await asyncio.sleep(reply.delay_s)
            assert request.transport is not None
            request.transport.abort()
            return response
    last = _gemini("", finish="STOP") if gemini else _openai("chat.completion.chunk", _delta({}, "stop"))
    await response.write(b"data: " + orjson.dumps(last) + b"\n\n" + (b"" if gemini else b"data: [DONE]\n\n"))
    return response


_USAGE = {"prompt_tokens": 9, "completion_tokens": 4, "total_tokens": 13}


def _openai(kind: str, choice: Body) -> Body:
    return {
        "id": "chatcmpl-1",
        "object": kind,
        "created": 1_760_000_000,
        "model": "strict",
        "choices": [choice],
    }


def _delta(delta: Body, finish: str | None = None) -> Body:
    return {"index": 0, "delta": delta, "finish_reason": finish}


def _gemini(text: str, finish: str | None = None) -> Body:
    candidate: Body = {"index": 0, "content": {"role": "model", "parts": [{"text": text}]}}
    if finish:
        candidate["finishReason"] = finish
    usage = {"promptTokenCount": 9, "candidatesTokenCount": 4, "totalTokenCount": 13}
    return {"candidates": [candidate], "usageMetadata": usage, "responseId": "r1", "modelVersion": "strict"}


@asynccontextmanager
async def providing(judge: Judge) -> AsyncIterator[Provider]:
    """Serve a provider on a free port while the context lasts."""
    provider = Provider(judge)
    app = web.Application(client_max_size=64 * 2**20)
    app.router.add_post("/{path:.*}", provider.answer)
    runner = web.AppRunner(app, handler_cancellation=True, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        provider.origin = f"http://127.0.0.1:{runner.addresses[0][1]}"
        yield provider
    finally:
        await runner.cleanup()
