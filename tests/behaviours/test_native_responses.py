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
from tests.support.native_responses import (
    CALL,
    CUSTOM,
    ITEMS,
    MESSAGE,
    SEARCH,
    THOUGHT,
    TOOLS,
    response,
    stream_of,
    write_stream,
)
from tests.support.proxied import MODEL, Proxied, Reply, proxied, settings_of
from tests.support.responses_grammar import events_of, find_response_faults, find_stream_faults

PATH = "/v1/responses"
CHAT = {
    "id": "c",
    "object": "chat.completion",
    "model": "grok-4",
    "created": 1,
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "Hi."}, "finish_reason": "stop"}],
}


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
        if isinstance(given, bytes):
            await exchange.send(given)
        elif isinstance(given, list):
            await exchange.send(head(), piece(write_stream(given)), piece(b""))
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
    async with answering(stream_of([CUSTOM])) as (proxy, _):
        reply = await ask(proxy, tools=TOOLS, stream=True)

    events, theirs = events_of(reply.raw), stream_of([CUSTOM])
    assert [event["type"] for event in events] == [event["type"] for event in theirs]
    assert events[-1]["response"]["output"] == [CUSTOM]


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
    async with answering(CHAT) as (proxy, provider):
        reply = await ask(proxy, items)

    assert (reply.status, provider.paths) == (200, ["/v1/chat/completions"])
    assert "messages" in provider.asked


async def test_refusal_of_the_provider_is_the_clients() -> None:
    failed = response([], "failed", error={"code": "invalid_prompt", "message": "Not that."})
    async with answering(failed) as (proxy, _):
        reply = await ask(proxy)

    assert reply.status == 400
    assert "Not that." in reply.json["error"]["message"]


@pytest.mark.parametrize("is_native", [True, False])
async def test_only_what_is_left_out_is_reported(is_native: bool) -> None:
    """A chat has neither the search nor its tool. The provider's own format has both."""
    items: list[Any] = [SEARCH, {"role": "user", "content": "Hi."}]
    orphan = {"type": "function_call_output", "call_id": "gone", "output": "1"}
    async with answering(response([MESSAGE]) if is_native else CHAT) as (proxy, _):
        reply = await ask(proxy, items if is_native else [orphan, *items], tools=TOOLS)

    assert reply.status == 200, reply.raw
    assert ("items=2" in reply.headers.get("x-turnright-changes", "")) is not is_native


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("The encrypted content gAAA...== could not be verified.", "invalid_encrypted_content"),
        (
            "The encrypted content for item rs_1 could not be verified. Reason: It could not be decrypted.",
            None,
        ),
    ],
)
async def test_encrypted_thoughts_of_another_account_are_left_out_once(words: str, code: str | None) -> None:
    """Otherwise each later turn of the conversation would be refused."""
    error = {"message": words, "type": "invalid_request_error", "param": None, "code": code}
    refused = json.dumps({"error": error}).encode()
    head_400 = b"HTTP/1.1 400 Bad Request\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
    history = [{"role": "user", "content": "One."}, THOUGHT, MESSAGE, {"role": "user", "content": "Two."}]
    async with answering(head_400 % len(refused) + refused, response([MESSAGE])) as (proxy, provider):
        reply = await ask(proxy, history)

    assert (reply.status, provider.paths) == (200, ["/v1/responses"] * 2)
    said = {name: value for name, value in MESSAGE.items() if name != "id"}
    assert provider.asked["input"] == [history[0], said, history[3]]
    assert "repair=1" in reply.headers["x-turnright-changes"]
