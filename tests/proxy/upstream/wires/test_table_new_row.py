"""Tests that a new wire needs nothing but a new row in the table of wires.

The tests send requests for the toy wire through the whole proxy.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from proxy.upstream.select_transport import SelectingUpstream
from tests.proxy.upstream.provider import (
    KEY,
    Exchange,
    Provider,
    Script,
    assert_broken,
    head,
    piece,
    providing,
    text_of,
    whole,
)
from tests.proxy.upstream.wires.toy.plugging import plug_in_toy
from tests.proxy.upstream.wires.toy.sample import TOY_SAMPLE
from tests.support.proxied import MODEL, Proxied, chat, proxied, settings_of


@pytest.fixture(autouse=True)
def _toy(monkeypatch: pytest.MonkeyPatch) -> None:
    plug_in_toy(monkeypatch)


@asynccontextmanager
async def toy_answering(script: Script) -> AsyncIterator[tuple[Proxied, Provider]]:
    """Serve the proxy in front of a toy provider that answers by *script*."""
    async with providing(script) as provider, asyncio.timeout(60):
        entry = {"model": TOY_SAMPLE.model, "api_base": f"http://127.0.0.1:{provider.port}", "api_key": KEY}
        settings = settings_of({MODEL: entry})
        async with proxied(settings, SelectingUpstream.for_settings(settings)) as proxy:
            yield proxy, provider


async def answer_whole(exchange: Exchange) -> None:
    """Send the sample's answer."""
    await exchange.send(whole(TOY_SAMPLE.answer))


async def answer_in_bytes(exchange: Exchange) -> None:
    """Send the sample's stream byte by byte."""
    stream = TOY_SAMPLE.stream
    await exchange.send(head(), *(piece(stream[at : at + 1]) for at in range(len(stream))), piece(b""))


async def break_off(exchange: Exchange) -> None:
    """End the sample's stream after its first event."""
    first, _, _ = TOY_SAMPLE.stream.partition(b"\n\n")
    await exchange.send(head(), piece(first + b"\n\n"), piece(b""))


async def refuse(exchange: Exchange) -> None:
    """Send the sample's error."""
    await exchange.send(whole(TOY_SAMPLE.refusal, status="400 Bad Request"))


async def test_whole_answer_comes_over_the_new_wire() -> None:
    """Path, key header and body are the toy's. The client gets OpenAI's format."""
    async with toy_answering(answer_whole) as (proxy, provider):
        reply = await proxy.post(chat(temperature=0.5, top_p=0.5))

    [exchange] = provider.exchanges
    assert exchange.head.startswith(b"POST /ask/talker HTTP/1.1\r\n")
    assert f"X-Toy-Key: {KEY}\r\n".encode() in exchange.head
    assert json.loads(exchange.body) == {
        "conversation": [{"who": "user", "line": "Hello."}],
        "settings": {"temperature": 0.5},
    }
    assert reply.status == 200
    assert reply.json["choices"][0]["message"]["content"] == "Good day."


async def test_stream_comes_over_the_new_wire() -> None:
    """A stream that arrives byte by byte over the new wire reaches the client in OpenAI's format."""
    async with toy_answering(answer_in_bytes) as (proxy, provider):
        reply = await proxy.post(chat(stream=True))

    assert provider.exchanges[0].head.startswith(b"POST /listen/talker HTTP/1.1\r\n")
    assert text_of(reply) == "Good day."
    assert reply.events[-2]["choices"][0]["finish_reason"] == "stop"
    assert reply.events[-1] == "[DONE]"


async def test_whole_answer_where_a_stream_was_asked_for_becomes_chunks() -> None:
    """The transport turns whole answers into chunks, for every wire."""
    async with toy_answering(answer_whole) as (proxy, _):
        reply = await proxy.post(chat(stream=True))

    assert text_of(reply) == "Good day."
    assert reply.events[-1] == "[DONE]"


async def test_truncated_stream_ends_in_an_error() -> None:
    """A truncated stream ends in an error, and the client gets no finish reason."""
    async with toy_answering(break_off) as (proxy, _):
        reply = await proxy.post(chat(stream=True))

    assert text_of(reply) == "Good "
    assert_broken(reply)


async def test_refusal_gives_the_provider_s_message_and_status() -> None:
    """The toy wire reads the provider's message from the error's body."""
    async with toy_answering(refuse) as (proxy, _):
        reply = await proxy.post(chat())

    assert reply.status == 400
    assert "Too many tokens." in reply.error["message"]


async def test_text_completion_becomes_a_chat() -> None:
    """A text completion is sent as a chat, since the toy's row has no text completions."""
    async with toy_answering(answer_whole) as (proxy, provider):
        reply = await proxy.post({"model": MODEL, "prompt": "Hello."}, "/v1/completions")

    assert provider.exchanges[0].head.startswith(b"POST /ask/talker HTTP/1.1\r\n")
    assert reply.json["choices"][0]["text"] == "Good day."


async def test_embedding_is_refused_before_anything_is_sent() -> None:
    """An embedding request is refused and not sent, since the toy's row has no embeddings."""
    async with toy_answering(answer_whole) as (proxy, provider):
        reply = await proxy.post({"model": MODEL, "input": "Hello."}, "/v1/embeddings")

    assert reply.status == 400
    assert reply.error["message"] == "The provider of this model has no embeddings."
    assert not provider.exchanges
