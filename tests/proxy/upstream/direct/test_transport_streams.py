"""Streams over the direct transport: however they are framed and cut, whole or broken, and how they end."""

from __future__ import annotations

import asyncio
import zlib
from typing import Any

import pytest
from typing_extensions import override

from proxy.core.errors import UpstreamFault
from proxy.upstream.direct import transport as direct
from proxy.upstream.wires.sse_decoder import SSEDecoder
from tests.proxy.upstream.provider import (
    DONE,
    FIRST,
    HALF,
    KEY,
    STREAM,
    TOKEN,
    Exchange,
    ask,
    assert_broken,
    calling,
    event,
    flooding,
    head,
    piece,
    providing,
    sending,
    text_of,
)
from tests.support.scripted_upstream import STOP, say


@pytest.mark.parametrize(
    "parts",
    [
        [STREAM],
        [STREAM.replace(b"\n", b"\r\n")],
        [STREAM.replace(b"\n", b"\r")],
        [b": hello\n\n" + STREAM.replace(b"data: {", b": ping\nevent: message\nid: 7\ndata:{")],
        [STREAM[at : at + 1] for at in range(len(STREAM))],
        [STREAM.replace(b"\n", b"\r\n")[at : at + 3] for at in range(0, len(STREAM) + 10, 3)],
        [STREAM.removesuffix(DONE)],
        [STREAM.removesuffix(DONE)[:-1]],
        [STREAM.removesuffix(b"\n")],
        [STREAM.removesuffix(DONE).replace(b"\n", b"\r")[:-1]],
        [STREAM + b"trailing \xff garbage\n\ndata: {]\n\n"],
        [STREAM.removesuffix(b"\n\n") + b" \n\n"],
    ],
    ids=[
        "lf",
        "crlf",
        "cr",
        "comments",
        "bytes",
        "crlf in threes",
        "no done",
        "no blank line",
        "no blank line, done",
        "no blank line, cr",
        "trailing",
        "spaces",
    ],
)
async def test_stream_arrives_complete_however_it_is_cut(parts: list[bytes]) -> None:
    """A complete stream arrives complete, however it is framed and cut."""

    async def script(exchange: Exchange) -> None:
        await exchange.send(head(), *map(piece, parts), piece(b""))

    reply, _ = await ask(script, stream=True)

    assert text_of(reply) == "Good day."
    assert reply.events[-2]["choices"][0]["finish_reason"] == "stop"
    assert reply.events[-1] == "[DONE]"


@pytest.mark.parametrize(
    ("parts", "then"),
    [
        ([HALF, piece(b"")], ""),
        ([HALF], "close"),
        ([HALF], "reset"),
        ([piece(b"")], ""),
        ([], "close"),
        ([], "reset"),
        ([piece(event(say("day."))), piece(b"")], ""),
        ([piece(event(say("day.")) + event(STOP)[:-2]), piece(b"")], ""),
        ([piece(DONE), piece(b"")], ""),
        ([piece(b"data: \xff\xfe\n\n"), piece(b"")], ""),
        ([piece(b'data: {"choices":[{"delta":{"content":"\xff"}}]}\n\n'), piece(b"")], ""),
        ([piece(b"data: <html>\n\n"), piece(b"")], ""),
        ([piece(b'data: {"choices":[7]}\n\n'), piece(b"")], ""),
    ],
    ids=[
        *("half a frame, end", "half a frame, close", "half a frame, reset", "end", "close", "reset"),
        *("no finish reason", "half a finish", "done alone", "invalid utf-8", "invalid utf-8 in json"),
        *("html frame", "odd chunk"),
    ],
)
@pytest.mark.parametrize("started", [False, True], ids=["before", "after"])
async def test_stream_that_breaks(parts: list[bytes], then: str, started: bool) -> None:
    """A stream that is cut or garbled is a 502 before its first chunk and an error event after it, never a stop."""
    reply, _ = await ask(sending(head(), *([FIRST] if started else []), *parts, then=then), stream=True)
    codes = {"upstream_error", "upstream_unreachable"}

    if reply.status == 200:
        assert_broken(reply, reply.events[-1]["error"]["code"])
        assert reply.events[-1]["error"]["code"] in codes
        assert text_of(reply) in ("Good ", "Good day.", "day.")
    else:
        assert not started
        assert (reply.status, reply.error["code"] in codes) == (502, True)


@pytest.mark.parametrize(
    ("error", "text", "status"),
    [
        (
            {"error": {"message": f"Overloaded at {KEY} {TOKEN}.", "code": 503}},
            "Overloaded at ******** ********.",
            503,
        ),
        ({"error": "Words."}, "Words.", 502),
        ({"object": "error", "message": "Words.", "code": 400}, "Words.", 400),
        ({"error": {"message": "x" * 5000}}, "x" * 2000, 502),
        ({"error": {"message": f"Bad key {KEY}", "code": 401}}, "not your key", 401),
    ],
    ids=["status", "text", "vllm", "long", "key"],
)
async def test_error_object_in_a_stream(error: Any, text: str, status: int) -> None:
    """An error event is an error with its words, less what is ours: as the status, or as the stream's last event."""
    reply, _ = await ask(sending(head() + piece(event(error) + DONE) + piece(b"")), stream=True)
    assert reply.status == status
    assert text in reply.error["message"]
    assert len(reply.error["message"]) <= 2000

    reply, _ = await ask(sending(head() + FIRST + piece(event(error) + DONE) + piece(b"")), stream=True)
    assert_broken(reply)
    assert text in reply.events[-1]["error"]["message"]


async def test_frame_of_ten_megabytes_arrives() -> None:
    """A frame of 10 MB arrives."""
    large = "x" * (10 * 2**20)
    sent = event(say(large)) + event(STOP) + DONE
    reply, _ = await ask(sending(head(), piece(sent), piece(b"")), stream=True)

    assert text_of(reply) == large
    assert reply.events[-1] == "[DONE]"


async def test_event_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """So is an event that does."""
    monkeypatch.setattr("proxy.upstream.wires.sse_decoder.LARGEST_EVENT", 2**20)
    reply, _ = await ask(flooding(head() + FIRST, b"data: xxxxxxxxxxxxx\n" * 200), stream=True)

    assert_broken(reply)
    assert "too large" in reply.events[-1]["error"]["message"]


@pytest.mark.parametrize(
    ("parts", "then"),
    [([], "wait"), ([], "close"), ([], "reset"), ([b"zz\r\n"], "close"), ([piece(b"x" * 999)], "wait")],
    ids=["silence", "close", "reset", "broken framing", "trailing"],
)
async def test_end_of_a_finished_stream(parts: list[bytes], then: str) -> None:
    """Whatever comes of the body behind `[DONE]`, the answer is complete, and at once."""

    async def script(exchange: Exchange) -> None:
        await exchange.send(head() + piece(STREAM))
        await asyncio.sleep(0.005)
        await sending(*parts, then=then)(exchange)

    asked = asyncio.get_running_loop().time()
    reply, _ = await ask(script, stream=True)

    assert text_of(reply) == "Good day."
    assert reply.events[-1] == "[DONE]"
    assert asyncio.get_running_loop().time() - asked < 15


async def test_unpacked_flood_leaves_others_their_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    """Little that unpacks to very much is read in pieces, between which everything else in the process goes on."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    unit = (b":" + b" " * 1000 + b"\n") * 1000
    data = b"".join(packer.compress(unit) for _ in range(100)) + packer.flush()
    script = sending(head(more="Content-Encoding: gzip\r\n"), piece(data), piece(b""))
    in_turn, most, over = 0, 0, asyncio.Event()

    class Counting(SSEDecoder):
        @override
        def feed(self, received: bytes) -> list[bytes]:
            nonlocal in_turn, most
            in_turn += len(received)
            most = max(most, in_turn)
            return super().feed(received)

    async def others() -> None:
        nonlocal in_turn
        while not over.is_set():
            in_turn = 0
            await asyncio.sleep(0)

    monkeypatch.setattr(direct, "SSEDecoder", Counting)
    async with providing(script) as provider, calling(provider.port) as call, asyncio.TaskGroup() as group:
        group.create_task(others())
        with pytest.raises(UpstreamFault):
            await call.ask(stream=True)
        over.set()

    assert 0 < most < 4 * 2**20
