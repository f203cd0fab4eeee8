"""A provider that repeats its request, with all headers, wherever an answer has room for text.

The model's own text is an exception, since a model may say anything and a provider knows its key. A wrong call repeats
the request's body, and undocumented fields repeat the whole request.

With this provider, ``test_nothing_leaks`` shows that the proxy passes no secret on. The provider speaks OpenAI's wire
and Gemini's. Real providers quote a key in an error, a message in a warning, or an address in an HTML page. This
provider quotes all at once, in the manner that the request's text asks for (:func:`asking_for`).
"""

from __future__ import annotations

import asyncio
import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import quote

from aiohttp import web

MANNERS = (
    "answer",
    "refuse 400",
    "refuse 401",
    "refuse 403",
    "refuse 404",
    "refuse 413",
    "refuse 422",
    "refuse 429",
    "refuse 500",
    "refuse 503",
    "refuse 302",
    "page 400",
    "page 502",
    "overflow",
    "error in a 200",
    "garbage",
    "shapeless",
    "wrong call",
    "error in a stream",
    "garbage in a stream",
    "cut",
    "no HTTP",
    "bad header",
    "silence",
)
"""The manners in which the provider can answer.

If no stream was requested, the manners of a stream send the error or the garbage at once.
"""

_ASKED = re.compile(r"in manner (\d+)\.")


_BODY = "and in the body"


def asking_for(manner: str) -> str:
    """Return the words within a request that ask for a manner."""
    return f"Answer in manner {MANNERS.index(manner)}."


class Telltale:
    """A running telltale provider, which records the manners in which it has answered."""

    def __init__(self) -> None:
        self.port = 0
        self.seen: set[str] = set()
        """The manners in which the provider has answered."""

    async def answer(self, request: web.Request) -> web.StreamResponse:
        """Answer one request in the manner that it asks for."""
        body = (await request.read()).decode("utf-8", "replace")
        asked = _ASKED.search(body)
        chosen = MANNERS[int(asked[1])] if asked else "answer"
        self.seen.add(chosen)
        said = _all_of(request, body)
        manner, _, status = chosen.partition(" ")
        is_gemini = "enerateContent" in request.path
        streams = "streamGenerateContent" in request.path or bool(re.search(r'"stream": ?true', body))
        if manner == "refuse":
            return _refusal(int(status), said, is_gemini=is_gemini)
        if manner == "page":
            return web.Response(status=int(status), text=f"<html>{said}</html>", content_type="text/html")
        if manner == "overflow":
            words = f"This model's maximum context length is 2048 tokens, you sent 4096: {said}"
            return _refusal(400, words, is_gemini=is_gemini)
        if manner in ("no", "bad"):
            return await _write_raw(request, said, head=manner == "bad")
        if manner == "silence":
            await asyncio.sleep(30)
        if not streams or chosen == "error in a 200":
            return _whole(chosen, said, is_gemini=is_gemini)
        return await _stream(request, chosen, said, is_gemini=is_gemini)


def _whole(manner: str, said: str, *, is_gemini: bool) -> web.Response:
    if manner.startswith("error in"):
        return web.json_response(_envelope(503, said, is_gemini=is_gemini))
    if manner == "shapeless":
        return web.json_response({said: [said], "choices": {said: said}, "candidates": said, "data": said})
    if manner in ("garbage", "garbage in a stream", "cut"):
        return web.Response(text=f"{{{said}", content_type="application/json")
    return web.json_response(_good(manner, said, is_gemini=is_gemini))


async def _stream(request: web.Request, manner: str, said: str, *, is_gemini: bool) -> web.StreamResponse:
    response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
    await response.prepare(request)
    if manner not in ("garbage", "shapeless"):
        await response.write(_event(_good("begin", said, is_gemini=is_gemini)))
    if manner == "error in a stream":
        await response.write(_event(_envelope(503, said, is_gemini=is_gemini)))
    elif manner in ("garbage", "garbage in a stream"):
        await response.write(b"data: {" + said.encode() + b"\n\n")
    elif manner == "shapeless":
        await response.write(_event({said: said, "choices": said, "candidates": {said: said}}))
    elif manner == "cut":
        assert request.transport is not None
        request.transport.close()
        return response
    else:
        await response.write(_event(_good(manner, said, is_gemini=is_gemini)))
        await response.write(b"" if is_gemini else b"data: [DONE]\n\n")
    await response.write_eof()
    return response


def _all_of(request: web.Request, body: str) -> str:
    """Return the request's header values, address and body on one line."""
    heard = [*request.headers.values(), str(request.url), _BODY, body]
    return " ".join(" ".join(heard).split())


def _envelope(status: int, said: str, *, is_gemini: bool) -> Any:
    if is_gemini:
        detail = {
            "@type": "type.googleapis.com/google.rpc.ErrorInfo",
            "reason": said,
            "metadata": {said: said},
        }
        return {"error": {"code": status, "message": said, "status": said, "details": [detail]}}
    return {"error": {"message": said, "type": said, "param": said, "code": said, said: said}}


def _refusal(status: int, said: str, *, is_gemini: bool) -> web.Response:
    value = quote(said[:1_000], safe=" /:")
    headers = dict.fromkeys(
        ("Retry-After", "Location", "Set-Cookie", "x-request-id", "x-should-retry"), value
    )
    reason = value[:100]
    return web.json_response(
        _envelope(status, said, is_gemini=is_gemini), status=status, headers=headers, reason=reason
    )


def _good(manner: str, said: str, *, is_gemini: bool) -> Any:
    """Return an answer or a chunk of either wire, in which fields other than the text repeat *said*."""
    calls = [("no_such_tool", f"{{{said.partition(_BODY)[2]}")] if manner == "wrong call" else []
    text = None if calls else "Good."
    if is_gemini:
        parts: list[Any] = [{"functionCall": {"name": name, "args": text}} for name, text in calls]
        ends: dict[str, Any] = {} if manner == "begin" else {"finishReason": "STOP"}
        content = {"role": "model", "parts": parts or [{"text": text}]}
        return {
            "candidates": [{"content": content, **ends}],
            "modelVersion": "m",
            "responseId": "a",
            said: said,
        }
    made = [
        {"index": 0, "id": said, "type": "function", "function": {"name": name, "arguments": arguments}}
        for name, arguments in calls
    ]
    message = {"role": "assistant", "content": text, **({"tool_calls": made} if made else {})}
    ends = {"finish_reason": None if manner == "begin" else "tool_calls" if made else "stop"}
    choice = {"index": 0, "message": message, "delta": message, "text": text, "logprobs": None, **ends}
    vectors = [{"object": "embedding", "index": 0, "embedding": [0.5]}]
    return {
        "id": "a",
        "object": "x",
        "created": 1,
        "model": "m",
        "choices": [choice],
        "data": vectors,
        "x": said,
    }


def _event(value: Any) -> bytes:
    return b"data: " + json.dumps(value).encode() + b"\n\n"


async def _write_raw(request: web.Request, said: str, *, head: bool) -> web.StreamResponse:
    """Answer with bytes that are no valid HTTP, from the first line on or within the head."""
    assert request.transport is not None
    transport = request.transport
    assert isinstance(transport, asyncio.WriteTransport)
    transport.write(
        f"HTTP/1.1 200 OK\r\n{said[:500]}\r\n\r\n".encode() if head else said.encode() + b"\r\n\r\n"
    )
    await asyncio.sleep(0.02)
    transport.close()
    return web.Response()


@contextmanager
def telltale() -> Iterator[Telltale]:
    """Serve a telltale provider in a thread while the context lasts."""
    provider, started = Telltale(), threading.Event()
    loop, stop = asyncio.new_event_loop(), asyncio.Event()

    async def run() -> None:
        app = web.Application(client_max_size=2**24)
        app.router.add_route("*", "/{path:.*}", provider.answer)
        runner = web.AppRunner(app, handler_cancellation=True, access_log=None, shutdown_timeout=0.1)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        provider.port = runner.addresses[0][1]
        started.set()
        await stop.wait()
        await runner.cleanup()

    thread = threading.Thread(target=lambda: loop.run_until_complete(run()), name="telltale")
    thread.start()
    try:
        assert started.wait(10)
        yield provider
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join()
        loop.close()
