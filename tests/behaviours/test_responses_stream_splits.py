"""Tests that a client's stream does not depend on the pieces in which the provider's bytes arrive.

Each upstream wire answers each scenario: in one piece, byte by byte, in two pieces at many places, and cut off. The
client's stream follows the grammar in all cases. ``make test-deep`` takes more places.
"""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import pytest

from proxy.upstream.select_transport import SelectingUpstream
from tests.proxy.upstream.provider import KEY, Exchange, head, piece, providing
from tests.support.covering_cases import EVERYTHING
from tests.support.emulated import Asked, Said, Wire
from tests.support.openai_emulator import OPENAI
from tests.support.proxied import MODEL, Proxied, proxied, settings_of
from tests.support.responses_emulator import RESPONSES
from tests.support.responses_grammar import events_of, find_stream_faults

PLACES = 300 if EVERYTHING else 12
"""The number of places at which a stream is cut in two. All places together take a quarter of an hour."""

TOOLS = [
    {"type": "function", "name": "f", "parameters": {"type": "object", "properties": {}}, "strict": False},
    {"type": "custom", "name": "ex"},
]
TEXT = "Well. ✓ \U0001f600\nNext."
SAID: dict[str, Said] = {
    "text": Said(TEXT),
    "thought and text": Said(TEXT, reasoning="Let me see."),
    "call": Said(None, (("f", {"q": "1 ✓"}),)),
    "parallel calls": Said(None, (("f", {"q": "1"}), ("f", {}), ("ex", {"input": 'text("hi")\n'}))),
    "text and call": Said(TEXT, (("f", {"q": [1, 2]}),), "Hm."),
}
"""The answers of the models."""

MODELS = {"gemini": "gemini/gemini-3.6-flash", "openai": "openai/gpt-4.1", "responses": "xai/grok-3"}
BEHIND_THE_END = {"gemini": 1, "openai": 3, "responses": 1}
"""The number of last events from the one on that says why the answer ended."""

WIRES: dict[str, Wire] = {"openai": OPENAI, "responses": RESPONSES}


def stream_of(wire: str, said: Said) -> list[bytes]:
    """Return the events of a provider's stream, its closing bytes included."""
    if wire == "gemini":
        return list(_gemini_events(said))
    body = {
        "model": "m",
        "input": "Hi.",
        "messages": [],
        "tools": TOOLS,
        "stream_options": {"include_usage": True},
    }
    asked = Asked({**body, "reasoning": {"summary": "auto"}, "include": ["reasoning.encrypted_content"]})
    return [*WIRES[wire].events(asked, said, 1), WIRES[wire].closing()]


def _gemini_events(said: Said) -> Iterator[bytes]:
    parts: list[dict[str, Any]] = [{"text": said.reasoning, "thought": True}] if said.reasoning else []
    parts += [{"text": text} for text in (said.text or "").partition(" ") if text]
    for index, (name, arguments) in enumerate(said.calls):
        signed = {"thoughtSignature": "c2lnbmVk"} if index == 0 else {}
        parts.append({"functionCall": {"name": name, "args": dict(arguments)}, **signed})
    counts = {"promptTokenCount": 3, "candidatesTokenCount": 4, "totalTokenCount": 7}
    for part in [*parts, {"text": ""}]:
        last = {"finishReason": "STOP"} if part == {"text": ""} else {}
        candidate = {"index": 0, "content": {"role": "model", "parts": [part]}, **last}
        chunk = {"candidates": [candidate], "usageMetadata": counts, "modelVersion": "m"}
        yield b"data: " + json.dumps(chunk, ensure_ascii=False).encode() + b"\r\n\r\n"


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
        base = f"http://127.0.0.1:{server.port}/{'v1beta' if wire == 'gemini' else 'v1'}"
        entry = {"model": MODELS[wire], "api_base": base, "api_key": KEY}
        settings = settings_of({MODEL: entry})
        async with proxied(settings, SelectingUpstream.for_settings(settings)) as proxy:
            yield proxy


async def read(proxy: Proxied) -> bytes:
    """Ask for a stream, and return its bytes."""
    asked = {"model": MODEL, "input": "Hi.", "tools": TOOLS, "stream": True, "store": False}
    reply = await proxy.post({**asked, "reasoning": {"summary": "auto"}}, "/v1/responses")
    assert reply.status == 200, reply.raw
    return reply.raw


def without_ids(raw: bytes) -> list[Any]:
    """Return the events of a stream. Ids are numbered, and times and sealed contents are left out."""
    numbers: dict[str, str] = {}
    text = re.sub(r'"(created_at|completed_at)":\d+', "", raw.decode())
    text = re.sub(r'"encrypted_content":"[^"]*"', "", text)
    return re.sub(
        r"\b(?:resp|msg|rs|fc|ctc|call)_\w+",
        lambda found: numbers.setdefault(found[0], f"id{len(numbers)}"),
        text,
    ).split("\n\n")


@pytest.mark.parametrize(("wire", "name"), [(wire, name) for wire in MODELS for name in SAID])
async def test_stream_is_the_same_at_every_split(wire: str, name: str) -> None:
    events = stream_of(wire, SAID[name])
    raw = b"".join(events)
    places = range(1, len(raw), max(1, len(raw) // PLACES))
    answers = [
        [raw, b""],
        [*(raw[place : place + 1] for place in range(len(raw))), b""],
        *([raw[:place], raw[place:], b""] for place in places),
    ]
    async with answering(wire, *answers) as proxy:
        streams = [await read(proxy) for _ in answers]

    assert find_stream_faults(streams[0]) == []
    assert events_of(streams[0])[-1]["type"] == "response.completed"
    kinds = [item["type"] for item in events_of(streams[0])[-1]["response"]["output"]]
    assert kinds.count("function_call") + kinds.count("custom_tool_call") == len(SAID[name].calls)
    assert [without_ids(stream) for stream in streams[1:]] == [without_ids(streams[0])] * len(streams[1:])


@pytest.mark.parametrize(("wire", "name"), [(wire, name) for wire in MODELS for name in SAID])
async def test_stream_that_is_cut_off_ends_with_a_failure(wire: str, name: str) -> None:
    """The cut comes behind each event, and within each event. What opens no answer is an error before the stream."""
    events = [event for event in stream_of(wire, SAID[name]) if event]
    whole_events = [events[:count] for count in range(1, len(events) - BEHIND_THE_END[wire])]
    answers = [[b"".join(given)] for given in whole_events]
    answers += [[b"".join(given), events[len(given)][:-9]] for given in whole_events]
    asked = {"model": MODEL, "input": "Hi.", "tools": TOOLS, "stream": True, "store": False}
    async with answering(wire, *answers) as proxy:
        replies = [await proxy.post(asked, "/v1/responses") for _ in answers]

    assert {reply.status for reply in replies} <= {200, 502}
    for reply in replies:
        if reply.status == 200:
            assert find_stream_faults(reply.raw) == []
            assert events_of(reply.raw)[-1]["type"] == "response.failed"
