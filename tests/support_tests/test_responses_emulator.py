"""Tests the emulator of responses over real HTTP, mostly through the real client package."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import httpx
import openai
import pytest
from openai import AsyncOpenAI

from tests.support.emulated import Emulator, Fault
from tests.support.responses_emulator import serving_responses
from tests.support.responses_grammar import events_of, find_response_faults, find_stream_faults

MODEL = "gpt-5.6-sol"
FUNCTION: Any = {
    "type": "function",
    "name": "f",
    "parameters": {"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]},
    "strict": False,
}
CUSTOM: Any = {"type": "custom", "name": "ex"}
NAMESPACE: Any = {"type": "namespace", "name": "n", "description": "Tools.", "tools": [FUNCTION]}
INCLUDE = ["reasoning.encrypted_content"]

CASES: dict[str, tuple[dict[str, Any], Fault, list[str]]] = {
    "text": ({}, {}, ["reasoning", "message"]),
    "text of a model that does not reason": ({"model": "gpt-4.1"}, {}, ["message"]),
    "summary of thoughts": ({"reasoning": {"summary": "auto"}}, {}, ["reasoning", "message"]),
    "call": ({"input": "Call f.", "tools": [FUNCTION]}, {}, ["reasoning", "function_call"]),
    "custom call": ({"input": "Call ex.", "tools": [CUSTOM]}, {}, ["reasoning", "custom_tool_call"]),
    "parallel calls beside a text": (
        {"tools": [FUNCTION, CUSTOM, NAMESPACE]},
        {"calls": [("f", {"q": "1"}), ("n__f", {"q": "2"}), ("ex", {"input": "ls"})]},
        ["reasoning", "function_call", "function_call", "custom_tool_call"],
    ),
    "structured output": (
        {
            "text": {
                "format": {
                    "type": "json_schema",
                    "name": "n",
                    "schema": {"type": "object", "properties": {"a": {"type": "integer"}}},
                }
            }
        },
        {},
        ["reasoning", "message"],
    ),
    "cut": ({}, {"text": "Half an ans", "ends": "max_output_tokens"}, ["reasoning", "message"]),
    "summary of all": (
        {"input": [{"role": "user", "content": "Hi."}, {"type": "compaction_trigger"}]},
        {},
        ["compaction"],
    ),
}
"""Fields of a request, the fault of the answer, and the types of the answer's items."""


@pytest.fixture
async def emulator() -> AsyncIterator[Emulator]:
    """Run the emulator."""
    async with serving_responses() as served:
        yield served


@pytest.fixture
async def client(emulator: Emulator) -> AsyncIterator[AsyncOpenAI]:
    """Connect the real client to the emulator."""
    async with AsyncOpenAI(base_url=emulator.base_url, api_key="x", max_retries=0) as connected:
        yield connected


def asked(**fields: Any) -> dict[str, Any]:
    """Return a request with *fields*."""
    request = {"model": MODEL, "input": "Hello.", "store": False, "include": INCLUDE, **fields}
    return request if request["model"] == MODEL else {**request, "include": []}


@pytest.mark.parametrize("case", CASES)
async def test_whole_answer_and_stream_are_legal_and_equal(emulator: Emulator, case: str) -> None:
    fields, fault, kinds = CASES[case]
    emulator.faults.extend([fault, fault])
    async with httpx.AsyncClient(base_url=emulator.base_url) as http:
        whole = (await http.post("/responses", json=asked(**fields))).json()
        raw = (await http.post("/responses", json=asked(**fields, stream=True))).content

    last = events_of(raw)[-1]["response"]
    assert [item["type"] for item in whole["output"]] == kinds
    assert [item["type"] for item in last["output"]] == kinds
    assert find_response_faults(whole) == []
    assert find_stream_faults(raw) == []
    assert [record.refusal for record in emulator.requests] == [None, None]


async def test_real_client_reads_text_thought_and_usage(client: AsyncOpenAI) -> None:
    answer = await client.responses.create(**asked())

    assert answer.output_text.startswith("You wrote 6 characters.")
    assert answer.usage is not None
    assert answer.usage.total_tokens == answer.usage.input_tokens + answer.usage.output_tokens


async def test_history_of_own_items_goes_on(client: AsyncOpenAI, emulator: Emulator) -> None:
    """Thoughts, calls and their ids come back as they were made, and are accepted."""
    tools = [FUNCTION, CUSTOM, NAMESPACE]
    emulator.faults.append({"calls": [("n__f", {"q": "1"}), ("ex", {"input": "ls"})]})
    first = await client.responses.create(**asked(tools=tools))
    call, custom = first.output[1:]
    assert (call.type, custom.type) == ("function_call", "custom_tool_call")
    items = [item.to_dict() for item in first.output]
    results = [
        {"type": "function_call_output", "call_id": items[1]["call_id"], "output": "1"},
        {"type": "custom_tool_call_output", "call_id": items[2]["call_id"], "output": "a"},
    ]
    assert (items[1]["name"], items[1]["namespace"], items[2]["input"]) == ("f", "n", "ls")

    history = [{"role": "user", "content": "Hi."}, *items, *results]
    second = await client.responses.create(**asked(input=history, tools=tools))

    assert second.output_text == "I have read the tool results."


async def test_reserved_namespace_is_left_out_of_a_call(client: AsyncOpenAI, emulator: Emulator) -> None:
    emulator.faults.append({"calls": [("ex", {"input": "ls"})]})
    tools = [{"type": "namespace", "name": "functions", "description": "", "tools": [CUSTOM]}]
    items: Any = [
        {"type": "additional_tools", "role": "developer", "tools": tools},
        {"role": "user", "content": "Hi."},
    ]

    [_, call] = (await client.responses.create(**asked(input=items))).output

    assert (call.type, call.to_dict().get("namespace")) == ("custom_tool_call", None)


async def test_structured_text_fits_the_schema_and_a_scripted_one_stays(
    client: AsyncOpenAI, emulator: Emulator
) -> None:
    fields = CASES["structured output"][0]
    emulator.faults.extend([{}, {"text": '{"a": 7}'}])

    made = await client.responses.create(**asked(**fields))
    scripted = await client.responses.create(**asked(**fields))

    assert (json.loads(made.output_text), scripted.output_text) == ({"a": 1}, '{"a": 7}')


async def test_refusal_is_recorded_and_keeps_the_scripted_answer(
    client: AsyncOpenAI, emulator: Emulator
) -> None:
    emulator.faults.append({"text": "Scripted."})
    orphan: Any = [{"type": "function_call_output", "call_id": "call_1", "output": "1"}]

    with pytest.raises(openai.BadRequestError, match="No tool call found for function call output"):
        await client.responses.create(**asked(input=orphan))
    answer = await client.responses.create(**asked())

    assert answer.output_text == "Scripted."
    assert [record.status for record in emulator.requests] == [400, 200]
    assert emulator.requests[0].refusal is not None


async def test_scripted_failure_and_items(emulator: Emulator) -> None:
    """A failure has its code, and scripted items are sent as they are."""
    search = {"id": "ws_1", "type": "web_search_call", "status": "completed", "action": {"type": "search"}}
    emulator.faults.extend([{"text": "x", "ends": "server_error"}, {"items": [search]}])
    async with httpx.AsyncClient(base_url=emulator.base_url) as http:
        failed = (await http.post("/responses", json=asked(stream=True))).content
        scripted = (await http.post("/responses", json=asked())).json()

    last = json.loads(failed.rsplit(b"data: ", 1)[1])
    assert (last["type"], last["response"]["error"]["code"]) == ("response.failed", "server_error")
    assert (scripted["status"], scripted["output"]) == ("completed", [search])


@pytest.mark.parametrize("path", ["/v1/responses", "/openai/responses?api-version=x", "/openai/v1/responses"])
async def test_addresses_of_openai_and_azure_are_served(emulator: Emulator, path: str) -> None:
    origin = emulator.base_url.removesuffix("/v1")
    async with httpx.AsyncClient() as http:
        answer = await http.post(origin + path, json=asked())
        other = await http.post(f"{origin}/v1/other", json=asked())

    assert (answer.status_code, other.status_code) == (200, 404)
