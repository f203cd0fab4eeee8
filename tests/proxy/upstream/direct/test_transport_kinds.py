"""Tests of streams under any content type, and of answers of another kind than requested."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from tests.proxy.upstream.provider import (
    FIRST,
    GOOD,
    KEY,
    STREAM,
    Exchange,
    Script,
    ask,
    event,
    head,
    piece,
    sending,
    text_of,
    whole,
)
from tests.support.scripted_upstream import answer, say


def in_pieces(start: bytes, body: bytes, size: int) -> Script:
    """Return a script that sends a body in pieces of this size."""

    async def script(exchange: Exchange) -> None:
        parts = [piece(body[at : at + size]) for at in range(0, len(body), size)]
        await exchange.send(start, *parts, piece(b""))

    return script


NO_TYPE = head().replace(b"Content-Type: text/event-stream\r\n", b"")


@pytest.mark.parametrize(
    "start",
    [
        head("text/event-stream; charset=utf-8"),
        head("Text/Event-Stream"),
        head("text/plain"),
        head("text/plain; charset=utf-8"),
        head("application/octet-stream"),
        head("application/json"),
        NO_TYPE,
    ],
    ids=["charset", "case", "plain", "plain, charset", "bytes", "json", "none"],
)
async def test_stream_is_recognised_under_any_content_type(start: bytes) -> None:
    """The first bytes decide, however they are cut."""
    reply, _ = await ask(in_pieces(start, b"\n\n: hello\n\n" + STREAM, 4), stream=True)

    assert text_of(reply) == "Good day."
    assert reply.events[-1] == "[DONE]"


CALL = {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}


@pytest.mark.parametrize("kind", ["application/json", "text/plain"])
@pytest.mark.parametrize("blanks", [b"", b"\n\n \n"])
async def test_whole_answer_to_a_stream_becomes_chunks(kind: str, blanks: bytes) -> None:
    """The client gets one delta, the finish reason and ``[DONE]``."""
    reply, _ = await ask(sending(whole(blanks + GOOD, kind)), stream=True)

    assert text_of(reply) == "Good day."
    assert reply.events[-2]["choices"][0]["finish_reason"] == "stop"
    assert reply.events[-1] == "[DONE]"


async def test_tool_calls_of_a_whole_answer_get_an_index_in_chunks() -> None:
    """The index is the call's position in the answer."""
    called: dict[str, Any] = answer(None, tool_calls=[CALL, {**CALL, "id": "b"}])
    called["choices"][0]["finish_reason"] = "tool_calls"
    reply, _ = await ask(sending(whole(json.dumps(called).encode())), stream=True)

    calls = reply.events[0]["choices"][0]["delta"]["tool_calls"]
    assert [(call["index"], call["id"]) for call in calls] == [(0, "a"), (1, "b")]
    assert reply.events[-2]["choices"][0]["finish_reason"] == "tool_calls"


@pytest.mark.parametrize("kind", ["text/event-stream", "text/plain"])
async def test_stream_to_a_whole_request_is_refused_at_once(kind: str) -> None:
    """The connection is closed, since the stream may be long."""

    async def script(exchange: Exchange) -> None:
        await exchange.send(head(kind) + FIRST)
        await exchange.gone()

    async with asyncio.timeout(20):
        reply, provider = await ask(script, stream=False)

    assert (reply.status, reply.error["code"]) == (502, "upstream_error")
    assert "stream where none was asked for" in reply.error["message"]
    assert provider.exchanges[0].left.is_set()


async def test_error_event_to_a_whole_request_is_not_repeated() -> None:
    """An error event is not passed on, and the client gets the same 502."""
    reply, _ = await ask(sending(whole(event({"error": {"message": KEY}}) + event(say("x")))), stream=False)

    assert (reply.status, reply.error["code"]) == (502, "upstream_error")
