"""A fake provider that answers every request at once, in three formats. It is a process: ``python -m ... PORT``.

``/v1/chat/completions`` has OpenAI's format, ``:generateContent`` and ``:streamGenerateContent`` have Gemini's, and
``/v1/messages`` has Anthropic's. Each chunk of a stream holds the time at which it was sent. ``GET
/pace?chunks=50&interval_us=2000`` sets the number of chunks in a stream, and the time between them. The server uses no
web framework, so that it costs a fraction of what a proxy costs.
"""

from __future__ import annotations

import asyncio
import re
import sys
import time
from collections.abc import Mapping

import orjson
from typing_extensions import override

_LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)
_STREAM = re.compile(rb'"stream": ?true')
_TEXT = "Done. The tests pass now, and nothing else was changed."


class Pace:
    """The number of chunks in a stream, and the seconds between them."""

    chunks = 50
    interval = 0.002


_OPENAI, _GEMINI, _ANTHROPIC = "openai", "gemini", "anthropic"


def _whole(size: int, wire: str) -> bytes:
    tokens = size // 4
    body: dict[str, object]
    if wire == _ANTHROPIC:
        usage = {"input_tokens": tokens, "output_tokens": 12}
        body = {**_message([{"type": "text", "text": _TEXT}], "end_turn"), "usage": usage}
    elif wire == _GEMINI:
        content = {"role": "model", "parts": [{"text": _TEXT}]}
        body = {
            "candidates": [{"content": content, "finishReason": "STOP", "index": 0}],
            "usageMetadata": {
                "promptTokenCount": tokens,
                "candidatesTokenCount": 12,
                "totalTokenCount": tokens + 12,
            },
            "modelVersion": "m",
            "responseId": "r",
        }
    else:
        message = {"role": "assistant", "content": _TEXT}
        body = {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 1,
            "model": "m",
            "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": tokens, "completion_tokens": 12, "total_tokens": tokens + 12},
        }
    return _answer(orjson.dumps(body))


def _message(content: list[object], stop_reason: str | None) -> dict[str, object]:
    said = {"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": content}
    return {**said, "stop_reason": stop_reason, "stop_sequence": None}


def _answer(body: bytes) -> bytes:
    return b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%b" % (
        len(body),
        body,
    )


_STREAM_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"


def _first(wire: str) -> bytes:
    """Return the events before the first text."""
    if wire != _ANTHROPIC:
        return b""
    usage = {"input_tokens": 9, "output_tokens": 1}
    started = {"type": "message_start", "message": {**_message([], None), "usage": usage}}
    block = {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}
    return _chunk(_named(started) + _named(block))


def _named(event: Mapping[str, object]) -> bytes:
    return b"event: %b\ndata: %b\n\n" % (str(event["type"]).encode(), orjson.dumps(event))


def _last(wire: str) -> bytes:
    """Return the end of a stream."""
    if wire == _ANTHROPIC:
        end = {"stop_reason": "end_turn", "stop_sequence": None}
        told = {"type": "message_delta", "delta": end, "usage": {"output_tokens": 12}}
        stopped = {"type": "content_block_stop", "index": 0}
        return _chunk(_named(stopped) + _named(told) + _named({"type": "message_stop"}))
    return _event(wire, None) + (b"" if wire == _GEMINI else _chunk(b"data: [DONE]\n\n"))


def _event(wire: str, text: str | None) -> bytes:
    if wire == _ANTHROPIC:
        delta = {"type": "text_delta", "text": text}
        return _chunk(_named({"type": "content_block_delta", "index": 0, "delta": delta}))
    if wire == _GEMINI:
        content = {"role": "model", "parts": [{"text": text or ""}]}
        candidate = {"content": content, "index": 0} | ({} if text else {"finishReason": "STOP"})
        data = orjson.dumps({"candidates": [candidate], "modelVersion": "m", "responseId": "r"})
    else:
        choice = {
            "index": 0,
            "delta": {"content": text} if text else {},
            "finish_reason": None if text else "stop",
        }
        head = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "m"}
        data = orjson.dumps({**head, "choices": [choice]})
    return _chunk(b"data: %b\n\n" % data)


def _chunk(data: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(data), data)


class Provider(asyncio.Protocol):
    """One connection to the provider."""

    def __init__(self) -> None:
        self._transport: asyncio.Transport | None = None
        self._came = bytearray()
        self._whole: int | None = None
        self._body_at = 0
        self._wire = _OPENAI

    @override
    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    @override
    def connection_lost(self, exc: Exception | None) -> None:
        self._transport = None

    @override
    def data_received(self, data: bytes) -> None:
        self._came += data
        if self._whole is None:
            end = self._came.find(b"\r\n\r\n")
            if end < 0:
                return
            length = _LENGTH.search(self._came, 0, end)
            self._body_at = end + 4
            self._whole = self._body_at + (int(length[1]) if length else 0)
        if len(self._came) >= self._whole:
            self._respond(bytes(self._came))
            self._came.clear()
            self._whole = None

    def _respond(self, request: bytes) -> None:
        assert self._transport is not None
        target = request[: request.index(b"\r\n")].split(b" ")[1]
        if target.startswith(b"/pace"):
            chunks, interval = re.findall(rb"=(\d+)", target)
            Pace.chunks, Pace.interval = int(chunks), int(interval) / 1e6
            self._transport.write(_answer(b"{}"))
            return
        is_gemini = b"enerateContent" in target
        self._wire = _GEMINI if is_gemini else _ANTHROPIC if target.endswith(b"/messages") else _OPENAI
        if b":stream" in target or (not is_gemini and _STREAM.search(request, self._body_at)):
            self._transport.write(_STREAM_HEAD + _first(self._wire))
            self._tick(Pace.chunks, asyncio.get_running_loop().time())
            return
        self._transport.write(_whole(len(request) - self._body_at, self._wire))

    def _tick(self, left: int, due: float) -> None:
        if self._transport is None:
            return
        if left == 0:
            self._transport.write(_last(self._wire) + b"0\r\n\r\n")
            return
        self._transport.write(_event(self._wire, f"sent={time.monotonic_ns()} some words "))
        due += Pace.interval
        asyncio.get_running_loop().call_at(due, self._tick, left - 1, due)


async def _serve(port: int) -> None:
    loop = asyncio.get_running_loop()
    server = await loop.create_server(Provider, "127.0.0.1", port, backlog=1024)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(_serve(int(sys.argv[1])))
