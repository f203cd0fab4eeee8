"""The direct transport on real sockets: a provider that does with its bytes whatever a test says."""

from __future__ import annotations

import asyncio
import gzip
import json
import socket
import struct
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest

from proxy.upstream import direct
from proxy.upstream.selecting import SelectingUpstream
from tests.support.builders import tool, user
from tests.support.proxied import MODEL, Proxied, Reply, chat, proxied, settings_of
from tests.support.scripted_upstream import STOP, answer, say

KEY = "sk-ours-5d0f7c1e"
TOKEN = "token-of-ours"
GOOD = json.dumps(answer("Good day.")).encode()
DONE = b"data: [DONE]\n\n"
BOTH = pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])


def event(chunk: Any, end: bytes = b"\n") -> bytes:
    """Write one event."""
    return b"data: " + json.dumps(chunk).encode() + end + end


STREAM = event(say("Good ")) + event(say("day.")) + event(STOP) + DONE


def whole(
    body: bytes,
    kind: str = "application/json",
    status: str = "200 OK",
    length: int | None = None,
    **headers: str,
) -> bytes:
    """Write an answer whose length is announced; `length` announces another one."""
    named = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in headers.items())
    size = len(body) if length is None else length
    return (
        f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {size}\r\n{named}\r\n".encode() + body
    )


def head(kind: str = "text/event-stream", status: str = "200 OK", more: str = "") -> bytes:
    """Write the head of an answer in chunks."""
    return f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nTransfer-Encoding: chunked\r\n{more}\r\n".encode()


def piece(data: bytes) -> bytes:
    """Write one chunk of an answer; an empty one ends it."""
    return b"%x\r\n%b\r\n" % (len(data), data)


@dataclass(slots=True)
class Exchange:
    """One request, the connection that it came on, and the ways to answer it."""

    head: bytes
    body: bytes
    connection: int
    writer: asyncio.StreamWriter
    reader: asyncio.StreamReader
    written: int = 0
    left: asyncio.Event = field(default_factory=asyncio.Event)

    async def send(self, *parts: bytes) -> None:
        """Write parts, each in a segment of its own."""
        for part in parts:
            self.writer.write(part)
            self.written += len(part)
            await self.writer.drain()
            await asyncio.sleep(0)

    def close(self) -> None:
        """End the connection."""
        self.writer.close()

    def reset(self) -> None:
        """Break the connection."""
        raw: socket.socket = self.writer.get_extra_info("socket")
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.writer.transport.abort()

    async def gone(self) -> None:
        """Wait until the other side closes the connection."""
        try:
            while await self.reader.read(65536):
                pass
        except ConnectionError:
            pass
        self.left.set()


Script = Callable[[Exchange], Awaitable[None]]


@dataclass(slots=True)
class Provider:
    """A server that answers each request by the script."""

    script: Script
    port: int = 0
    connections: int = 0
    exchanges: list[Exchange] = field(default_factory=list)
    came: asyncio.Event = field(default_factory=asyncio.Event)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one connection's requests."""
        self.connections += 1
        connection = self.connections
        try:
            while not writer.is_closing():
                request = await reader.readuntil(b"\r\n\r\n")
                length = next(
                    int(line.split(b":")[1])
                    for line in request.split(b"\r\n")
                    if line.lower().startswith(b"content-length")
                )
                exchange = Exchange(request, await reader.readexactly(length), connection, writer, reader)
                self.exchanges.append(exchange)
                self.came.set()
                await self.script(exchange)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()


@asynccontextmanager
async def providing(script: Script) -> AsyncIterator[Provider]:
    """Serve a provider on a port of the kernel's choice."""
    provider = Provider(script)
    tasks: set[asyncio.Task[None]] = set()

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        tasks.add(task)
        try:
            await provider.serve(reader, writer)
        except asyncio.CancelledError:
            writer.transport.abort()  # the end of the test

    server = await asyncio.start_server(connected, "127.0.0.1", 0)
    provider.port = server.sockets[0].getsockname()[1]
    try:
        yield provider
    finally:
        server.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


@asynccontextmanager
async def before(port: int, **router: Any) -> AsyncIterator[Proxied]:
    """Serve the proxy before a provider on this port."""
    entry = {
        "model": "openai/gpt-4.1",
        "api_base": f"http://127.0.0.1:{port}/v1",
        "api_key": KEY,
        "extra_headers": {"x-team-token": TOKEN},
    }
    settings = settings_of({MODEL: entry}, router_settings=router)
    async with proxied(settings, SelectingUpstream.for_settings(settings)) as proxy:
        yield proxy


async def ask(script: Script, *, stream: bool, **router: Any) -> tuple[Reply, Provider]:
    """Ask once and return the answer; nothing of ours may be in it."""
    async with providing(script) as provider, before(provider.port, **router) as proxy, asyncio.timeout(10):
        reply = await proxy.post(chat(stream=stream))
    shown = f"{reply.raw.decode()} {dict(reply.headers)}"
    assert not {secret for secret in (KEY, TOKEN, "127.0.0.1", str(provider.port)) if secret in shown}
    return reply, provider


def sending(*parts: bytes, then: str = "") -> Script:
    """Return a script that sends parts and then closes, resets or waits."""

    async def script(exchange: Exchange) -> None:
        for part in parts:
            await exchange.send(part)
            await asyncio.sleep(0.01)  # what was sent is read before the connection ends
        if then == "close":
            exchange.close()
        elif then == "reset":
            exchange.reset()
        elif then == "wait":
            await exchange.gone()

    return script


def text_of(reply: Reply) -> str:
    """Join the text of a stream's chunks."""
    chunks = [found for found in reply.events if found != "[DONE]" and "error" not in found]
    return "".join(found["choices"][0]["delta"].get("content") or "" for found in chunks)


def assert_broken(reply: Reply, code: str = "upstream_error") -> None:
    """Check that a started stream ends in an error: no finish reason was made up, and it is not said to be done."""
    assert reply.status == 200
    assert reply.events[-1]["error"]["code"] == code
    assert "[DONE]" not in reply.events
    assert all(found["choices"][0]["finish_reason"] is None for found in reply.events[:-1])


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
        [STREAM + b"trailing \xff garbage\n\ndata: {]\n\n"],
        [STREAM.removesuffix(b"\n\n") + b" \n\n"],
    ],
    ids=["lf", "crlf", "cr", "comments", "bytes", "crlf in threes", "no done", "trailing", "spaces"],
)
async def test_stream(parts: list[bytes]) -> None:
    """A complete stream arrives complete, however it is framed and cut."""

    async def script(exchange: Exchange) -> None:
        await exchange.send(head(), *map(piece, parts), piece(b""))

    reply, _ = await ask(script, stream=True)

    assert text_of(reply) == "Good day."
    assert reply.events[-2]["choices"][0]["finish_reason"] == "stop"
    assert reply.events[-1] == "[DONE]"


async def test_whole_answer() -> None:
    """A whole answer arrives; the provider got the key, the body and nothing of the client's headers."""
    reply, provider = await ask(sending(whole(GOOD)), stream=False)

    assert reply.json["choices"][0]["message"]["content"] == "Good day."
    [exchange] = provider.exchanges
    assert exchange.head.startswith(b"POST /v1/chat/completions HTTP/1.1\r\n")
    assert f"Authorization: Bearer {KEY}\r\n".encode() in exchange.head
    assert f"x-team-token: {TOKEN}\r\n".encode() in exchange.head
    assert json.loads(exchange.body) == {"model": "gpt-4.1", "messages": [user("Hello.")]}


async def test_raw_history_arrives_as_it_came() -> None:
    """The history's bytes on the provider's wire are the client's."""
    messages = b'[ {"role":"user" , "content":"\\u00e9\\/ 1", "x":[1.0,1e2]} ]'
    async with providing(sending(whole(GOOD))) as provider, before(provider.port) as proxy:
        reply = await proxy.post(b'{"messages":' + messages + b',"model":"' + MODEL.encode() + b'","n":1}')

    assert reply.status == 200
    assert messages in provider.exchanges[0].body


FIRST = piece(event(say("Good ")))
HALF = piece(event(say("day."))[:20])


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
        ([piece(event(say("day.")) + event(STOP)[:-1]), piece(b"")], ""),
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


@BOTH
async def test_error_object_in_a_200(stream: bool) -> None:
    """A 200 whose body is an error object, asked for a stream or not, is that error."""
    body = json.dumps({"error": {"message": f"Overloaded, {KEY}.", "code": 529}}).encode()
    reply, _ = await ask(sending(whole(body)), stream=stream)

    assert (reply.status, reply.error["message"]) == (529, "Overloaded, ********.")


@BOTH
@pytest.mark.parametrize(
    "body", [b"<html>Hello</html>", b"", b"\xff\xfe", b"{}", b'{"choices":[7]}'], ids=repr
)
@pytest.mark.parametrize("kind", ["text/html", "application/json"])
async def test_200_that_is_no_answer(body: bytes, kind: str, stream: bool) -> None:
    """A page, nothing, or JSON of another kind is the provider's fault."""
    reply, _ = await ask(sending(whole(body, kind)), stream=stream)

    assert (reply.status, reply.error["code"]) == (502, "upstream_error")


async def test_whole_answer_to_a_stream() -> None:
    """A good answer where a stream was asked for is not passed off as one."""
    reply, _ = await ask(sending(whole(GOOD)), stream=True)

    assert (reply.status, reply.error["code"]) == (502, "upstream_error")
    assert "not a stream" in reply.error["message"]


async def test_large_frame() -> None:
    """A frame of 10 MB arrives."""
    large = "x" * (10 * 2**20)
    sent = event(say(large)) + event(STOP) + DONE
    reply, _ = await ask(sending(head(), piece(sent), piece(b"")), stream=True)

    assert text_of(reply) == large
    assert reply.events[-1] == "[DONE]"


@pytest.mark.parametrize("encoding", ["gzip", "deflate"])
@BOTH
async def test_compressed(encoding: str, stream: bool) -> None:
    """Compressed answers are read, streams in pieces too."""
    packed = gzip.compress if encoding == "gzip" else zlib.compress
    data = packed(STREAM if stream else GOOD)
    parts = [piece(data[at : at + 20]) for at in range(0, len(data), 20)]
    kind = "text/event-stream" if stream else "application/json"
    script = sending(head(kind, more=f"Content-Encoding: {encoding}\r\n"), b"".join(parts), piece(b""))
    reply, _ = await ask(script, stream=stream)

    assert reply.status == 200
    said = text_of(reply) if stream else reply.json["choices"][0]["message"]["content"]
    assert said == "Good day."


@BOTH
async def test_compression_that_is_none(stream: bool) -> None:
    """Bytes that only say that they are compressed are the provider's fault."""
    kind = "text/event-stream" if stream else "application/json"
    reply, _ = await ask(sending(whole(GOOD, kind, Content_Encoding="gzip")), stream=stream)

    assert reply.status == 502


def flooding(start: bytes, unit: bytes) -> Script:
    """Return a script that never ends its body."""

    async def script(exchange: Exchange) -> None:
        await exchange.send(start)
        while True:
            await exchange.send(piece(unit))

    return script


@BOTH
async def test_body_without_end_in_bytes(stream: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """A body that goes on for ever is refused at a limit, and its connection closed."""
    monkeypatch.setattr(direct, "_LARGEST_ANSWER", 2**20)
    reply, provider = await ask(flooding(head("application/json"), b" " * 4096), stream=stream)

    assert (reply.status, reply.error["message"]) == (502, "The provider's answer is too large.")
    assert provider.exchanges[0].written < 16 * 2**20


async def test_event_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """So is an event that does."""
    monkeypatch.setattr("proxy.wires.sse_decoder.LARGEST_EVENT", 2**20)
    reply, _ = await ask(flooding(head() + FIRST, b"data: xxxxxxxxxxxxx\n" * 200), stream=True)

    assert_broken(reply)
    assert "too large" in reply.events[-1]["error"]["message"]


async def test_gzip_bomb(monkeypatch: pytest.MonkeyPatch) -> None:
    """The limit counts what comes out of a compressed body, not what goes in."""
    monkeypatch.setattr(direct, "_LARGEST_ANSWER", 2**20)
    bomb = gzip.compress(b" " * (64 * 2**20))
    reply, _ = await ask(sending(whole(bomb, Content_Encoding="gzip")), stream=False)

    assert (reply.status, reply.error["message"]) == (502, "The provider's answer is too large.")


@pytest.mark.parametrize("start", [b"", head("application/json"), whole(GOOD[:10], length=999)], ids=len)
async def test_whole_answer_without_end_in_time(start: bytes) -> None:
    """A whole answer that does not come to an end is a timeout, and its connection is closed."""
    reply, provider = await ask(sending(start, then="wait"), stream=False, timeout=1)

    assert (reply.status, reply.error["code"]) == (504, "upstream_timeout")
    assert provider.exchanges[0].left.is_set()


@pytest.mark.parametrize("started", [False, True])
async def test_silent_stream(started: bool) -> None:
    """A stream that falls silent is a timeout, before and after its first chunk."""
    script = sending(head(), *([FIRST] if started else []), then="wait")
    reply, provider = await ask(script, stream=True, first_byte_timeout=5 if started else 1, idle_timeout=0.5)

    if started:
        assert_broken(reply, "upstream_timeout")
    else:
        assert (reply.status, reply.error["code"]) == (504, "upstream_timeout")
    assert provider.exchanges[0].left.is_set()


@pytest.mark.parametrize("started", [False, True])
async def test_broken_framing(started: bool) -> None:
    """The client library does not say that a body's framing broke; the time between bytes has to end it."""
    script = sending(head(), *([FIRST] if started else []), b"zz\r\nno chunk\r\n", then="close")
    reply, _ = await ask(script, stream=True, first_byte_timeout=5 if started else 1, idle_timeout=0.5)

    if started:
        assert_broken(reply, reply.events[-1]["error"]["code"])
    else:
        assert reply.status in (502, 504)


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
    assert asyncio.get_running_loop().time() - asked < 5


@BOTH
async def test_redirect_is_not_followed(stream: bool) -> None:
    """A redirect is the provider's fault; where it points to gets neither the request nor the key."""
    async with providing(sending(whole(GOOD))) as other:
        moved = whole(b"", status="307 Temporary Redirect", Location=f"http://127.0.0.1:{other.port}/v1/x")
        reply, provider = await ask(sending(moved), stream=stream)

        assert (reply.status, reply.error["code"]) == (502, "upstream_error")
        assert len(provider.exchanges) == 1
        assert other.connections == 0


@BOTH
async def test_connection_refused(stream: bool) -> None:
    """A port that nobody listens on is a 502 that may be retried."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound and not listening: refused
        port = taken.getsockname()[1]
        async with before(port) as proxy:
            reply = await proxy.post(chat(stream=stream))

    assert (reply.status, reply.error["code"]) == (502, "upstream_unreachable")
    assert str(port) not in reply.raw.decode()


@BOTH
async def test_connect_timeout(stream: bool) -> None:
    """A host that does not take connections is a timeout after the time to connect, not after the whole."""
    with socket.socket() as full:
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        port = full.getsockname()[1]
        fillers = [socket.socket() for _ in range(3)]
        for filler in fillers:  # with the backlog full, the kernel drops what comes
            filler.setblocking(False)
            filler.connect_ex(("127.0.0.1", port))
        async with before(port, connect_timeout=0.3, timeout=20) as proxy, asyncio.timeout(5):
            reply = await proxy.post(chat(stream=stream))
        for filler in fillers:
            filler.close()

    assert (reply.status, reply.error["code"]) == (504, "upstream_timeout")
    assert "could not be reached in time" in reply.error["message"]


@BOTH
@pytest.mark.parametrize("then", ["close", "reset"])
@pytest.mark.parametrize(
    "start", [b"", b"HTTP/1.1 200 OK\r\nContent-", b"not http\r\n\r\n"], ids=["0", "half", "none"]
)
async def test_broken_before_the_head(start: bytes, then: str, stream: bool) -> None:
    """A connection that breaks before there is an answer is a 502 that may be retried; it is asked once."""
    reply, provider = await ask(sending(start, then=then), stream=stream)

    assert (reply.status, reply.error["code"]) == (502, "upstream_unreachable")
    assert len(provider.exchanges) == 1


@pytest.mark.parametrize("then", ["close", "reset"])
async def test_broken_in_a_whole_answer(then: str) -> None:
    """Half an answer is none."""
    reply, _ = await ask(sending(whole(GOOD[:50], length=len(GOOD)), then=then), stream=False)

    assert (reply.status, reply.error["code"]) == (502, "upstream_unreachable")


@BOTH
@pytest.mark.parametrize("status", [400, 401, 403, 429, 500, 503])
async def test_error_status(status: int, stream: bool) -> None:
    """A status is kept with when to try again, and words that quote what is ours lose it."""
    async with providing(sending()) as provider:
        words = f"No: {KEY} {TOKEN} http://127.0.0.1:{provider.port}/v1 at 127.0.0.1:{provider.port}."
        body = json.dumps({"error": {"message": words}}).encode()
        provider.script = sending(whole(body, status=f"{status} X", Retry_After="7", X_Should_Retry="true"))
        async with before(provider.port) as proxy:
            reply = await proxy.post(chat(stream=stream))

    assert reply.status == status
    assert (reply.headers["Retry-After"], reply.headers["x-should-retry"]) == ("7", "true")
    if status in (401, 403):
        assert "not your key" in reply.error["message"]
    else:
        assert reply.error["message"] == "No: ******** ******** ******** at ********."


@BOTH
@pytest.mark.parametrize("rest", ["html", "large", "endless", "silent", "cut"])
async def test_error_status_is_not_lost_over_its_body(
    rest: str, stream: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever an error's body does, the client gets the status and when to try again."""
    monkeypatch.setattr(direct, "_ERROR_S", 0.2)
    start = head("application/json", "429 Slow down", "Retry-After: 7\r\n")
    scripts = {
        "html": sending(start, piece(b"<html>" + KEY.encode()), piece(b"")),
        "large": sending(start, piece(b'{"message":"' + b"x" * 2**20 + b'"}'), piece(b"")),
        "endless": flooding(start, b" " * 4096),
        "silent": sending(start, piece(b"{"), then="wait"),
        "cut": sending(start, piece(b"{"), then="reset"),
    }
    reply, _ = await ask(scripts[rest], stream=stream)

    assert (reply.status, reply.headers["Retry-After"]) == (429, "7")
    assert reply.error["message"] == "The provider answered with status 429."


@pytest.mark.parametrize("kinds", [(False, False), (True, False), (False, True), (True, True)])
async def test_keep_alive(kinds: tuple[bool, bool], monkeypatch: pytest.MonkeyPatch) -> None:
    """A connection is used again after a whole answer and after a finished stream."""
    monkeypatch.setattr(direct, "_AFTER_DONE_S", 2)  # a slow machine is not what is tested

    async def script(exchange: Exchange) -> None:
        if b'"stream":true' in exchange.body:
            await exchange.send(head(), piece(STREAM))
            await asyncio.sleep(0.001)
            await exchange.send(piece(b""))
        else:
            await exchange.send(whole(GOOD))

    async with providing(script) as provider, before(provider.port) as proxy:
        for stream in kinds:
            assert (await proxy.post(chat(stream=stream))).status == 200

    assert [exchange.connection for exchange in provider.exchanges] == [1, 1]


@pytest.mark.parametrize("parts", [[STREAM + b"data: more\n\n"], [STREAM, b"more"], [event({"error": "x"})]])
async def test_unfinished_body_is_not_used_again(parts: list[bytes]) -> None:
    """A connection on which an answer goes on after its end is closed; the next request has one of its own."""

    async def script(exchange: Exchange) -> None:
        if provider.connections == 1:
            await exchange.send(head(), *map(piece, parts))
            await exchange.gone()
        else:
            await exchange.send(whole(GOOD))

    async with providing(script) as provider, before(provider.port) as proxy:
        await proxy.post(chat(stream=True))
        reply = await proxy.post(chat())

    assert reply.json["choices"][0]["message"]["content"] == "Good day."
    assert [exchange.connection for exchange in provider.exchanges] == [1, 2]


async def leave_at(proxy: Proxied, body: Any, until: Callable[[], Awaitable[object]]) -> None:
    """Send a request, wait, and close the client's connection."""
    data = json.dumps(body).encode()
    _, writer = await asyncio.open_connection("127.0.0.1", proxy.server.port)
    writer.write(
        b"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % len(data) + data
    )
    await until()
    writer.transport.abort()


@pytest.mark.parametrize(
    ("start", "stream"),
    [
        (b"", False),
        (whole(GOOD[:10], length=999), False),
        (b"", True),
        (head(), True),
        (head() + FIRST, True),
    ],
    ids=["whole, waiting", "whole, half", "stream, waiting", "stream, headers", "stream, chunk"],
)
async def test_client_that_leaves(start: bytes, stream: bool) -> None:
    """A client that leaves closes the provider's connection at once."""
    async with providing(sending(start, then="wait")) as provider, before(provider.port) as proxy:

        async def until() -> None:
            await provider.came.wait()
            await asyncio.sleep(0.05)

        await leave_at(proxy, chat(stream=stream), until)
        async with asyncio.timeout(0.25):
            await provider.exchanges[0].left.wait()
        await proxy.idle()


async def test_back_pressure() -> None:
    """A client that does not read stops the provider: it gets rid of what the buffers hold, and no more."""
    unit = event(say("x" * 1000))
    sizes: list[int] = []

    async def script(exchange: Exchange) -> None:
        exchange.writer.transport.set_write_buffer_limits(high=0)
        await exchange.send(head())
        while True:
            await exchange.send(piece(unit))

    async with providing(script) as provider, before(provider.port) as proxy:

        async def until() -> None:
            await provider.came.wait()
            while len(sizes) < 2 or sizes[-1] != sizes[-2] or not sizes[-1]:
                await asyncio.sleep(0.3)
                sizes.append(provider.exchanges[0].written)
                assert sizes[-1] < 32 * 2**20, "the provider can go on sending"

        async with asyncio.timeout(10):
            await leave_at(proxy, chat(stream=True), until)
            await proxy.idle()


@BOTH
async def test_nothing_is_sent_when_the_plan_fails(stream: bool) -> None:
    """A history that is refused opens no connection."""
    async with providing(sending(whole(GOOD))) as provider:
        entry = {
            "model": "openai/gpt-4.1",
            "api_base": f"http://127.0.0.1:{provider.port}/v1",
            "api_key": KEY,
        }
        settings = settings_of({MODEL: entry}, sanitize={"mode": "strict"})
        async with proxied(settings, SelectingUpstream.for_settings(settings)) as proxy:
            body = {"model": MODEL, "messages": [user(), tool("c1")], "stream": stream}
            reply = await proxy.post(body)
            assert reply.status == 400
            assert (await proxy.post({"model": "other", "messages": [user()]})).status == 404

    assert provider.connections == 0


async def test_headers_of_the_deployment_stand_alone() -> None:
    """A header that the deployment sets in another spelling replaces ours, and is not sent beside it."""
    async with providing(sending(whole(GOOD))) as provider:
        entry = {
            "model": "openai/x",
            "api_base": f"http://127.0.0.1:{provider.port}/v1",
            "api_key": KEY,
            "extra_headers": {"authorization": "Basic abc", "content-type": "application/json; x=y"},
        }
        settings = settings_of({MODEL: entry})
        async with proxied(settings, SelectingUpstream.for_settings(settings)) as proxy:
            assert (await proxy.post(chat())).status == 200

    sent = provider.exchanges[0].head.lower()
    assert sent.count(b"authorization:") == sent.count(b"content-type:") == 1
    assert b"basic abc" in sent
    assert KEY.encode() not in sent
