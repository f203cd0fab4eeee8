"""Tests of answers over the direct transport: the request, valid answers and invalid answers."""

from __future__ import annotations

import asyncio
import gzip
import json
import zlib
from random import Random

import pytest

from proxy.upstream.direct import transport as direct
from proxy.upstream.direct.answer_bodies import AnswerBody
from proxy.upstream.direct.connector import CheckedConnection
from proxy.upstream.select_transport import SelectingUpstream
from tests.proxy.upstream.provider import (
    BOTH,
    DONE,
    GOOD,
    KEY,
    STREAM,
    TOKEN,
    ask,
    before,
    event,
    flooding,
    head,
    piece,
    providing,
    sending,
    text_of,
    whole,
)
from tests.support.builders import tool, user
from tests.support.proxied import MODEL, proxied, settings_of
from tests.support.scripted_upstream import STOP, answer, say


async def test_whole_answer_arrives_and_no_client_header_is_sent() -> None:
    """The provider gets the key, the deployment's header and the body."""
    reply, provider = await ask(sending(whole(GOOD)), stream=False)

    assert reply.json["choices"][0]["message"]["content"] == "Good day."
    [exchange] = provider.exchanges
    assert exchange.head.startswith(b"POST /v1/chat/completions HTTP/1.1\r\n")
    assert f"Authorization: Bearer {KEY}\r\n".encode() in exchange.head
    assert f"x-team-token: {TOKEN}\r\n".encode() in exchange.head
    assert json.loads(exchange.body) == {"model": "gpt-4.1", "messages": [user("Hello.")]}


async def test_unchanged_history_reaches_the_provider_byte_for_byte() -> None:
    """Spaces, escapes and number formats stay."""
    messages = b'[ {"role":"user" , "content":"\\u00e9\\/ 1", "x":[1.0,1e2]} ]'
    async with providing(sending(whole(GOOD))) as provider, before(provider.port) as proxy:
        reply = await proxy.post(b'{"messages":' + messages + b',"model":"' + MODEL.encode() + b'","n":1}')

    assert reply.status == 200
    assert messages in provider.exchanges[0].body


@BOTH
async def test_error_object_in_a_200_is_an_error(stream: bool) -> None:
    """An error object in a 200 gives the status that the object names, whole or streamed."""
    body = json.dumps({"error": {"message": f"Overloaded, {KEY}.", "code": 529}}).encode()
    reply, _ = await ask(sending(whole(body)), stream=stream)

    assert (reply.status, reply.error["message"]) == (529, "Overloaded, ********.")


@BOTH
@pytest.mark.parametrize(
    "body", [b"<html>Hello</html>", b"", b"\xff\xfe", b"{}", b'{"choices":[7]}'], ids=repr
)
async def test_200_without_an_answer_is_a_502(body: bytes, stream: bool) -> None:
    """A page, an empty body and other JSON are the provider's fault."""
    reply, _ = await ask(sending(whole(body, "text/html")), stream=stream)

    assert (reply.status, reply.error["code"]) == (502, "upstream_error")


@pytest.mark.parametrize("encoding", ["gzip", "deflate"])
@BOTH
async def test_compressed_answers_are_unpacked(encoding: str, stream: bool) -> None:
    """A stream is unpacked piece by piece."""
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
@pytest.mark.parametrize("packed", [False, True], ids=["plain", "compressed"])
@pytest.mark.parametrize("last_piece", [1, 100_000])
async def test_reading_resumes_after_a_pause_of_the_connection(
    packed: bool, stream: bool, last_piece: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All bytes arrive, also those that were unpacked before the pause."""
    pauses = 0
    known, known_next = CheckedConnection.pause_reading, AnswerBody.next

    def pause(handler: CheckedConnection) -> None:
        nonlocal pauses
        pauses += 1
        known(handler)

    async def take_slowly(body: AnswerBody) -> bytes:
        await asyncio.sleep(0.005)
        return await known_next(body)

    monkeypatch.setattr(CheckedConnection, "pause_reading", pause)
    monkeypatch.setattr(AnswerBody, "next", take_slowly)
    large = Random(1).randbytes(2**19).hex()
    if stream:
        data = event(say(large[:-5])) + event(say(large[-5:])) + event(STOP) + DONE
    else:
        data = json.dumps(answer(large)).encode()
    data = gzip.compress(data) if packed else data
    more = "Content-Encoding: gzip\r\n" if packed else ""
    start = head("text/event-stream" if stream else "application/json", more=more)
    script = sending(start, piece(data[:-last_piece]), piece(data[-last_piece:]), piece(b""))
    reply, _ = await ask(script, stream=stream)

    assert pauses
    assert (text_of(reply) if stream else reply.json["choices"][0]["message"]["content"]) == large


@BOTH
async def test_body_that_is_not_compressed_as_announced_is_a_502(stream: bool) -> None:
    """The client gets the same error for a whole answer and for a stream."""
    kind = "text/event-stream" if stream else "application/json"
    reply, _ = await ask(sending(whole(GOOD, kind, Content_Encoding="gzip")), stream=stream)

    assert reply.status == 502


@BOTH
@pytest.mark.parametrize("unit", [b" ", b"x"], ids=["blank", "text"])
async def test_body_without_end_is_refused_at_the_size_limit(
    unit: bytes, stream: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The connection is closed at the limit."""
    monkeypatch.setattr(direct, "_LARGEST_ANSWER", 2**20)
    reply, provider = await ask(flooding(head("application/json"), unit * 4096), stream=stream)

    assert (reply.status, reply.error["message"]) == (502, "The provider's answer is too large.")
    assert provider.exchanges[0].written < 16 * 2**20


@BOTH
@pytest.mark.parametrize("unit", [b" ", b"x"], ids=["blank", "text"])
async def test_size_limit_counts_unpacked_bytes(
    unit: bytes, stream: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The limit counts unpacked bytes, since a small packed body may unpack to a very large one."""
    monkeypatch.setattr(direct, "_LARGEST_ANSWER", 2**20)
    bomb = gzip.compress(unit * (4 * 2**20))
    reply, _ = await ask(sending(whole(bomb, Content_Encoding="gzip")), stream=stream)

    assert (reply.status, reply.error["message"]) == (502, "The provider's answer is too large.")


@BOTH
async def test_refused_request_opens_no_connection(stream: bool) -> None:
    """A request that cannot be planned is refused before any call."""
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
