"""The behaviours of the fake provider, by the first segment of its path."""

from __future__ import annotations

import asyncio
import json
import re
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from aiohttp import web

from benchmarks.attack.wires import TEXT, answer_for, beginning, call_answer, chunk, signed_call

_FOREVER_S = 300.0
_MEBIBYTE = 2**20
MARK = "ATTACK"
"""A mark in the body of A's calls. Some behaviours refuse only the calls with this mark."""

_QUOTE = re.compile(r"<<(.*?)>>", re.DOTALL)
"""Finds the part of a request that the provider's error quotes."""

PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d49444154789c6360000002000154a24f5d00"
    "00000049454e44ae426082"
)

_Call = tuple[str, bytes, web.Request, Counter[str]]
Behave = Callable[[str, bytes, web.Request, "Counter[str]"], Awaitable[web.StreamResponse]]


async def behave(
    manner: str, path: str, body: bytes, request: web.Request, calls: Counter[str]
) -> web.StreamResponse:
    """Answer a call of *path* with the behaviour *manner*.

    A suffix of *manner* after a dot only tells deployments apart.
    """
    kind = manner.partition(".")[0]
    if kind.startswith("refuse"):
        return _refuse(int(kind.removeprefix("refuse")), path, body)
    if kind.startswith("error-"):
        return web.Response(status=400, body=HOSTILE_ERRORS[kind], content_type="application/json")
    return await _MANNERS[kind](path, body, request, calls)


async def _at_once(path: str, body: bytes, _: web.Request, __: Counter[str]) -> web.StreamResponse:
    return web.Response(body=answer_for(path, body), content_type=_type_of(path, body))


async def _never(*_: object) -> web.StreamResponse:
    await asyncio.sleep(_FOREVER_S)
    raise web.HTTPGatewayTimeout


async def _endless(path: str, body: bytes, request: web.Request, _: Counter[str]) -> web.StreamResponse:
    """Stream a word every 50 ms, for five minutes."""
    return await _stream(path, request, words=6000, pause_s=0.05)


async def _hang(path: str, body: bytes, request: web.Request, _: Counter[str]) -> web.StreamResponse:
    """Stream one word, then nothing."""
    return await _stream(path, request, words=1, pause_s=_FOREVER_S)


async def _stream(path: str, request: web.Request, *, words: int, pause_s: float) -> web.StreamResponse:
    response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
    await response.prepare(request)
    await response.write(beginning(path))
    for _ in range(words):
        await response.write(chunk(path, "word "))
        await asyncio.sleep(pause_s)
    return response


async def _trickle(path: str, body: bytes, request: web.Request, _: Counter[str]) -> web.StreamResponse:
    """Send a whole answer, one byte every 100 ms."""
    whole = answer_for(path, body)
    response = web.StreamResponse(headers={"Content-Type": _type_of(path, body)})
    response.content_length = len(whole)
    await response.prepare(request)
    for at in range(len(whole)):
        await response.write(whole[at : at + 1])
        await asyncio.sleep(0.1)
    return response


async def _busy(*_: object) -> web.StreamResponse:
    """Answer every call with 503 and ``Retry-After: 1``."""
    return web.json_response(_error("overloaded", 503), status=503, headers={"Retry-After": "1"})


async def _once(path: str, body: bytes, request: web.Request, calls: Counter[str]) -> web.StreamResponse:
    """Fail the first call for each ``ONCE-name`` in a body, and all calls with :data:`MARK`."""
    found = re.search(rb"ONCE-\w+", body)
    name = f"once {found[0].decode()}" if found else ""
    if found:
        calls[name] += 1
    if MARK.encode() in body or (found and calls[name] == 1):
        return web.json_response(_error("The server had an error.", 503), status=503)
    return await _at_once(path, body, request, calls)


async def _image(*_: object) -> web.StreamResponse:
    """Send an image after a second and a half."""
    await asyncio.sleep(1.5)
    return web.Response(body=PNG, content_type="image/png")


async def _calls(path: str, body: bytes, *_: object) -> web.StreamResponse:
    """Answer with a call whose arguments are 1 MiB of an unclosed array."""
    arguments = '{"a": ' + "[1," * (_MEBIBYTE // 3)
    return web.Response(body=call_answer(path, arguments), content_type="application/json")


async def _signed(path: str, body: bytes, _: web.Request, calls: Counter[str]) -> web.StreamResponse:
    """Answer with a signed call. A request with :data:`MARK` gets a signature of 16 KB."""
    number = calls["signed calls"] = calls["signed calls"] + 1
    size = 16_000 if MARK.encode() in body else 200
    return web.Response(body=signed_call(number, size), content_type="application/json")


async def _dense(path: str, body: bytes, request: web.Request, _: Counter[str]) -> web.StreamResponse:
    """Stream a mebibyte of events of one letter each, in one piece."""
    response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
    await response.prepare(request)
    one = chunk(path, "x")
    await response.write(beginning(path) + one * (_MEBIBYTE // len(one)))
    return response


async def _line(path: str, body: bytes, request: web.Request, _: Counter[str]) -> web.StreamResponse:
    """Stream a mebibyte of empty comments, then one event."""
    response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
    await response.prepare(request)
    last = b"" if path.endswith("/messages") else b"data: [DONE]\n\n"
    await response.write(b":\n\n" * (_MEBIBYTE // 3) + beginning(path) + chunk(path, TEXT) + last)
    return response


_MANNERS: Mapping[str, Behave] = {
    "ok": _at_once,
    "never": _never,
    "endless": _endless,
    "hang": _hang,
    "trickle": _trickle,
    "busy": _busy,
    "once": _once,
    "image": _image,
    "answer-calls": _calls,
    "stream-dense": _dense,
    "stream-lines": _line,
    "signed": _signed,
}


def _refuse(status: int, path: str, body: bytes) -> web.Response:
    """Refuse a request with :data:`MARK` in words quoted from it. Answer all other requests."""
    text = body.decode("utf-8", "replace")
    if MARK not in text:
        return web.Response(body=answer_for(path, body), content_type=_type_of(path, body))
    quoted = _QUOTE.search(text)
    try:
        words = json.loads(f'"{quoted[1]}"') if quoted else "Bad request."
    except ValueError:
        words = "Bad request."
    return web.json_response(_error(words, status), status=status)


def _error(words: str, status: int) -> dict[str, Any]:
    kind = "invalid_request_error" if status < 500 else "server_error"
    return {"error": {"message": words, "type": kind, "param": None, "code": None}}


def _type_of(path: str, body: bytes) -> str:
    streams = "stream" in path.lower() or b'"stream":true' in body[:200] + body[-200:]
    return "text/event-stream" if streams else "application/json"


def _message(text: str) -> bytes:
    return json.dumps(_error(text, 400)).encode()


HOSTILE_ERRORS: Mapping[str, bytes] = {
    "error-quotes": _message("'" * _MEBIBYTE),
    "error-openings": _message(" '" * (_MEBIBYTE // 2)),
    "error-digits": _message("1" * _MEBIBYTE + " tokens"),
    "error-words": _message("maximum context length is " * (_MEBIBYTE // 26)),
    "error-input": _message("input token count " * (_MEBIBYTE // 18)),
    "error-nested": b'{"error":' * (_MEBIBYTE // 9) + b"1" + b"}" * (_MEBIBYTE // 9),
    "error-objects": b'{"error":{"details":[' + b"{}," * (_MEBIBYTE // 3) + b"{}]}}",
    "error-strings": _message('{"error":' * (_MEBIBYTE // 11)),
    "error-text": b"<html>" + b"<div " * (_MEBIBYTE // 5),
}
"""Error bodies of about 1 MiB: many quotes or phrases where a search may begin, or deep nesting."""
