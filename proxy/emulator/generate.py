"""The handlers of ``generateContent`` and ``streamGenerateContent``.

``decide`` chooses the outcome of a call without input or output. The other functions carry it out: wait, refuse,
answer, stream, or close the connection. Every request gets a journal entry. The entry is completed however the handler
ends, even if the client disconnects.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import orjson
from aiohttp import web

from proxy.emulator import replies
from proxy.emulator.answers import Answer, compose
from proxy.emulator.errors import ErrorOptions, Refusal, status_error, unknown_model
from proxy.emulator.faults import Fault
from proxy.emulator.journal import Entry
from proxy.emulator.judge import judge_request, read_request
from proxy.emulator.models import generation_of, model_id, on_vertex
from proxy.emulator.state import STATE, State, json_response, refusal_response

UNEXPECTED_TOKEN = "Invalid JSON payload received. Unexpected token."
GARBAGE = "<!DOCTYPE html><html><title>Error</title><p>This is not what you asked for.</html>\n"


@dataclass(frozen=True)
class Call:
    """A request as values: the model and API version of its path, the method, and the body."""

    model: str
    version: str
    stream: bool
    body: bytes
    vertex: bool = False


def decide(call: Call, fault: Fault, state: State) -> Refusal | Answer:
    """Return the refusal or the answer for *call*. A waiting script of *state* is used unless *fault* has one.

    A fault with a status comes first, since an overloaded service does not read the body.
    """
    scripted = scripted_refusal(fault, call.model)
    if scripted is not None:
        return scripted
    generation = generation_of(call.model)
    if generation is None:
        method = "streamGenerateContent" if call.stream else "generateContent"
        return unknown_model(call.model, version=call.version, method=method)
    body = parse_body(call.body)
    if isinstance(body, Refusal):
        return body
    request, refusal = read_request(body)
    refusal = refusal or judge_request(request, on_vertex(generation) if call.vertex else generation)
    if refusal is not None:
        return refusal
    script = fault.script or state.answers.take()
    return compose(call.model, request, generation, seed=state.seed, script=script)


def scripted_refusal(fault: Fault, model: str) -> Refusal | None:
    """Return the refusal that *fault* asks for, or None."""
    if fault.status is None:
        return None
    options = ErrorOptions(fault.message, fault.reason, fault.retry_delay_seconds, fault.quota_id, model)
    return status_error(fault.status, options)


def parse_body(body: bytes) -> Any:
    """Return the JSON value of *body*, or a ``Refusal`` if it is not JSON. An empty body gives ``{}``."""
    if not body.strip():
        return {}
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError:
        return Refusal(UNEXPECTED_TOKEN)


def version_of(request: web.Request) -> str:
    """Return the API version of the request's path: ``v1`` if the path begins with it, else ``v1beta``."""
    return "v1" if request.path.startswith("/v1/") else "v1beta"


async def generate(request: web.Request) -> web.StreamResponse:
    """Handle ``POST models/{model}:generateContent``."""
    return await handle(request, decide)


async def stream_generate(request: web.Request) -> web.StreamResponse:
    """Handle ``POST models/{model}:streamGenerateContent``, with ``alt=sse`` or without."""
    return await handle(request, decide, stream=True)


Decide = Callable[[Call, Fault, State], Refusal | Answer | dict[str, Any]]


async def handle(request: web.Request, decide: Decide, *, stream: bool = False) -> web.StreamResponse:
    """Answer *request* with the outcome of *decide* or with a fault, and record it in the journal.

    An outcome that is already a body, and no :class:`Answer`, is never streamed.
    """
    state = request.app[STATE]
    model = model_id(request.match_info["model"])
    vertex = "project" in request.match_info
    call = Call(model, version_of(request), stream, await request.read(), vertex)
    entry = state.journal.open(Entry(request.method, request.path, model, stream, call.body))
    fault = state.faults.take_for(model)
    response = web.StreamResponse()
    try:
        await asyncio.sleep(fault.delay_seconds)
        if fault.reset:
            return _abort_connection(request, entry, response)
        if fault.garbage:
            entry.status = 200
            response = web.Response(text=GARBAGE, content_type="text/html")
            return await _send(request, entry, response)
        outcome = decide(call, fault, state)
        if isinstance(outcome, Refusal):
            entry.status, entry.message = outcome.status, outcome.message
            response = refusal_response(outcome)
            return await _send(request, entry, response)
        entry.status = 200
        if stream and isinstance(outcome, Answer):
            return await _stream(request, entry, fault, outcome)
        body = replies.whole(outcome) if isinstance(outcome, Answer) else outcome
        if fault.cut_after_chunks is not None:
            return await _send_half(request, entry, orjson.dumps(body))
        response = json_response(body)
        return await _send(request, entry, response)
    except ConnectionResetError:
        return response
    finally:
        if entry.finished == "running":
            entry.finished = "disconnected"


async def _send(request: web.Request, entry: Entry, response: web.Response) -> web.StreamResponse:
    await response.prepare(request)
    await response.write_eof()
    entry.finished = "complete"
    return response


async def _send_half(request: web.Request, entry: Entry, body: bytes) -> web.StreamResponse:
    response = web.StreamResponse(headers={"Content-Type": "application/json; charset=UTF-8"})
    response.content_length = len(body)
    await response.prepare(request)
    await response.write(body[: len(body) // 2])
    return _abort_connection(request, entry, response)


async def _stream(request: web.Request, entry: Entry, fault: Fault, answer: Answer) -> web.StreamResponse:
    sse = request.query.get("alt") == "sse"
    kind = "text/event-stream" if sse else "application/json; charset=UTF-8"
    response = web.StreamResponse(headers={"Content-Type": kind, "X-Accel-Buffering": "no"})
    await response.prepare(request)
    chunks = replies.chunks(answer)
    if fault.end_after_chunks is not None:
        chunks = tuple(map(replies.unfinished, chunks[: fault.end_after_chunks]))
    for index, chunk in enumerate(chunks[: fault.cut_after_chunks]):
        if index and fault.chunk_delay_seconds:
            await asyncio.sleep(fault.chunk_delay_seconds)
        await response.write(replies.sse_event(chunk) if sse else replies.array_item(chunk, index))
    if fault.cut_after_chunks is not None:
        return _abort_connection(request, entry, response)
    if not sse:
        await response.write(replies.ARRAY_END if chunks else b"[]\n")
    await response.write_eof()
    entry.finished = "complete"
    return response


def _abort_connection(request: web.Request, entry: Entry, response: web.StreamResponse) -> web.StreamResponse:
    """Abort the connection. *response* is returned only because a handler of aiohttp must return one."""
    entry.finished = "dropped"
    if request.transport is not None:
        request.transport.abort()
    return response
