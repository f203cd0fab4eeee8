"""Tests that a client of Gemini's API gets the events of every shape of stream, through the whole proxy."""

from __future__ import annotations

import json

import pytest

from tests.behaviours.test_native_gemini_bytes import ARRAY, EVENTS, SMALL, answering, ask, exactly
from tests.proxy.upstream.wires.gemini.test_native_stream import STREAMS
from tests.support.gemini_grammar import events_of


@pytest.mark.each_value
@pytest.mark.parametrize("form", [EVENTS, ARRAY])
@pytest.mark.parametrize("name", STREAMS)
async def test_events_arrive_as_they_were_written(name: str, form: str) -> None:
    """Nothing is added, nothing is left out, and the order is the provider's."""
    events = [json.dumps(one).encode() for one in STREAMS[name]]
    async with answering(*(b"data: %s\n\n" % one for one in events)) as (proxy, _):
        reply = await ask(proxy, SMALL, form)

    assert reply.status == 200, reply.raw
    came = reply.raw.decode().split("\n\n")[:-1]
    relayed = [exactly(one.removeprefix("data: ")) for one in came] if form == EVENTS else exactly(reply.raw)
    assert relayed == [exactly(one) for one in events]


async def test_call_that_is_sent_twice_arrives_once() -> None:
    """Some answers have the same call in two events (hermes#111686). A client would run it twice."""
    call = {"functionCall": {"id": "a", "name": "f", "args": {"x": 1}}}
    parts = ([call], [call], [{"text": ""}])
    events = [{"candidates": [{"content": {"role": "model", "parts": one}, "index": 0}]} for one in parts]
    events[-1]["candidates"][0]["finishReason"] = "STOP"
    async with answering(*(b"data: %s\n\n" % json.dumps(one).encode() for one in events)) as (proxy, _):
        reply = await ask(proxy, SMALL, EVENTS)

    assert reply.status == 200, reply.raw
    assert reply.raw.count(b"functionCall") == 1
    assert events_of(reply.raw)[-1]["candidates"][0]["finishReason"] == "STOP"


@pytest.mark.parametrize("form", [EVENTS, ARRAY])
async def test_finish_reason_that_chats_lack_arrives(form: str) -> None:
    """The text is not lost, and the client reads the reason itself."""
    candidate = {"content": {"role": "model", "parts": [{"text": "a"}]}, "finishReason": "OTHER", "index": 0}
    event = json.dumps({"candidates": [candidate]}).encode()
    async with answering(b"data: %s\n\n" % event) as (proxy, _):
        reply = await ask(proxy, SMALL, form)

    assert reply.status == 200, reply.raw
    assert b'"OTHER"' in reply.raw
    assert b"error" not in reply.raw
