"""Tests of the Anthropic emulator's native answers: all blocks, streams that break, tokens, models and counts."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from tests.support.anthropic_emulator import serving_anthropic
from tests.support.emulated import Emulator
from tests.support.messages_grammar import find_message_faults, find_stream_faults
from tests.support_tests.anthropic_cases import MARK, TOOL, U, assistant, body, results, text
from tests.support_tests.anthropic_native_cases import CITED, OPUS, UNKNOWN, searched
from tests.support_tests.test_anthropic_emulator import joined

HEADERS = {
    "x-api-key": "k",
    "anthropic-version": "2023-06-01",
    "anthropic-beta": "emulated-blocks-2026-10-01",
}
ITEMS: list[dict[str, Any]] = [
    {"type": "thinking", "thinking": "One."},
    text("Let me look."),
    *searched(),
    {"type": "thinking", "thinking": "Two."},
    text("It is fine.", citations=[CITED]),
    {"type": "redacted_thinking"},
    UNKNOWN,
    {"type": "tool_use", "name": "f", "input": {"q": "x"}},
    {"type": "tool_use", "name": "f", "input": {}},
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


@pytest.mark.parametrize("model", [OPUS, "claude-sonnet-4-6"])
async def test_blocks_of_a_script_are_the_same_whole_and_streamed(
    client: httpx.AsyncClient, emulator: Emulator, model: str
) -> None:
    """Both answers are legal and have the same blocks, with signatures that are accepted in the history."""
    emulator.faults.extend([{"items": ITEMS}, {"items": ITEMS}])
    asked = body(tools=[TOOL], thinking={"type": "adaptive"}, model=model)

    whole = (await client.post("/v1/messages", json=asked)).json()
    emulator.answered = 0  # the same ids and signatures again
    streamed = await client.post("/v1/messages", json={**asked, "stream": True})

    assert find_message_faults(whole, relayed=True) == []
    assert find_stream_faults(streamed.content, relayed=True) == []
    message = joined(streamed.text)
    assert message["content"] == whole["content"]
    assert [block["type"] for block in whole["content"]] == [item["type"] for item in ITEMS]
    assert whole["content"][0]["thinking"] == ("" if model == OPUS else "One.")
    assert (whole["stop_reason"], message["stop_reason"]) == ("tool_use", "tool_use")
    ids = [block["id"] for block in whole["content"] if block["type"] == "tool_use"]
    history = [U, assistant(*whole["content"]), results(*ids)]
    after = await client.post("/v1/messages", json={**asked, "messages": history})
    assert after.status_code == 200, after.text


async def test_a_stream_can_end_with_an_error(client: httpx.AsyncClient, emulator: Emulator) -> None:
    """The script's error is the last event, behind half a block."""
    emulator.faults.append({"text": "A long text that breaks off.", "ends": "overloaded_error"})

    stream = await client.post("/v1/messages", json=body(stream=True))

    *_, delta, error = stream.text.removesuffix("\n\n").split("\n\n")
    assert delta.startswith("event: content_block_delta\n")
    assert json.loads(error.partition("data: ")[2])["error"]["type"] == "overloaded_error"


@pytest.mark.parametrize(
    ("ends", "stop_sequence"),
    [("pause_turn", None), ("max_tokens", None), ("refusal", None), ("stop_sequence", "STOP")],
)
async def test_an_answer_ends_as_scripted(
    client: httpx.AsyncClient, emulator: Emulator, ends: str, stop_sequence: str | None
) -> None:
    """The stop reason is the script's, and a stop sequence is named. A refusal has details."""
    emulator.faults.append({"text": "So far.", "ends": ends})

    message = (await client.post("/v1/messages", json=body(stop_sequences=["STOP"]))).json()

    assert (message["stop_reason"], message["stop_sequence"]) == (ends, stop_sequence)
    assert ("stop_details" in message) == (ends == "refusal")


async def test_cached_tokens_are_counted_apart(client: httpx.AsyncClient) -> None:
    """Marked tokens are written to the cache at first and read from it later. The total is the count."""
    first = body([{"role": "user", "content": [text("Hello there, who are you?", cache_control=MARK)]}])
    later = {**first, "messages": [*first["messages"], assistant(text("Me.")), U]}
    counted = {name: later[name] for name in ("model", "messages")}

    usages = [(await client.post("/v1/messages", json=asked)).json()["usage"] for asked in (first, later)]
    count = (await client.post("/v1/messages/count_tokens", json=counted)).json()

    written, read = ("cache_creation_input_tokens", "cache_read_input_tokens")
    assert [(usage[written] > 0, usage[read] > 0) for usage in usages] == [(True, False), (False, True)]
    assert count == {"input_tokens": sum(usages[1][name] for name in ("input_tokens", written, read))}


async def test_a_cache_is_filled_without_an_answer(client: httpx.AsyncClient) -> None:
    """No tokens asked for are no blocks."""
    message = (await client.post("/v1/messages", json=body(max_tokens=0))).json()

    assert (message["content"], message["stop_reason"]) == ([], "max_tokens")


async def test_clients_find_models_and_a_server(client: httpx.AsyncClient) -> None:
    """The list, one model, a model that is unknown, and the question whether there is a server."""
    listed = (await client.get("/v1/models")).json()
    one = (await client.get("/v1/models/claude-opus-4-8")).json()

    assert one in listed["data"]
    assert (listed["has_more"], listed["last_id"]) == (False, listed["data"][-1]["id"])
    assert (await client.get("/v1/models/gpt-4.1")).json()["error"]["type"] == "not_found_error"
    assert (await client.head("/")).status_code == 200
    assert (await client.get("/v1/files")).status_code == 404
