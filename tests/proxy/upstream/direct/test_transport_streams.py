"""Tests of streams over the direct transport: framing, cuts, breaks and ends."""

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
    """Line ends, comments and cuts do not matter."""

    async def script(exchange: Exchange) -> None:
        await exchange.send(head(), *map(piece, parts), piece(b""))

    reply, _ = await ask(script, stream=True)

    assert text_of(reply) == "Good day."
    assert reply.events[-2]["choices"][0]["finish_reason"] == "stop"
    assert reply.events[-1] == "[DONE]"


@pytest.mark.long
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
async def test_broken_stream_is_never_a_finished_answer(parts: list[bytes], then: str, started: bool) -> None:
    """A broken stream is a 502 before the first chunk, and an error event after it."""
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
async def test_error_event_is_an_error_without_our_secrets(error: Any, text: str, status: int) -> None:
    """An error event is an HTTP error before the first chunk, and the last event after it."""
    reply, _ = await ask(sending(head() + piece(event(error) + DONE) + piece(b"")), stream=True)
    assert reply.status == status
    assert text in reply.error["message"]
    assert len(reply.error["message"]) <= 2000

    reply, _ = await ask(sending(head() + FIRST + piece(event(error) + DONE) + piece(b"")), stream=True)
    assert_broken(reply)
    assert text in reply.events[-1]["error"]["message"]


async def test_large_event_arrives() -> None:
    """An event may be as large as an image, here 2 MiB."""
    large = "x" * (2 * 2**20)
    sent = event(say(large)) + event(STOP) + DONE
    reply, _ = await ask(sending(head(), piece(sent), piece(b"")), stream=True)

    assert text_of(reply) == large
    assert reply.events[-1] == "[DONE]"


async def test_event_without_end_is_refused_at_the_size_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """The stream ends with an error event."""
    monkeypatch.setattr("proxy.upstream.wires.sse_decoder.LARGEST_EVENT", 2**20)
    reply, _ = await ask(flooding(head() + FIRST, b"data: xxxxxxxxxxxxx\n" * 200), stream=True)

    assert_broken(reply)
    assert "too large" in reply.events[-1]["error"]["message"]


@pytest.mark.parametrize(
    ("parts", "then"),
    [([], "wait"), ([], "close"), ([], "reset"), ([b"zz\r\n"], "close"), ([piece(b"x" * 999)], "wait")],
    ids=["silence", "close", "reset", "broken framing", "trailing"],
)
async def test_stream_is_complete_after_done_whatever_follows(parts: list[bytes], then: str) -> None:
    """After ``[DONE]``, the client does not wait for the end of the connection."""

    async def script(exchange: Exchange) -> None:
        await exchange.send(head() + piece(STREAM))
        await asyncio.sleep(0.005)
        await sending(*parts, then=then)(exchange)

    asked = asyncio.get_running_loop().time()
    reply, _ = await ask(script, stream=True)

    assert text_of(reply) == "Good day."
    assert reply.events[-1] == "[DONE]"
    assert asyncio.get_running_loop().time() - asked < 15


async def test_other_tasks_run_while_a_packed_stream_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """A small body may unpack to a very large one, so it is read in pieces."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    unit = (b":" + b" " * 1000 + b"\n") * 1000
    data = b"".join(packer.compress(unit) for _ in range(16)) + packer.flush()
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
