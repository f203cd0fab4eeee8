"""Tests of the Anthropic emulator over real HTTP, as its clients see it."""

import json
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from tests.support.anthropic_emulator import judge_anthropic, serving_anthropic
from tests.support.anthropic_emulator.signatures import is_signed
from tests.support.emulated import Emulator
from tests.support_tests.anthropic_cases import THINKING, TOOL, U, body, called, results

HEADERS = {"x-api-key": "k", "anthropic-version": "2023-06-01"}
ASKING: dict[str, Any] = {"role": "user", "content": "Call f and g now."}
TOOLS: list[Any] = [
    {**TOOL, "name": name, "input_schema": {"type": "object", "properties": {"q": {"type": "string"}}}}
    for name in ("f", "g")
]


@pytest.fixture
async def emulator() -> AsyncIterator[Emulator]:
    """Run Anthropic's emulator, and yield it."""
    async with serving_anthropic() as served:
        yield served


@pytest.fixture
async def client(emulator: Emulator) -> AsyncIterator[httpx.AsyncClient]:
    """Connect an HTTP client to the emulator."""
    async with httpx.AsyncClient(base_url=emulator.base_url, headers=HEADERS, trust_env=False) as connected:
        yield connected


async def ask(client: httpx.AsyncClient, asked: Any) -> Any:
    """Send a request and return the message of its answer, streamed or not."""
    response = await client.post("/v1/messages", json=asked)
    assert response.status_code == 200, response.text
    if not asked.get("stream"):
        return response.json()
    assert response.headers["content-type"].startswith("text/event-stream")
    return joined(response.text)


def joined(stream: str) -> Any:
    """Return the message that clients build from the events of a stream."""
    message: Any = {}
    for event in stream.removesuffix("\n\n").split("\n\n"):
        name, data = event.split("\n")
        value = json.loads(data.removeprefix("data: "))
        assert name == f"event: {value['type']}"
        if value["type"] == "message_start":
            message = value["message"]
        elif value["type"] == "content_block_start":
            assert value["index"] == len(message["content"])
            message["content"].append(value["content_block"])
        elif value["type"] == "content_block_delta":
            take(message["content"][value["index"]], value["delta"])
        elif value["type"] == "message_delta":
            message |= value["delta"]
    for block in message["content"]:
        if "partial" in block:
            block["input"] = json.loads(block.pop("partial"))
    return message


def take(block: Any, delta: Any) -> None:
    """Add *delta*, a piece from the stream, to *block*."""
    if delta["type"] == "citations_delta":
        block["citations"].append(delta["citation"])
        return
    kinds = {
        "text_delta": "text",
        "thinking_delta": "thinking",
        "signature_delta": "signature",
        "input_json_delta": "partial_json",
    }
    key = kinds[delta["type"]]
    place = "partial" if key == "partial_json" else key
    block[place] = block.get(place, "") + delta[key]


@pytest.mark.parametrize("stream", [False, True])
async def test_anthropic_emulator_answers_and_records_the_request(
    client: httpx.AsyncClient, emulator: Emulator, stream: bool
) -> None:
    """A question gets a text, and the request is recorded with its verdict."""
    message = await ask(client, body(stream=stream))

    assert message["content"] == [
        {"type": "text", "text": "You wrote 6 characters. This is answer number 1."}
    ]
    assert (message["role"], message["stop_reason"]) == ("assistant", "end_turn")
    assert message["usage"]["input_tokens"] > 0
    [record] = emulator.requests
    assert (record.body["messages"], record.refusal, record.status) == ([U], None, 200)
    assert await record.ended() == "complete"


@pytest.mark.parametrize("stream", [False, True])
async def test_calls_with_a_thought(client: httpx.AsyncClient, stream: bool) -> None:
    """Tools that the user names are called after a signed thought, and the answer is accepted in the history."""
    asked = body([ASKING], tools=TOOLS, thinking=THINKING, stream=stream)

    message = await ask(client, asked)

    thought, *calls = message["content"]
    assert is_signed(thought["thinking"], thought["signature"])
    assert [(call["name"], call["input"]) for call in calls] == [
        ("f", {"q": "some q"}),
        ("g", {"q": "some q"}),
    ]
    assert all(call["id"].startswith("toolu_") for call in calls)
    assert message["stop_reason"] == "tool_use"
    history = [
        ASKING,
        {"role": "assistant", "content": message["content"]},
        results(*(call["id"] for call in calls)),
    ]
    after = await ask(client, {**asked, "messages": history})
    assert [block["type"] for block in after["content"]] == ["thinking", "text"]


async def test_anthropic_emulator_refuses_an_illegal_history(
    client: httpx.AsyncClient, emulator: Emulator
) -> None:
    """An illegal history gets a 400 in Anthropic's envelope, and the record of the request holds the refusal."""
    asked = body([U, called("a"), U], tools=[TOOL], stream=True)

    response = await client.post("/v1/messages", json=asked)

    refusal = judge_anthropic(asked)
    assert refusal is not None
    assert (response.status_code, response.json()) == (400, refusal.envelope())
    assert emulator.requests[-1].refusal == refusal


async def test_headers_are_judged(emulator: Emulator) -> None:
    """A request without a key gets a 401 of the type `authentication_error`."""
    async with httpx.AsyncClient(base_url=emulator.base_url, trust_env=False) as client:
        response = await client.post("/v1/messages", json=body())

    assert (response.status_code, response.json()["error"]["type"]) == (401, "authentication_error")


async def test_anthropic_emulator_follows_its_script(client: httpx.AsyncClient, emulator: Emulator) -> None:
    """Errors, calls and cut streams can be scripted. The request after the scripted ones is served normally."""
    emulator.faults.extend(
        [
            {"status": 529, "message": "Overloaded"},
            {"calls": [("f", {"q": "x"})], "reasoning": "Hm."},
            {"cut_after_chunks": 2},
        ]
    )

    overloaded = await client.post("/v1/messages", json=body())
    scripted = await ask(client, body())
    with pytest.raises(httpx.RemoteProtocolError):
        await client.post("/v1/messages", json=body(stream=True))
    served = await ask(client, body())

    assert (overloaded.status_code, overloaded.json()["error"]["type"]) == (529, "overloaded_error")
    assert [block["type"] for block in scripted["content"]] == ["thinking", "tool_use"]
    assert served["content"][0]["type"] == "text"
    assert [record.finished for record in emulator.requests] == ["complete", "complete", "cut", "complete"]
