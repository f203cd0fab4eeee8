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
from sanitizers.native.responses import Envelope, pack_envelope
from sanitizers.synthetic import MISSING_RESULT
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
from tests.support.seen_requests import SeenRequests

PATH = "/v1/responses"
CHAT = {
    "id": "c",
    "object": "chat.completion",
    "model": "grok-4",
    "created": 1,
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "Hi."}, "finish_reason": "stop"}],
}


@asynccontextmanager
async def answering(
    *answers: Any, model: str = "xai/grok-4", **sections: Any
) -> AsyncIterator[tuple[Proxied, SeenRequests]]:
    """Serve the proxy in front of a provider that gives each of *answers* once: events, or a whole response."""
    provider, left = SeenRequests(), list(answers)

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


async def test_answer_of_the_last_event_alone_gets_its_events() -> None:
    """Some servers send no event of an item. A client that reads events would get an empty answer."""
    events = [event for event in stream_of([MESSAGE, CALL]) if "response" in event]
    async with answering(events) as (proxy, _):
        reply = await ask(proxy, tools=TOOLS, stream=True)

    assert find_stream_faults(reply.raw) == []
    said, called = events_of(reply.raw)[-1]["response"]["output"]
    assert said["content"][0]["text"] == "Well. ✓"
    assert (called["call_id"], called["arguments"]) == ("call_abc", '{"x":1}')


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


USER = {"role": "user", "content": "Hi."}
LATER = {"role": "user", "content": "And?"}
ORPHAN = {"type": "function_call_output", "call_id": "gone", "output": "1"}
SAID = {name: value for name, value in MESSAGE.items() if name != "id"}
CALLED = {name: value for name, value in CALL.items() if name != "id"}
NO_RESULT = {"type": "function_call_output", "call_id": "call_abc", "output": MISSING_RESULT}
LONG = {**CALL, "call_id": "c" * 65}
OWN_THOUGHT = {
    **THOUGHT,
    "encrypted_content": pack_envelope(Envelope("gemini-3", {"call_abc": "SIG"}, None, "Hm.")),
}
TURN = [USER, THOUGHT, SEARCH, MESSAGE, CALL]
OUTPUT = {**NO_RESULT, "output": "1"}
ODD_TOOL = {"type": "function", "name": "f", "parameters": {"type": "array"}}
"""A tool that no provider takes as it is."""

REPAIRS: dict[str, tuple[list[Any], list[Any], str]] = {
    "an output without its call": ([USER, ORPHAN, *TURN[1:4]], TURN[:4], "orphan_drop=1"),
    "a call without its output": ([*TURN, LATER], [*TURN, NO_RESULT, LATER], "pairing=1"),
    "a thought that the provider has not stored": (
        [USER, {**THOUGHT, "encrypted_content": None}, MESSAGE, LATER],
        [USER, SAID, LATER],
        "item_repair=2",
    ),
    "a thought of another model": (
        [USER, OWN_THOUGHT, CALL, OUTPUT],
        [USER, CALLED, OUTPUT],
        "item_repair=2",
    ),
    "a thought without its item": ([USER, THOUGHT, LATER], [USER, LATER], "item_repair=1"),
    "the same item twice": (
        [USER, THOUGHT, MESSAGE, LATER, THOUGHT, MESSAGE],
        [USER, THOUGHT, MESSAGE, LATER],
        "item_repair=2",
    ),
    "an id of another type": (
        [USER, {**MESSAGE, "id": "__fake_id__"}, LATER],
        [USER, SAID, LATER],
        "item_repair=1",
    ),
    "an empty id": (
        [USER, {**CALL, "id": ""}, OUTPUT],
        [USER, CALLED, OUTPUT],
        "item_repair=1",
    ),
    "a search of an unknown kind": (
        [USER, {**SEARCH, "action": {"type": "other"}}, MESSAGE, LATER],
        [USER, MESSAGE, LATER],
        "item_repair=1",
    ),
}


@pytest.mark.parametrize(("given", "sent", "changes"), REPAIRS.values(), ids=REPAIRS)
async def test_repaired_history_keeps_its_items(given: list[Any], sent: list[Any], changes: str) -> None:
    """Only what the provider would refuse is changed, and named. Thoughts, searches and phases stay."""
    async with answering(response([MESSAGE])) as (proxy, provider):
        reply = await ask(proxy, given, tools=TOOLS)

    assert (reply.status, provider.paths) == (200, ["/v1/responses"]), reply.raw
    assert provider.asked["input"] == sent
    assert provider.asked["tools"] == TOOLS
    assert reply.headers["x-turnright-changes"] == changes


async def test_long_id_of_a_call_is_a_digest_on_both_sides() -> None:
    async with answering(response([MESSAGE])) as (proxy, provider):
        await ask(proxy, [USER, LONG, {**NO_RESULT, "call_id": "c" * 65}])

    ids = [item["call_id"] for item in provider.asked["input"][1:]]
    assert ids[0] == ids[1]
    assert len(ids[0]) <= 64


async def test_instructions_of_the_operator_stand_before_those_of_the_client() -> None:
    """The provider repeats its field ``instructions``, which so has nothing of the operator's."""
    async with answering(response([MESSAGE]), general_settings={"instructions": "Ours."}) as (
        proxy,
        provider,
    ):
        reply = await ask(proxy, [USER, THOUGHT, MESSAGE, LATER], instructions="Theirs.")

    sent = provider.asked
    assert [item.get("content") for item in sent["input"][:2]] == ["Ours.", "Theirs."]
    assert sent["input"][2:] == [USER, THOUGHT, MESSAGE, LATER]
    assert "instructions" not in sent
    assert reply.json["instructions"] == "Theirs."


@pytest.mark.parametrize(("mode", "status"), [("observe", 200), ("off", 200), ("strict", 400)])
async def test_other_modes_send_the_items_as_they_came_or_refuse_them(mode: str, status: int) -> None:
    """Mode observe names what would be changed. Mode strict lists it, with the indexes of items."""
    items = [USER, THOUGHT, LATER]
    async with answering(response([MESSAGE]), sanitize={"mode": mode}) as (proxy, provider):
        reply = await ask(proxy, items)

    assert reply.status == status
    if mode == "strict":
        assert provider.paths == []
        [change] = reply.json["error"]["changes"]
        assert (change["step"], change["index"], change["reason"]) == ("item_repair", 1, "reasoning_alone")
    else:
        assert provider.asked["input"] == items


async def test_changed_tool_goes_out_as_a_chat() -> None:
    """Nothing half native is sent."""
    async with answering(CHAT) as (proxy, provider):
        reply = await ask(proxy, [USER], tools=[ODD_TOOL])

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
    async with answering(response([MESSAGE]) if is_native else CHAT) as (proxy, _):
        reply = await ask(proxy, items, tools=TOOLS if is_native else [*TOOLS, ODD_TOOL])

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
    assert "repair=2" in reply.headers["x-turnright-changes"]


REFUSALS: dict[str, tuple[str, int, list[Any]]] = {
    "thought alone": (
        "Item 'rs_1' of type 'reasoning' was provided without its required following item.",
        400,
        [USER, SAID, CALLED],
    ),
    "item without its thought": (
        "Item 'fc_1' of type 'function_call' was provided without its required 'reasoning' item: 'rs_0'.",
        400,
        [USER, THOUGHT, MESSAGE, CALLED],
    ),
    "item that is not stored": (
        "Item with id 'rs_1' not found. Items are not persisted when `store` is set to false. Try again with `store` "
        "set to true, or remove this item from your input.",
        404,
        [USER, {**{k: v for k, v in THOUGHT.items() if k != "id"}}, MESSAGE, CALL],
    ),
    "id": (
        "Invalid 'input[2].id': 'msg_1'. Expected an ID that begins with 'x'.",
        400,
        [USER, THOUGHT, SAID, CALL],
    ),
    "duplicate": ("Duplicate item found with id fc_1. Remove it.", 400, []),
}


@pytest.mark.parametrize(("words", "status", "sent"), REFUSALS.values(), ids=REFUSALS)
async def test_item_that_the_provider_names_is_repaired_once(
    words: str, status: int, sent: list[Any]
) -> None:
    """The provider's words name a fault that only the provider knows. The repaired request is sent once more."""
    error = {"message": words, "type": "invalid_request_error", "param": "input", "code": None}
    refused = json.dumps({"error": error}).encode()
    head = b"HTTP/1.1 %d No\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
    history = [USER, THOUGHT, MESSAGE, CALL, OUTPUT]
    async with answering(head % (status, len(refused)) + refused, response([MESSAGE])) as (proxy, provider):
        reply = await ask(proxy, history)

    if sent:
        assert (reply.status, len(provider.paths)) == (200, 2), reply.raw
        assert provider.asked["input"] == [*sent, OUTPUT]
        assert "repair=" in reply.headers["x-turnright-changes"]
    else:  # there is none, so that nothing changes
        assert (reply.status, len(provider.paths)) == (400, 1)
