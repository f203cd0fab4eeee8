"""Tests Cohere's, Ollama's and Bedrock's emulators over real HTTP: whole answers, streams, refusals and faults."""

import json
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from botocore.eventstream import EventStreamBuffer  # type: ignore[import-untyped]

from tests.support.bedrock_emulator import BEDROCK
from tests.support.builders import user
from tests.support.cohere_emulator import COHERE
from tests.support.emulated import Wire, serving
from tests.support.ollama_emulator import OLLAMA
from tests.support_tests.bedrock_cases import CLAUDE, body, text, tool
from tests.support_tests.bedrock_cases import user as bedrock_user
from tests.support_tests.chat_cases import function

ASKING = "Call f now."
Told = tuple[str, list[tuple[str, str, Any]], str | None]
"""An answer's text, its calls with their ids, and its reasoning."""


def cohere_body(content: str) -> dict[str, Any]:
    """Build a request to Cohere."""
    return {"model": "command-a-03-2025", "messages": [user(content)], "tools": [function("f")]}


def read_cohere(answer: bytes, stream: bool) -> Told:
    """Read Cohere's answer, streamed or whole."""
    if not stream:
        message = json.loads(answer)["message"]
        words = "".join(part["text"] for part in message.get("content") or ())
        calls = [
            (entry["id"], entry["function"]["name"], json.loads(entry["function"]["arguments"]))
            for entry in message.get("tool_calls") or ()
        ]
        return words, calls, None
    words, started, pieces = "", {}, {}
    for line in answer.decode().split("\n"):
        if not line.startswith("data: {"):
            continue
        event = json.loads(line.removeprefix("data: "))
        message = event.get("delta", {}).get("message", {})
        if event["type"] == "content-delta":
            words += message["content"]["text"]
        elif event["type"] == "tool-call-start":
            started[event["index"]] = message["tool_calls"]
            pieces[event["index"]] = ""
        elif event["type"] == "tool-call-delta":
            pieces[event["index"]] += message["tool_calls"]["function"]["arguments"]
    found = [
        (entry["id"], entry["function"]["name"], json.loads(pieces[index]))
        for index, entry in started.items()
    ]
    return words, found, None


def ollama_body(content: str) -> dict[str, Any]:
    """Build a request to Ollama."""
    return {
        "model": "qwen3.5",
        "messages": [user(content)],
        "tools": [function("f")],
        "think": True,
        "stream": False,
    }


def read_ollama(answer: bytes, stream: bool) -> Told:
    """Read Ollama's answer, whose stream is JSON lines."""
    lines = [json.loads(line) for line in answer.splitlines()]
    assert [line["done"] for line in lines] == [False] * (len(lines) - 1) + [True]
    messages = [line["message"] for line in lines]
    calls = [
        (entry["id"], entry["function"]["name"], entry["function"]["arguments"])
        for message in messages
        for entry in message.get("tool_calls", ())
    ]
    words = "".join(message["content"] for message in messages)
    return words, calls, "".join(message.get("thinking", "") for message in messages)


def bedrock_body(content: str) -> dict[str, Any]:
    """Build a request to Bedrock."""
    thinking = {"thinking": {"type": "enabled", "budget_tokens": 1024}}
    return body(bedrock_user(text(content)), tools=[tool("f")], additionalModelRequestFields=thinking)


def read_bedrock(answer: bytes, stream: bool) -> Told:
    """Read Bedrock's answer. Amazon's own decoder reads the stream and checks its checksums."""
    blocks = json.loads(answer)["output"]["message"]["content"] if not stream else joined(answer)
    words = "".join(block.get("text", "") for block in blocks)
    calls = [
        (block["toolUse"]["toolUseId"], block["toolUse"]["name"], block["toolUse"]["input"])
        for block in blocks
        if "toolUse" in block
    ]
    [thought] = [block["reasoningContent"] for block in blocks if "reasoningContent" in block]
    return words, calls, thought["reasoningText"]["text"]


def joined(stream: bytes) -> list[Any]:
    """Join the events of a stream to content blocks."""
    buffer = EventStreamBuffer()
    buffer.add_data(stream)
    blocks: dict[int, Any] = {}
    for event in buffer:
        payload = json.loads(event.payload)
        kind = event.headers[":event-type"]
        block = blocks.setdefault(payload["contentBlockIndex"], {}) if "contentBlockIndex" in payload else {}
        if kind == "contentBlockStart":
            block["toolUse"] = {**payload["start"]["toolUse"], "input": ""}
        elif kind == "contentBlockDelta":
            delta = payload["delta"]
            if "toolUse" in delta:
                block["toolUse"]["input"] += delta["toolUse"]["input"]
            elif "text" in delta:
                block["text"] = block.get("text", "") + delta["text"]
            else:
                told = block.setdefault("reasoningContent", {"reasoningText": {"text": ""}})["reasoningText"]
                told["text"] += delta["reasoningContent"].get("text", "")
    for block in blocks.values():
        if "toolUse" in block:
            block["toolUse"]["input"] = json.loads(block["toolUse"]["input"])
    return list(blocks.values())


Kind = tuple[Wire, str, Callable[[str], dict[str, Any]], Callable[[bytes, bool], Told]]
KINDS: dict[str, Kind] = {
    "cohere": (COHERE, "", cohere_body, read_cohere),
    "ollama": (OLLAMA, "/api/chat", ollama_body, read_ollama),
    "bedrock": (BEDROCK, f"/model/{CLAUDE}/converse", bedrock_body, read_bedrock),
}


@pytest.mark.parametrize("kind", KINDS)
async def test_streams_say_what_answers_say(kind: str) -> None:
    """A stream and a whole answer make the same calls, begin alike, and both or neither reason.

    No call id is repeated.
    """
    wire, path, build, read = KINDS[kind]
    ids: list[str] = []
    async with serving(wire) as emulator, httpx.AsyncClient(trust_env=False) as client:
        for content in ("Hello.", ASKING):
            told: list[Told] = []
            for stream in (False, True):
                address = f"{emulator.base_url}{path}" + ("-stream" if stream and kind == "bedrock" else "")
                asked = build(content) | ({"stream": stream} if kind != "bedrock" else {})
                response = await client.post(address, json=asked)
                assert response.status_code == 200, response.text
                told.append(read(response.content, stream))
                ids += [call_id for call_id, _, _ in told[-1][1]]
            texts, calls = [words for words, _, _ in told], [made for _, made, _ in told]
            assert [[(name, arguments) for _, name, arguments in made] for made in calls] == (
                [[("f", {})]] * 2 if content == ASKING else [[], []]
            )
            assert [words.startswith("You wrote 6 characters.") for words in texts] == [content != ASKING] * 2
            assert [bool(thought) for _, _, thought in told] == [kind != "cohere"] * 2
        assert [record.refusal for record in emulator.requests] == [None] * 4
    assert len(set(ids)) == 2


@pytest.mark.parametrize("kind", KINDS)
async def test_refusals_and_faults(kind: str) -> None:
    """A refusal has the provider's envelope. A scripted error keeps its status, header and message."""
    wire, path, build, _ = KINDS[kind]
    asked = build("Hello.")
    asked["messages"] = [{"role": "nobody", "content": [{"text": "a"}]}]
    async with serving(wire) as emulator, httpx.AsyncClient(trust_env=False) as client:
        illegal = await client.post(f"{emulator.base_url}{path}", json=asked)
        emulator.faults.append({"status": 503, "message": "Busy.", "headers": {"Retry-After": "7"}})
        busy = await client.post(f"{emulator.base_url}{path}", json=asked)

    first = emulator.requests[0]
    assert first.refusal is not None
    assert (illegal.status_code, illegal.json()) == (400, first.refusal.envelope())
    assert (busy.status_code, busy.headers["Retry-After"]) == (503, "7")
    assert "Busy." in busy.text
