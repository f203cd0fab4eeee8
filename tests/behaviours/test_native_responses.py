"""Tests that a client of the Responses API gets a provider's own responses, and the provider the client's own items.

The provider is xAI at an address of this process, since OpenAI's own address cannot be served here.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from proxy.upstream.select_transport import SelectingUpstream
from tests.proxy.upstream.provider import KEY, Exchange, head, piece, providing, whole
from tests.support.proxied import MODEL, Proxied, Reply, proxied, settings_of
from tests.support.responses_grammar import events_of, find_response_faults, find_stream_faults

PATH = "/v1/responses"
THOUGHT = {"id": "rs_1", "type": "reasoning", "summary": [], "encrypted_content": "gAAAAthought"}
CALL = {
    "id": "fc_1",
    "type": "function_call",
    "status": "completed",
    "arguments": '{"x":1}',
    "call_id": "call_abc",
    "name": "f",
}
SEARCH = {
    "id": "ws_1",
    "type": "web_search_call",
    "status": "completed",
    "action": {"type": "search", "query": "q"},
}
MESSAGE = {
    "id": "msg_1",
    "type": "message",
    "status": "completed",
    "role": "assistant",
    "phase": "commentary",
    "content": [{"type": "output_text", "text": "Well. ✓", "annotations": [], "logprobs": []}],
}
FUNCTION = {"type": "function", "name": "f", "parameters": {"type": "object", "properties": {}}}
TOOLS = [FUNCTION, {"type": "web_search"}, {"type": "custom", "name": "ex", "format": {"type": "text"}}]


def response(output: list[Any], status: str = "completed", **fields: Any) -> dict[str, Any]:
    """Return a response object of the provider's."""
    usage = {
        "input_tokens": 10,
        "input_tokens_details": {"cached_tokens": 4},
        "output_tokens": 5,
        "output_tokens_details": {"reasoning_tokens": 2},
        "total_tokens": 15,
    }
    return {
        "id": "resp_theirs",
        "object": "response",
        "created_at": 1_760_000_001,
        "status": status,
        "background": False,
        "completed_at": 1_760_000_002 if status == "completed" else None,
        "error": None,
        "frequency_penalty": 0.0,
        "incomplete_details": None,
        "instructions": None,
        "max_output_tokens": None,
        "max_tool_calls": None,
        "metadata": {},
        "model": "grok-4",
        "output": output,
        "parallel_tool_calls": True,
        "presence_penalty": 0.0,
        "previous_response_id": None,
        "prompt_cache_key": None,
        "reasoning": {"effort": "high", "summary": None},
        "safety_identifier": None,
        "service_tier": "default",
        "store": False,
        "temperature": 1.0,
        "text": {"format": {"type": "text"}, "verbosity": "medium"},
        "tool_choice": "auto",
        "tools": [],
        "top_logprobs": 0,
        "top_p": 1.0,
        "truncation": "disabled",
        "usage": usage if status == "completed" else None,
        "user": None,
        "moderation": {"kind": "theirs"},
        **fields,
    }


def stream_of(items: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the provider's events for an answer of *items*."""
    events: list[dict[str, Any]] = []

    def add(kind: str, **fields: Any) -> None:
        events.append({"type": f"response.{kind}", "sequence_number": len(events), **fields})

    add("created", response=response([], "in_progress"))
    add("in_progress", response=response([], "in_progress"))
    for index, item in enumerate(items):
        at = {"output_index": index, "item_id": item["id"]}
        draft = {**item, "status": "in_progress"} if "status" in item else item
        if item["type"] == "function_call":
            add("output_item.added", output_index=index, item={**draft, "arguments": ""})
            for text in (item["arguments"][:3], item["arguments"][3:]):
                add("function_call_arguments.delta", **at, delta=text, obfuscation="xy")
            add("function_call_arguments.done", **at, name=item["name"], arguments=item["arguments"])
        elif item["type"] == "custom_tool_call":
            add("output_item.added", output_index=index, item={**draft, "input": ""})
            for text in (item["input"][:2], item["input"][2:]):
                add("custom_tool_call_input.delta", **at, delta=text)
            add("custom_tool_call_input.done", **at, input=item["input"])
        elif item["type"] == "message":
            [part] = item["content"]
            place = {**at, "content_index": 0}
            add("output_item.added", output_index=index, item={**draft, "content": []})
            add("content_part.added", **place, part={**part, "text": ""})
            for text in (part["text"][:2], part["text"][2:]):
                add("output_text.delta", **place, delta=text, logprobs=[], obfuscation="z")
            add("output_text.done", **place, text=part["text"], logprobs=[])
            add("content_part.done", **place, part=part)
        else:
            add("output_item.added", output_index=index, item=draft)
            if item["type"] == "web_search_call":
                add("web_search_call.searching", **at)
        add("output_item.done", output_index=index, item=item)
    add("completed", response=response(items))
    return events


def write(events: list[dict[str, Any]]) -> bytes:
    """Return *events* as the provider sends them."""
    return b"".join(
        b"event: %s\ndata: %s\n\n" % (event["type"].encode(), json.dumps(event).encode()) for event in events
    )


class Provider:
    """The requests that the provider got: their paths and their bodies."""

    def __init__(self) -> None:
        self.paths: list[str] = []
        self.bodies: list[bytes] = []

    @property
    def asked(self) -> Any:
        """The last body."""
        return json.loads(self.bodies[-1])


@asynccontextmanager
async def answering(
    *answers: Any, model: str = "xai/grok-4", **sections: Any
) -> AsyncIterator[tuple[Proxied, Provider]]:
    """Serve the proxy in front of a provider that gives each of *answers* once: events, or a whole response."""
    provider, left = Provider(), list(answers)

    async def script(exchange: Exchange) -> None:
        provider.paths.append(exchange.head.split()[1].decode())
        provider.bodies.append(exchange.body)
        given = left.pop(0)
        if isinstance(given, list):
            await exchange.send(head(), piece(write(given)), piece(b""))
        else:
            await exchange.send(whole(json.dumps(given).encode()))

    async with providing(script) as server, asyncio.timeout(60):
        entry = {"model": model, "api_base": f"http://127.0.0.1:{server.port}/v1", "api_key": KEY}
        settings = settings_of({MODEL: entry}, **sections)
        async with proxied(settings, SelectingUpstream.for_settings(settings)) as proxy:
            yield proxy, provider


async def ask(proxy: Proxied, given: Any = "Hi.", **fields: Any) -> Reply:
    """Post a request for a response."""
    return await proxy.post({"model": MODEL, "input": given, **fields}, PATH)


ITEMS: list[dict[str, Any]] = [THOUGHT, SEARCH, MESSAGE, CALL]
LAST = ("id", "previous_response_id", "store")


async def test_whole_response_is_the_providers_but_for_our_names() -> None:
    async with answering(response(ITEMS)) as (proxy, provider):
        reply = await ask(proxy, tools=TOOLS)

    got = reply.json
    assert (reply.status, provider.paths) == (200, ["/v1/responses"])
    assert find_response_faults(got) == []
    assert got["id"].startswith("resp_")
    assert got["id"] != "resp_theirs"
    assert got["store"] is True
    assert got == {**response(ITEMS), **{name: got[name] for name in LAST}}


async def test_events_are_the_providers_but_for_our_names() -> None:
    async with answering(stream_of(ITEMS)) as (proxy, _):
        reply = await ask(proxy, tools=TOOLS, stream=True)

    events, theirs = events_of(reply.raw), stream_of(ITEMS)
    assert find_stream_faults(reply.raw) == []
    assert len(events) == len(theirs)
    for got, sent in zip(events, theirs, strict=True):
        if "response" in got:
            named = {name: got["response"][name] for name in LAST}
            sent = {**sent, "response": {**sent["response"], **named}}
            assert named["store"] is True
        assert got == sent


async def test_request_is_the_clients_bytes_but_for_what_must_change() -> None:
    """Numbers, escapes, spaces, key order and unknown fields stay."""
    given = (
        b'{"client_metadata": {"a":1.50}, "model":"%s", "input": [ {"role":"user", "content":"caf\\u00e9"} ],'
        b' "temperature": 0.70,"reasoning":{"effort" : "low"},"tools":[{"type":"web_search"},'
        b'{"type":"custom","name":"ex"}], "store":false, "text":{"verbosity":"low"}}'
    ) % MODEL.encode()
    async with answering(response([MESSAGE]), model="xai/grok-3-mini") as (proxy, provider):
        reply = await proxy.post(given, PATH)

    assert reply.status == 200, reply.raw
    [body] = provider.bodies
    for part in (
        b'"client_metadata":{"a":1.50}',
        b'"input":[ {"role":"user", "content":"caf\\u00e9"} ]',
        b'"temperature":0.70',
        b'"reasoning":{"effort" : "low"}',
        b'"tools":[{"type":"web_search"},{"type":"custom","name":"ex"}]',
        b'"model":"grok-3-mini"',
        b'"store":false',
    ):
        assert part in body
    assert list(json.loads(body)) == [
        *("client_metadata", "model", "input", "temperature", "reasoning", "tools", "store", "text")
    ]


@pytest.mark.parametrize("stream", [False, True])
async def test_next_turn_sends_the_stored_items_as_the_provider_wrote_them(stream: bool) -> None:
    """The provider knows none of our ids, so that the conversation stands in the input. Thoughts come encrypted."""
    output = {"type": "function_call_output", "call_id": "call_abc", "output": "42"}
    first_answer = stream_of(ITEMS) if stream else response(ITEMS)
    async with answering(first_answer, response([MESSAGE])) as (proxy, provider):
        first = await ask(proxy, "One.", tools=TOOLS, stream=stream)
        id_ = events_of(first.raw)[-1]["response"]["id"] if stream else first.json["id"]
        second = await ask(proxy, [output], tools=TOOLS, previous_response_id=id_)

    assert second.status == 200, second.raw
    assert second.json["previous_response_id"] == id_
    sent = provider.asked
    assert "previous_response_id" not in sent
    assert sent["store"] is False
    assert sent["input"][1:-1] == ITEMS
    assert {**sent["input"][-1], "id": None} == {**output, "id": None}


async def test_a_call_of_a_custom_tool_stays_one() -> None:
    custom = {
        "id": "ctc_1",
        "type": "custom_tool_call",
        "call_id": "call_c",
        "name": "ex",
        "input": 'text("hi")',
    }
    async with answering(stream_of([custom])) as (proxy, _):
        reply = await ask(proxy, tools=TOOLS, stream=True)

    events, theirs = events_of(reply.raw), stream_of([custom])
    assert [event["type"] for event in events] == [event["type"] for event in theirs]
    assert events[-1]["response"]["output"] == [custom]


async def test_illegal_call_id_is_ours_everywhere() -> None:
    """The client's next request names the call by the id that it got."""
    odd = {**CALL, "call_id": "no id! " + "x" * 60}
    async with answering(stream_of([odd]), response([odd])) as (proxy, _):
        streamed = events_of((await ask(proxy, tools=TOOLS, stream=True)).raw)
        got = (await ask(proxy, tools=TOOLS)).json

    ids = {event["item"]["call_id"] for event in streamed if "item" in event}
    ids |= {item["call_id"] for item in streamed[-1]["response"]["output"]}
    assert len(ids) == 1
    assert " " not in ids.pop()
    assert " " not in got["output"][0]["call_id"]


async def test_empty_last_output_is_filled_from_the_ended_items() -> None:
    events = stream_of(ITEMS)
    events[-1]["response"]["output"] = []
    async with answering(events) as (proxy, _):
        reply = await ask(proxy, tools=TOOLS, stream=True)

    assert events_of(reply.raw)[-1]["response"]["output"] == ITEMS
    assert find_stream_faults(reply.raw) == []


async def test_cut_stream_ends_with_a_failure() -> None:
    events = stream_of([MESSAGE])[:-1]
    async with answering(events) as (proxy, _):
        reply = await ask(proxy, stream=True)

    got = events_of(reply.raw)
    assert [event["type"] for event in got[-2:]] == ["error", "response.failed"]
    assert got[-1]["response"]["output"] == [MESSAGE]
    assert find_stream_faults(reply.raw) == []


async def test_repaired_call_goes_on_canonically_within_its_item() -> None:
    """Arguments that were encoded twice reach the client as one object."""
    twice = {**CALL, "arguments": json.dumps('{"x":1}')}
    async with answering(stream_of([MESSAGE, twice])) as (proxy, _):
        reply = await ask(proxy, tools=TOOLS, stream=True)

    assert find_stream_faults(reply.raw) == []
    items = events_of(reply.raw)[-1]["response"]["output"]
    assert items[0] == MESSAGE
    assert (items[1]["arguments"], items[1]["call_id"]) == ('{"x":1}', "call_abc")


@pytest.mark.parametrize(
    "items",
    [
        [
            {"role": "user", "content": "Hi."},
            {"type": "function_call_output", "call_id": "gone", "output": "1"},
        ],
        [{**THOUGHT, "encrypted_content": None}, {"role": "user", "content": "Hi."}],
    ],
    ids=["an orphan", "a thought that the provider does not know"],
)
async def test_history_that_needs_a_repair_goes_out_as_a_chat(items: list[Any]) -> None:
    """Nothing half native is sent."""
    said = {"role": "assistant", "content": "Hi."}
    chat: dict[str, Any] = {"id": "c", "object": "chat.completion", "model": "grok-4", "created": 1}
    chat["choices"] = [{"index": 0, "message": said, "finish_reason": "stop"}]
    async with answering(chat) as (proxy, provider):
        reply = await ask(proxy, items)

    assert (reply.status, provider.paths) == (200, ["/v1/chat/completions"])
    assert "messages" in provider.asked


async def test_refusal_of_the_provider_is_the_clients() -> None:
    failed = response([], "failed", error={"code": "invalid_prompt", "message": "Not that."})
    async with answering(failed) as (proxy, _):
        reply = await ask(proxy)

    assert reply.status == 400
    assert "Not that." in reply.json["error"]["message"]
