"""An emulator's HTTP side: records each request, applies the next fault, judges, answers."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

from aiohttp import web

from tests.support.emulated.answering import Said, say
from tests.support.emulated.recording import Emulator, Fault, RecordedRequest
from tests.support.emulated.wire import Asked, Refused, Wire

MAX_BODY = 64 * 1024 * 1024

_ANSWERS = {"text", "calls", "items"}
"""Keys of a fault that scripts an answer."""

EMULATOR = web.AppKey("emulator", Emulator)
WIRE = web.AppKey("wire", Wire)


def create_emulator(wire: Wire) -> web.Application:
    """Return the emulator's aiohttp application, whose state is `app[EMULATOR]`."""
    app = web.Application(client_max_size=MAX_BODY)
    app[EMULATOR] = Emulator()
    app[WIRE] = wire
    for path in wire.paths:
        app.router.add_post(path, _chat)
    app.router.add_route("*", "/{path:.*}", _other)
    return app


@asynccontextmanager
async def serving(wire: Wire) -> AsyncIterator[Emulator]:
    """Serve an emulator on a free loopback port. Its `base_url` is the address for a client's configuration."""
    app = create_emulator(wire)
    runner = web.AppRunner(app, handler_cancellation=True, access_log=None, shutdown_timeout=1.0)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        app[EMULATOR].base_url = f"http://127.0.0.1:{runner.addresses[0][1]}{wire.base_path}"
        yield app[EMULATOR]
    finally:
        await runner.cleanup()


async def _other(request: web.Request) -> web.Response:
    wire: Wire = request.app[WIRE]
    answer = wire.other(request.method, request.path)
    if isinstance(answer, dict):
        return web.json_response(answer)
    return _refused(answer)


async def _chat(request: web.Request) -> web.StreamResponse:
    emulator = request.app[EMULATOR]
    raw = await request.read()
    record = RecordedRequest(_parsed(raw), raw, request.headers.copy(), request.path)
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
    request: web.Request, emulator: Emulator, record: RecordedRequest, fault: Fault
) -> web.StreamResponse:
    wire: Wire = request.app[WIRE]
    headers = fault.get("headers")
    await asyncio.sleep(fault.get("delay_seconds", 0))
    if "status" in fault:
        status = fault["status"]
        message = fault.get("message", f"Scripted fault with status {status}.")
        return _refused(wire.scripted(status, message, fault.get("type"), fault.get("code")), headers)
    asked = Asked(record.body, record.headers, record.path, request.query)
    record.refusal = wire.judge(asked)
    if record.refusal is not None:
        if _ANSWERS & fault.keys():
            emulator.faults.appendleft(fault)  # an answer waits for a request that can have it
        return _refused(record.refusal, headers)
    emulator.answered += 1
    if wire.wants_stream(asked):
        return await _stream(request, asked, emulator.answered, record, fault)
    if "cut_after_chunks" in fault:
        return _cut(request, record, web.Response())
    if fault.get("garbage"):
        return web.Response(
            text="<html>upstream says hello", content_type="application/json", headers=headers
        )
    if "payload" in fault:
        return web.json_response(fault["payload"], headers=headers)
    payload = wire.whole(asked, _chosen(wire, asked, emulator.answered, fault), emulator.answered)
    return web.json_response(payload, headers=headers)


async def _stream(
    request: web.Request, asked: Asked, sequence: int, record: RecordedRequest, fault: Fault
) -> web.StreamResponse:
    wire: Wire = request.app[WIRE]
    response = web.StreamResponse(headers=fault.get("headers"))
    response.content_type = wire.stream_type
    if wire.stream_type.startswith("text/"):
        response.charset = "utf-8"
    await response.prepare(request)
    record.status = response.status  # now, since a client may act on the end before this handler does
    if fault.get("garbage"):
        await response.write(wire.broken_event())
        await response.write_eof()
        return response
    for event in wire.events(asked, _chosen(wire, asked, sequence, fault), sequence):
        if record.chunks_sent == fault.get("cut_after_chunks"):
            return _cut(request, record, response)
        await asyncio.sleep(fault.get("chunk_delay_seconds", 0))
        await response.write(event)
        record.chunks_sent += 1
    if record.chunks_sent <= fault.get("cut_after_chunks", -1):
        return _cut(request, record, response)
    await response.write(wire.closing())
    await response.write_eof()
    return response


def _chosen(wire: Wire, asked: Asked, sequence: int, fault: Fault) -> Said:
    said = say(wire.prompt(asked), sequence)
    if _ANSWERS & fault.keys():
        calls = tuple(fault.get("calls", ())) if "text" not in fault else ()
        reasoning, items = fault.get("reasoning", said.reasoning), fault.get("items")
        scripted = None if items is None else tuple(items)
        return Said(fault.get("text"), calls, reasoning, fault.get("ends"), scripted)
    return said


def _cut(request: web.Request, record: RecordedRequest, response: web.StreamResponse) -> web.StreamResponse:
    if request.transport is not None:
        request.transport.close()
    record.end("cut")
    return response


def _refused(refusal: Refused, headers: Mapping[str, str] | None = None) -> web.Response:
    merged = {**refusal.headers(), **(headers or {})}
    return web.json_response(refusal.envelope(), status=refusal.status, headers=merged)


def _parsed(raw: bytes) -> Any:
    try:
        return json.loads(raw)
    except ValueError:
        return None
