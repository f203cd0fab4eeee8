"""Tests of bodies that are the client's own, but for what the plan has changed."""

from __future__ import annotations

import json
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import pytest

from proxy.core.json_text import write_json
from proxy.core.source import MessagesRequest
from proxy.core.upstream_call import Timeouts, UpstreamCall
from proxy.ingress.anthropic_messages.read_request import read_request
from proxy.upstream.wires.anthropic.native_requests import build_native_request, changed_fields
from tests.proxy.upstream.deployments import deployment_of

MODEL = "claude-sonnet-4-5"
CLAUDE = deployment_of(f"anthropic/{MODEL}", api_key="sk-ours")
TOOL = {"name": "f", "input_schema": {"type": "object"}}
BODY: dict[str, Any] = {
    "model": "ours",
    "max_tokens": 100,
    "temperature": 0.5,
    "top_k": 3,
    "stop_sequences": ["a"],
    "service_tier": "standard_only",
    "thinking": {"type": "enabled", "budget_tokens": 2000},
    "output_config": {"effort": "high", "format": {"type": "json_schema", "schema": {"type": "object"}}},
    "tools": [TOOL],
    "tool_choice": {"type": "any", "disable_parallel_tool_use": True},
    "messages": [{"role": "user", "content": "hi"}],
}


def native_of(**fields: Any) -> tuple[MessagesRequest, UpstreamCall]:
    """Return the native form of :data:`BODY` with *fields*, and the call of it."""
    chat = read_request(write_json({**BODY, **fields}), max_nesting=100)
    assert chat.source is not None
    assert isinstance(chat.source.native, MessagesRequest)
    call = UpstreamCall(
        deployment=CLAUDE,
        messages=chat.messages,
        parameters=chat.parameters,
        extra_body={},
        timeouts=Timeouts(1, 1, 1, 1),
        source=chat.source,
    )
    return chat.source.native, call


def changed(**parameters: Any) -> dict[str, Any]:
    """Return the fields that change where the plan has other *parameters*. None removes one."""
    native, _ = native_of()
    planned = {**native.parameters, **parameters}
    return changed_fields(
        native, {name: value for name, value in planned.items() if value is not None}, MODEL
    )


def test_plan_that_changes_nothing_changes_no_field() -> None:
    """The same parameters, or equal ones."""
    native, _ = native_of()

    assert changed_fields(native, native.parameters, MODEL) == {}
    assert changed() == {}


@pytest.mark.parametrize(
    ("parameters", "fields"),
    [
        ({"temperature": None}, {"temperature": None}),
        ({"temperature": 1, "top_p": 0.1, "top_k": 5}, {"temperature": 1, "top_p": 0.1, "top_k": 5}),
        ({"max_tokens": 50}, {"max_tokens": 50}),
        ({"max_tokens": None, "max_completion_tokens": 50}, {"max_tokens": 50}),
        ({"max_tokens": None}, {}),
        ({"stop": "b"}, {"stop_sequences": ["b"]}),
        ({"stop": None}, {"stop_sequences": None}),
        ({"service_tier": None}, {"service_tier": None}),
        ({"service_tier": "auto"}, {"service_tier": "auto"}),
        ({"tool_choice": "none"}, {"tool_choice": {"type": "none"}}),
        ({"tool_choice": "auto"}, {"tool_choice": {"type": "auto", "disable_parallel_tool_use": True}}),
        ({"tool_choice": None}, {"tool_choice": None}),
        (
            {"reasoning_effort": None},
            {"thinking": None, "output_config": {"format": BODY["output_config"]["format"]}},
        ),
        ({"response_format": None}, {"output_config": {"effort": "high"}}),
        ({"seed": 1}, {}),
    ],
)
def test_changed_parameter_changes_its_field(parameters: dict[str, Any], fields: dict[str, Any]) -> None:
    """Each parameter has its own field, and what has no field is not sent."""
    assert changed(**parameters) == fields


def test_effort_of_the_plan_replaces_the_clients_thinking() -> None:
    """The form is that of the model's generation."""
    assert changed(reasoning_effort="low")["thinking"]["type"] == "enabled"


def test_field_keeps_its_bytes_and_its_place() -> None:
    """A changed field stands where the client wrote it, and new ones come last."""
    _, call = native_of(stream=True)
    call = replace(
        call,
        parameters=MappingProxyType({**call.parameters, "temperature": 1}),
        extra_body={"speed": "fast"},
    )

    body = json.loads(build_native_request(call, stream=True))

    assert [*body] == [*BODY, "stream", "speed"]
    assert body == {**BODY, "model": MODEL, "temperature": 1, "stream": True, "speed": "fast"}


@pytest.mark.parametrize(
    ("given", "stream", "sent"),
    [({}, False, None), ({}, True, True), ({"stream": False}, False, False), ({"stream": True}, False, None)],
)
def test_stream_is_asked_for_as_the_plan_says(given: dict[str, Any], stream: bool, sent: bool | None) -> None:
    """A request that is asked again without a stream has no switch for one."""
    _, call = native_of(**given)

    assert json.loads(build_native_request(call, stream=stream)).get("stream") is sent


def test_planned_messages_and_fields_replace_those_of_the_body() -> None:
    """The fields that a plan has put into the native form go out."""
    native, call = native_of()
    items = [{"role": "user", "content": "other"}]
    renewed = replace(native, items=items, are_own=False, changed={"thinking": None, "system": []})
    assert call.source is not None

    body = json.loads(
        build_native_request(replace(call, source=replace(call.source, native=renewed)), stream=False)
    )

    assert body["messages"] == items
    assert "thinking" not in body
    assert body["system"] == []


def test_value_that_parsers_read_differently_is_written_anew() -> None:
    """A key that is there twice must not reach the provider in another reading than was checked."""
    raw = b'{"model":"m","max_tokens":1,"messages":[{"role":"user","role":"user","content":"x"}]}'
    chat = read_request(raw, max_nesting=100)
    _, call = native_of()

    body = build_native_request(replace(call, source=chat.source, parameters=chat.parameters), stream=False)

    assert body.count(b'"role"') == 1
