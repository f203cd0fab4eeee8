"""The emulator's HTTP side: records each request, applies the next fault, judges, answers.

Faults are dicts in a queue, one per chat request, so that a test reads as a script. A dict may carry several
keys, for example `{"chunk_delay_seconds": 0.1, "cut_after_chunks": 2}`.
"""

import asyncio
import json
from collections import deque
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Literal, TypedDict

from aiohttp import web

from tests.support.openai_emulator import answering
from tests.support.openai_emulator.judging import Refusal, judge_openai_body

MODELS = ("gpt-5.6-terra", "gpt-4.1", "gpt-4o-mini")
MAX_RECORDED = 1000
MAX_BODY = 64 * 1024 * 1024

Finished = Literal["complete", "disconnected", "cut"]


class Fault(TypedDict, total=False):
    """What goes wrong with one chat request."""

    status: int  # answer with this error status, judged or not
    message: str  # the error's message
    type: str  # the error's type; follows from the status when absent
    code: str | None
    headers: dict[str, str]  # added to the answer, be it the error or a good one
    delay_seconds: float  # before the first byte
    chunk_delay_seconds: float  # before each event of a stream
    cut_after_chunks: int  # close the connection after so many events; without a stream, at once
    garbage: bool  # answer 200 with something that is no JSON
    text: str  # say this instead, `""` for the empty answer
    calls: list[tuple[str, dict[str, Any]]]  # make these calls instead: names and arguments


@dataclass(slots=True)
class RecordedRequest:
    """One chat request as it came in, and how it ended; `finished` is None while it is being served."""

    body: Any
    raw: bytes
    headers: Mapping[str, str]
    refusal: Refusal | None = None
    status: int | None = None
    chunks_sent: int = 0
    finished: Finished | None = None
    _ended: asyncio.Event = field(default_factory=asyncio.Event, repr=False)

    def end(self, how: Finished) -> None:
        """Note the end; the first note stands."""
        self.finished = self.finished or how
        self._ended.set()

    async def ended(self) -> Finished | None:
        """Wait until the request was served or given up, at most five seconds, and return how it ended."""
        async with asyncio.timeout(5):
            await self._ended.wait()
        return self.finished


@dataclass(slots=True)
class OpenAIEmulator:
    """The state of one emulator: what it was asked, and what is to go wrong next."""

    base_url: str = ""
    requests: deque[RecordedRequest] = field(default_factory=lambda: deque(maxlen=MAX_RECORDED))
    faults: deque[Fault] = field(default_factory=deque)
    answered: int = 0


EMULATOR = web.AppKey("openai_emulator", OpenAIEmulator)


def create_openai_emulator() -> web.Application:
    """Build the application; its state is `app[EMULATOR]`."""
    app = web.Application(client_max_size=MAX_BODY)
    app[EMULATOR] = OpenAIEmulator()
    app.router.add_get("/v1/models", _models)
    app.router.add_post("/v1/chat/completions", _chat)
    app.router.add_route("*", "/{path:.*}", _unknown_url)
    return app


@asynccontextmanager
async def serving_openai() -> AsyncIterator[OpenAIEmulator]:
    """Serve an emulator on a free loopback port; its `base_url` ends in `/v1`."""
    app = create_openai_emulator()
    runner = web.AppRunner(app, handler_cancellation=True, access_log=None, shutdown_timeout=1.0)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        app[EMULATOR].base_url = f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
        yield app[EMULATOR]
    finally:
        await runner.cleanup()


async def _models(request: web.Request) -> web.Response:
    rows = [
        {"id": name, "object": "model", "created": answering.CREATED, "owned_by": "system"} for name in MODELS
    ]
    return web.json_response({"object": "list", "data": rows})


async def _unknown_url(request: web.Request) -> web.Response:
    return _refused(Refusal(f"Invalid URL ({request.method} {request.path})", status=404))


async def _chat(request: web.Request) -> web.StreamResponse:
    emulator = request.app[EMULATOR]
    raw = await request.read()
    record = RecordedRequest(_parsed(raw), raw, request.headers.copy())
    emulator.requests.append(record)
    fault: Fault = emulator.faults.popleft() if emulator.faults else {}
    try:
        response = await _answer(request, emulator, record, fault)
    except (asyncio.CancelledError, ConnectionResetError):
        record.end("disconnected")
        raise
    record.status = response.status
    record.end("complete")
    return response


async def _answer(
    request: web.Request, emulator: OpenAIEmulator, record: RecordedRequest, fault: Fault
) -> web.StreamResponse:
    await asyncio.sleep(fault.get("delay_seconds", 0))
    if "status" in fault:
        return _refused(_scripted(fault), fault.get("headers"))
    record.refusal = judge_openai_body(record.body)
    if record.refusal is not None:
        return _refused(record.refusal, fault.get("headers"))
    emulator.answered += 1
    if record.body.get("stream"):
        return await _stream(request, emulator.answered, record, fault)
    if "cut_after_chunks" in fault:
        return _cut(request, record, web.Response())
    if fault.get("garbage"):
        return web.Response(
            text="<html>upstream says hello", content_type="application/json", headers=fault.get("headers")
        )
    answer = _chosen(record.body, emulator.answered, fault)
    payload = answering.completion(record.body, answer, emulator.answered)
    return web.json_response(payload, headers=fault.get("headers"))


async def _stream(
    request: web.Request, sequence: int, record: RecordedRequest, fault: Fault
) -> web.StreamResponse:
    response = web.StreamResponse(headers=fault.get("headers"))
    response.content_type = "text/event-stream"
    response.charset = "utf-8"
    await response.prepare(request)
    record.status = (
        response.status
    )  # now, since a client that has read the end may act before this handler does
    if fault.get("garbage"):
        await response.write(b'data: {"choices": [{"delta": {"content": \n\n')
        await response.write_eof()
        return response
    answer = _chosen(record.body, sequence, fault)
    for chunk in answering.chunks(record.body, answer, sequence):
        if record.chunks_sent == fault.get("cut_after_chunks"):
            return _cut(request, record, response)
        await asyncio.sleep(fault.get("chunk_delay_seconds", 0))
        await response.write(b"data: " + json.dumps(chunk, ensure_ascii=False).encode() + b"\n\n")
        record.chunks_sent += 1
    if record.chunks_sent <= fault.get("cut_after_chunks", -1):
        return _cut(request, record, response)
    await response.write(b"data: [DONE]\n\n")
    await response.write_eof()
    return response


def _chosen(body: dict[str, Any], sequence: int, fault: Fault) -> answering.Answer:
    if "text" in fault:
        return answering.Answer(fault["text"])
    if "calls" in fault:
        return answering.calling(fault["calls"], sequence)
    return answering.answer_to(body, sequence)


def _cut(request: web.Request, record: RecordedRequest, response: web.StreamResponse) -> web.StreamResponse:
    if request.transport is not None:
        request.transport.close()
    record.end("cut")
    return response


def _scripted(fault: Fault) -> Refusal:
    status = fault["status"]
    kinds = {401: "invalid_request_error", 403: "invalid_request_error", 429: "requests"}
    kind = kinds.get(status, "server_error" if status >= 500 else "invalid_request_error")
    message = fault.get("message", f"Scripted fault with status {status}.")
    return Refusal(message, None, fault.get("code"), status, fault.get("type", kind))


def _refused(refusal: Refusal, headers: Mapping[str, str] | None = None) -> web.Response:
    return web.json_response(refusal.envelope(), status=refusal.status, headers=headers)


def _parsed(raw: bytes) -> Any:
    try:
        return json.loads(raw)
    except ValueError:
        return None
