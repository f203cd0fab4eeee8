"""Tests that a stream of Gemini's API does not depend on the pieces in which the provider's bytes arrive.

Each upstream wire answers each scenario: in one piece, byte by byte, in two pieces at many places, and cut off. The
client's stream follows the grammar in all cases, as events and as an array. Gemini's own stream is relayed. ``make
test`` takes a third of the cases, and ``make test-deep`` all cases at all places.
"""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from tests.behaviours.test_messages_stream_splits import (
    BEHIND_THE_END,
    CONVERTED,
    INTERLEAVED,
    answering,
    answers_of,
    calls_of,
)
from tests.behaviours.test_messages_stream_splits import stream_of as message_stream_of
from tests.behaviours.test_responses_stream_splits import SAID as CALLED
from tests.support.covering_cases import share_of
from tests.support.gemini_grammar import answer_of, elements_of, events_of, find_event_faults
from tests.support.native_gemini import ANSWERS, write_events
from tests.support.native_gemini import answer_of as native_answer
from tests.support.native_gemini import events_of as native_events
from tests.support.proxied import MODEL, Proxied, Reply

EVENTS, ARRAY = "events", "array"
PATHS = {
    EVENTS: f"/v1beta/models/{MODEL}:streamGenerateContent?alt=sse",
    ARRAY: f"/v1beta/models/{MODEL}:streamGenerateContent",
}
ASKED: dict[str, Any] = {
    "contents": [{"role": "user", "parts": [{"text": "Hi."}]}],
    "tools": [{"functionDeclarations": [{"name": name, "description": "d"} for name in ("f", "g", "ex")]}],
    "generationConfig": {"thinkingConfig": {"includeThoughts": True}},
}
CASES = [
    *(("openai", name, EVENTS) for name in (INTERLEAVED, *CALLED)),
    *(("claude", name, EVENTS) for name in CONVERTED),
    *(("gemini", name, EVENTS) for name in ANSWERS),
    ("openai", INTERLEAVED, ARRAY),
    ("claude", "interleaved thinking", ARRAY),
    ("gemini", "parallel calls", ARRAY),
]
"""The wire, the answer and the form of the stream. An array differs from events in its framing alone."""


def stream_of(wire: str, name: str) -> list[bytes]:
    """Return the events of a provider's stream, its closing bytes included."""
    if wire == "gemini":
        return write_events(native_events(native_answer(name)))
    return message_stream_of(wire, name)


def called(wire: str, name: str) -> list[str]:
    """Return the names of the calls in an answer."""
    if wire != "gemini":
        return calls_of(wire, name)
    parts, _ = ANSWERS[name]
    return [part["functionCall"]["name"] for part in parts if "functionCall" in part]


async def read(proxy: Proxied, form: str) -> Reply:
    """Ask for a stream, and return its answer."""
    return await proxy.post(ASKED, PATHS[form])


def decoded(reply: Reply, form: str) -> list[Any]:
    """Return the events of a stream."""
    assert reply.status == 200, reply.raw
    return events_of(reply.raw) if form == EVENTS else elements_of(reply.raw)


def without_ids(events: list[Any]) -> list[Any]:
    """Return the events of a stream but for heartbeats. Ids are numbered, and signatures are left out."""
    numbers: dict[str, str] = {}
    text = re.sub(r'"thoughtSignature": "[^"]*"', '"thoughtSignature": ""', json.dumps(events))
    text = re.sub(
        r'"(?:id|responseId)": "[^"]*"',
        lambda found: numbers.setdefault(found[0], f'"id": "{len(numbers)}"'),
        text,
    )
    return [event for event in json.loads(text) if event.keys() != {"candidates"}]


@pytest.mark.parametrize(("wire", "name", "form"), share_of(CASES, 0))
async def test_stream_is_the_same_at_every_split(wire: str, name: str, form: str) -> None:
    answers = answers_of(stream_of(wire, name))
    async with answering(wire, *answers) as proxy:
        streams = [decoded(await read(proxy, form), form) for _ in answers]

    assert find_event_faults(streams[0], relayed=wire == "gemini") == []
    told = answer_of(streams[0])
    parts = told["candidates"][0]["parts"]
    assert [part["functionCall"]["name"] for part in parts if "functionCall" in part] == called(wire, name)
    assert [without_ids(stream) for stream in streams[1:]] == [without_ids(streams[0])] * len(streams[1:])


@pytest.mark.parametrize(("wire", "name", "form"), share_of(CASES, 1))
async def test_stream_that_is_cut_off_ends_with_an_error(wire: str, name: str, form: str) -> None:
    """The cut comes behind each event, and within each event. What opens no answer is an error before the stream."""
    events = [event for event in stream_of(wire, name) if event]
    whole_events = [events[:count] for count in range(1, len(events) - BEHIND_THE_END[wire])]
    answers = [[b"".join(given)] for given in whole_events]
    answers += [[b"".join(given), events[len(given)][:-9]] for given in whole_events]
    async with answering(wire, *answers) as proxy:
        replies = [await read(proxy, form) for _ in answers]

    assert {reply.status for reply in replies} <= {200, 500, 502, 503}
    for reply in replies:
        if reply.status == 200:
            told = decoded(reply, form)
            assert find_event_faults(told, relayed=wire == "gemini") == []
            assert "error" in told[-1]
            finished = [one for event in told for one in event.get("candidates", ()) if "finishReason" in one]
            assert finished == []
        else:
            assert reply.json["error"]["code"] == reply.status
