"""Tests that a stream of Anthropic's API does not depend on the pieces in which the provider's bytes arrive.

Each upstream wire answers each scenario: in one piece, byte by byte, in two pieces at many places, and cut off. The
client's stream follows the grammar in all cases. Claude's own stream is relayed to a client of its API, and is
converted for a client of chats. ``make test`` takes a third of the cases, and ``make test-deep`` all cases at all
places.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import pytest

from proxy.upstream.select_transport import SelectingUpstream
from tests.behaviours.test_responses_stream_splits import SAID as CALLED
from tests.behaviours.test_responses_stream_splits import stream_of as chat_stream_of
from tests.proxy.upstream.provider import KEY, Exchange, event, head, piece, providing
from tests.support.covering_cases import EVERYTHING, share_of
from tests.support.messages_grammar import events_of, find_stream_faults, message_of
from tests.support.native_messages import ANSWERS, answer_of, write_events
from tests.support.native_messages import events_of as native_events
from tests.support.proxied import CHAT, MODEL, Proxied, proxied, settings_of

PLACES = 10_000 if EVERYTHING else 12
"""The number of places at which a stream is cut in two. All places together take a quarter of an hour."""

SCHEMA = {"type": "object", "properties": {}}
TOOLS = [{"name": name, "description": "d", "input_schema": SCHEMA} for name in ("f", "g", "ex")]
ASKED = {"max_tokens": 1024, "messages": [{"role": "user", "content": "Hi."}], "tools": TOOLS, "stream": True}
CHATTED = {
    "messages": ASKED["messages"],
    "tools": [{"type": "function", "function": {"name": one["name"], "parameters": SCHEMA}} for one in TOOLS],
    "stream": True,
    "stream_options": {"include_usage": True},
}
MODELS = {
    "gemini": "gemini/gemini-3.6-flash",
    "openai": "openai/gpt-4.1",
    "claude": "anthropic/claude-opus-4-8",
}
BASES = {"gemini": "/v1beta", "openai": "/v1", "claude": ""}
BEHIND_THE_END = {"gemini": 1, "openai": 3, "claude": 2}
"""The number of last events from the one on that says why the answer ended."""

INTERLEAVED = "interleaved calls"
"""A stream of OpenAI's form whose calls come in turns. Only one of their blocks may be open at a time."""

PIECES = ((0, '{"q"'), (1, '{"r": '), (0, ": 1"), (1, "[2]}"), (0, "}"))

CASES = [
    ("openai", INTERLEAVED),
    *((wire, name) for wire in ("gemini", "openai") for name in CALLED),
    *(("claude", name) for name in ANSWERS),
]
CONVERTED = ("text", "interleaved thinking", "calls before the text", "server tools", "cut text", "refusal")
"""Answers of Claude that a client of chats gets."""


def stream_of(wire: str, name: str) -> list[bytes]:
    """Return the events of a provider's stream, its closing bytes included."""
    if wire == "claude":
        return write_events(native_events(answer_of(name)))
    return list(_interleaved()) if name == INTERLEAVED else chat_stream_of(wire, CALLED[name])


def calls_of(wire: str, name: str) -> list[str]:
    """Return the names of the calls in an answer."""
    if name == INTERLEAVED:
        return ["f", "g"]
    if wire == "claude":
        return [block["name"] for block in answer_of(name)["content"] if block["type"] == "tool_use"]
    return [called for called, _ in CALLED[name].calls]


def _interleaved() -> Iterator[bytes]:
    begun = [
        {"index": at, "id": f"call_{at}", "type": "function", "function": {"name": name, "arguments": ""}}
        for at, name in enumerate(("f", "g"))
    ]
    pieces = [{"index": at, "function": {"arguments": text}} for at, text in PIECES]
    for one in (*begun, *pieces):
        yield _chunk({"tool_calls": [one]}, None)
    yield _chunk({}, "tool_calls")
    yield event({**HEAD, "choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 4}})
    yield b"data: [DONE]\n\n"


HEAD = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "m"}


def _chunk(delta: Any, reason: str | None) -> bytes:
    return event({**HEAD, "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]})


@asynccontextmanager
async def answering(wire: str, *answers: Sequence[bytes]) -> AsyncIterator[Proxied]:
    """Serve the proxy in front of a provider that sends each of *answers* once, in these pieces.

    An answer whose last piece is not empty is cut off.
    """
    left = list(answers)

    async def script(exchange: Exchange) -> None:
        pieces = left.pop(0)
        await exchange.send(head(), *map(piece, pieces))
        if pieces[-1]:
            exchange.close()

    async with providing(script) as server:
        base = f"http://127.0.0.1:{server.port}{BASES[wire]}"
        settings = settings_of({MODEL: {"model": MODELS[wire], "api_base": base, "api_key": KEY}})
        async with proxied(settings, SelectingUpstream.for_settings(settings)) as proxy:
            yield proxy


async def read(proxy: Proxied, path: str = "/v1/messages") -> bytes:
    """Ask for a stream, and return its bytes."""
    asked = CHATTED if path == CHAT else ASKED
    reply = await proxy.post({"model": MODEL, **asked}, path, {"anthropic-version": "2023-06-01"})
    assert reply.status == 200, reply.raw
    return reply.raw


def without_ids(raw: bytes) -> list[str]:
    """Return the events of a stream but for pings. Ids are numbered, times and signatures are left out."""
    numbers: dict[str, str] = {}
    text = re.sub(r'"created":\d+', "", raw.decode())
    text = re.sub(r'"(signature|thought_signature)":"[^"]*"', "", text)
    text = re.sub(
        r"\b(?:chatcmpl-|msg_|toolu_|call_|req_)[\w-]+",
        lambda found: numbers.setdefault(found[0], f"id{len(numbers)}"),
        text,
    )
    return [event for event in text.split("\n\n") if not event.startswith("event: ping")]


def answers_of(events: list[bytes]) -> list[list[bytes]]:
    """Return the pieces of a stream: whole, byte by byte, and in two pieces at many places."""
    raw = b"".join(events)
    places = range(1, len(raw), max(1, len(raw) // PLACES))
    return [
        [raw, b""],
        [*(raw[place : place + 1] for place in range(len(raw))), b""],
        *([raw[:place], raw[place:], b""] for place in places),
    ]


@pytest.mark.parametrize(("wire", "name"), share_of(CASES, 0))
async def test_stream_is_the_same_at_every_split(wire: str, name: str) -> None:
    answers = answers_of(stream_of(wire, name))
    async with answering(wire, *answers) as proxy:
        streams = [await read(proxy) for _ in answers]

    assert find_stream_faults(streams[0], relayed=wire == "claude") == []
    assert events_of(streams[0])[-1]["type"] == "message_stop"
    message = message_of(streams[0])
    assert message["model"] == MODEL
    calls = [block["name"] for block in message["content"] if block["type"] == "tool_use"]
    assert calls == calls_of(wire, name)
    assert [without_ids(stream) for stream in streams[1:]] == [without_ids(streams[0])] * len(streams[1:])


@pytest.mark.parametrize("name", CONVERTED)
async def test_chat_of_claude_is_the_same_at_every_split(name: str) -> None:
    answers = answers_of(stream_of("claude", name))
    async with answering("claude", *answers) as proxy:
        streams = [await read(proxy, CHAT) for _ in answers]

    assert streams[0].endswith(b"data: [DONE]\n\n")
    assert [without_ids(stream) for stream in streams[1:]] == [without_ids(streams[0])] * len(streams[1:])


@pytest.mark.parametrize(("wire", "name"), share_of(CASES, 1))
async def test_stream_that_is_cut_off_ends_with_an_error(wire: str, name: str) -> None:
    """The cut comes behind each event, and within each event. What opens no answer is an error before the stream."""
    events = [event for event in stream_of(wire, name) if event]
    whole_events = [events[:count] for count in range(1, len(events) - BEHIND_THE_END[wire])]
    answers = [[b"".join(given)] for given in whole_events]
    answers += [[b"".join(given), events[len(given)][:-9]] for given in whole_events]
    async with answering(wire, *answers) as proxy:
        asked = {"model": MODEL, **ASKED}
        replies = [await proxy.post(asked, "/v1/messages") for _ in answers]

    assert {reply.status for reply in replies} <= {200, 500, 502, 529}
    for reply in replies:
        if reply.status == 200:
            assert find_stream_faults(reply.raw, relayed=wire == "claude") == []
            assert events_of(reply.raw)[-1]["type"] == "error"
        else:
            assert reply.json["type"] == "error"
