"""Tests of the bodies of requests for responses."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from proxy.core.source import ResponsesRequest
from proxy.ingress.openai_responses.fields import read_fields
from proxy.ingress.openai_responses.read_request import to_chat
from proxy.ingress.routes.responses.resolve_input import leave_to_provider
from proxy.upstream.wires.openai_responses.requests import build_request, model_name
from tests.proxy.upstream.wires.openai_responses.calling import FUNCTION, USER, call_for, openai

BODY = (
    b'{"model": "m", "input": [ {"role" : "user", "content": "caf\\u00e9"} ], "store" : false,\n "odd": {"b":1.0,'
    b' "a": 1e2}, "tools": [{"type":"web_search"}], "user": null}'
)
WRITTEN = (
    b'{"model":"gpt-4.1","input":[ {"role" : "user", "content": "caf\\u00e9"} ],"store":false,"odd":{"b":1.0,'
    b' "a": 1e2},"tools":[{"type":"web_search"}],"user":null}'
)


def test_body_is_the_clients_but_for_the_model() -> None:
    """Spaces within values, numbers, escapes, unknown fields and their order stay."""
    assert build_request(call_for(BODY), stream=False) == WRITTEN


def test_text_stays_a_text() -> None:
    """A text as input is no list of items."""
    assert json.loads(build_request(call_for({"input": "Hi."}), stream=False))["input"] == "Hi."


@pytest.mark.parametrize("store", [None, True, False])
def test_provider_stores_nothing(store: bool | None) -> None:
    """Responses are stored by the proxy, if at all."""
    given = {} if store is None else {"store": store}

    assert json.loads(build_request(call_for(given), stream=False))["store"] is False


@pytest.mark.parametrize("name", ["previous_response_id", "conversation"])
def test_stored_conversation_stands_in_the_input(name: str) -> None:
    """The provider does not know the proxy's ids."""
    earlier = {"type": "message", "role": "user", "content": "One."}
    call = call_for({name: "resp_ours", "input": [USER]}, earlier=(earlier,))
    sent = json.loads(build_request(call, stream=False))

    assert name not in sent
    assert sent["input"] == [earlier, USER]


def test_conversation_without_further_input_is_sent_whole() -> None:
    """The client may send the name of the conversation alone."""
    call = call_for(b'{"model":"m","previous_response_id":"resp_ours"}', earlier=(USER,))

    assert json.loads(build_request(call, stream=False))["input"] == [USER]


@pytest.mark.parametrize("given", [b'"resp_theirs"', b'{"id": "conv_theirs"}'])
def test_name_of_a_conversation_at_the_provider_goes_as_it_came(given: bytes) -> None:
    """The proxy does not know it, and the deployment may."""
    name = "conversation" if b"conv" in given else "previous_response_id"
    body = b'{"model":"m","input":[{"role":"user","content":"a"}],"%b":%b,"store":true}' % (
        name.encode(),
        given,
    )
    fields = read_fields(body, max_nesting=9)
    chat = to_chat(fields, fields.items, needs=leave_to_provider(fields).needs).chat
    sent = build_request(replace(call_for(body), source=chat.source), stream=False)

    assert b'"%b":%b' % (name.encode(), given.replace(b": ", b":")) in sent.replace(b": ", b":")
    assert b'"store":false' in sent


@pytest.mark.parametrize("store", [b"", b',"store":true', b',"store":false'])
def test_provider_that_stores_responses_gets_store_as_it_came(store: bytes) -> None:
    """Its thoughts are not asked for either, since it knows them. The client's model must say so, too."""
    body = b'{"model":"m","input":"Hi."%b}' % store
    fields = read_fields(body, max_nesting=9)
    source = to_chat(fields, fields.items, is_left_to_provider=True).chat.source
    stores = replace(openai("openai/gpt-5"), provider_state=True)
    call = replace(call_for(body, stores), source=source)

    assert build_request(call, stream=False) == b'{"model":"gpt-5","input":"Hi."%b}' % store
    for other in (replace(call, deployment=openai("openai/gpt-5")), call_for(body, stores)):
        assert json.loads(build_request(other, stream=False))["store"] is False


def test_thoughts_come_encrypted_where_clients_share_what_is_stored() -> None:
    """No client may name a thought by its id there, so that the next turn would lack it."""
    fields = read_fields(b'{"model":"m","input":"Hi."}', max_nesting=9)
    source = to_chat(fields, fields.items, is_left_to_provider=True).chat.source
    shared = replace(openai("openai/gpt-5"), provider_state=True, serves_objects=False)
    call = call_for(fields.body, shared)
    body = json.loads(build_request(replace(call, source=source), stream=False))

    assert body["include"] == ["reasoning.encrypted_content"]
    assert "store" not in body


def test_repeated_key_is_written_once() -> None:
    """Parsers differ in which of two equal keys counts, so that the provider could read another history."""
    body = b'{"model":"m","input":[{"role":"user","content":"a","content":"b"}],"tools":[{"type":"x","type":"y"}]}'
    sent = build_request(call_for(body), stream=False)

    assert sent.count(b'"content"') == 1
    assert sent.count(b'"type"') == 1


@pytest.mark.parametrize(
    ("given", "stream", "sent"),
    [
        ({"stream": True, "stream_options": {"include_obfuscation": False}}, True, True),
        ({"stream": True, "stream_options": {"include_obfuscation": False}}, False, None),
        ({}, True, True),
        ({"stream": False}, False, None),
    ],
)
def test_stream_is_as_it_is_asked_for(given: dict[str, Any], stream: bool, sent: bool | None) -> None:
    """The deployment may ask for whole answers alone, where the options of streams are refused."""
    body = json.loads(build_request(call_for(given), stream=stream))

    assert body.get("stream") is sent
    assert ("stream_options" in body) is (stream and "stream_options" in given)


@pytest.mark.parametrize(
    ("model", "given", "include"),
    [
        ("gpt-5", {}, ["reasoning.encrypted_content"]),
        ("gpt-5", {"include": ["a"]}, ["a", "reasoning.encrypted_content"]),
        ("gpt-5", {"include": ["reasoning.encrypted_content"]}, ["reasoning.encrypted_content"]),
        ("gpt-5", {"store": False}, None),
        ("gpt-5.1", {}, None),
        ("gpt-5.1", {"reasoning": {"effort": "low"}}, ["reasoning.encrypted_content"]),
        ("gpt-4.1", {}, None),
        ("xai/grok-4.5", {}, ["reasoning.encrypted_content"]),
        ("xai/grok-4.20-non-reasoning", {}, None),
    ],
)
def test_thoughts_of_a_stored_response_come_encrypted(
    model: str, given: dict[str, Any], include: Any
) -> None:
    """Otherwise the next turn would lack them. Models that do not reason refuse the entry."""
    call = call_for(given, openai(model if "/" in model else f"openai/{model}"))

    assert json.loads(build_request(call, stream=False)).get("include") == include


def test_plan_and_operator_change_their_fields_alone() -> None:
    """The operator's fields come last."""
    call = call_for(
        {"tools": [FUNCTION], "temperature": 0.5, "top_p": 0.1}, temperature=None, tool_choice="none"
    )
    call = replace(call, extra_body={"metadata": {"by": "us"}})
    sent = json.loads(build_request(call, stream=False))

    assert "temperature" not in sent
    assert (sent["tool_choice"], sent["top_p"], sent["metadata"]) == ("none", 0.1, {"by": "us"})
    assert sent["tools"] == [FUNCTION]


@pytest.mark.parametrize(
    ("model", "name"), [("azure/gpt5_series/ours", "ours"), ("azure/ours", "ours"), ("xai/grok-4", "grok-4")]
)
def test_model_has_the_providers_name(model: str, name: str) -> None:
    """Azure reads the deployment's name in the body."""
    assert model_name(openai(model, api_base="https://a.test")) == name


def test_instructions_that_stand_among_the_items_leave_their_field() -> None:
    """The provider would repeat the field in its answer."""
    call = call_for({"instructions": "Be brief."})
    source = call.source
    assert source is not None
    assert isinstance(source.native, ResponsesRequest)
    items = [{"type": "message", "role": "system", "content": "Ours."}, USER]
    moved = replace(source.native, items=items, are_own=False, holds_instructions=True)
    body = json.loads(build_request(replace(call, source=replace(source, native=moved)), stream=False))

    assert "instructions" not in body
    assert body["input"] == items
    assert json.loads(build_request(call, stream=False))["instructions"] == "Be brief."
