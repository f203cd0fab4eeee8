"""Tests of a chat as the body of a Messages request."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from proxy.core.errors import InvalidRequest
from proxy.upstream.wires.anthropic.requests import CARRIED, build_request
from tests.proxy.upstream.wires.anthropic.calling import call_to
from tests.support.builders import assistant, call, system, user

Item = dict[str, Any]
SCHEMA = {"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": False}


def body_of(model: str = "claude-sonnet-4-5", /, **parameters: Any) -> Item:
    """Return the body for a chat with *parameters*."""
    body: Item = json.loads(build_request(call_to(model, parameters), stream=False))
    return body


def text(words: str) -> Item:
    """Return a text's block."""
    return {"type": "text", "text": words}


def test_body_has_the_history_and_the_required_fields() -> None:
    """A stream is asked for by one more field."""
    asked = call_to(messages=[system("s"), user("Hi."), assistant("A"), user("B")])
    body = json.loads(build_request(asked, stream=False))
    assert body == {
        "model": "claude-sonnet-4-5",
        "max_tokens": 64_000,
        "system": [text("s")],
        "messages": [
            {"role": "user", "content": [text("Hi.")]},
            {"role": "assistant", "content": [text("A")]},
            {"role": "user", "content": [text("B")]},
        ],
    }
    assert json.loads(build_request(asked, stream=True)) == {**body, "stream": True}


@pytest.mark.parametrize(
    ("parameters", "fields"),
    [
        ({"max_tokens": 5}, {"max_tokens": 5}),
        ({"max_completion_tokens": 5, "max_tokens": 9}, {"max_tokens": 5}),
        ({"temperature": 0.5, "top_k": 4}, {"temperature": 0.5, "top_k": 4}),
        ({"top_p": 0.9}, {"top_p": 0.9}),
        ({"stop": "x"}, {"stop_sequences": ["x"]}),
        ({"stop": ["x", "y"]}, {"stop_sequences": ["x", "y"]}),
        ({"user": "u1"}, {"metadata": {"user_id": "u1"}}),
        ({"reasoning_effort": "low"}, {"thinking": {"type": "enabled", "budget_tokens": 1024}}),
        (
            {"response_format": {"type": "json_schema", "json_schema": {"name": "x", "schema": SCHEMA}}},
            {"output_config": {"format": {"type": "json_schema", "schema": SCHEMA}}},
        ),
        ({"response_format": {"type": "text"}, "n": 1, "parallel_tool_calls": False}, {}),
        ({"seed": 4, "logprobs": True}, {}),
        (
            {"tools": [{"type": "function", "function": {"name": "f", "strict": True}}]},
            {"tools": [{"name": "f", "input_schema": {"type": "object", "properties": {}}, "strict": True}]},
        ),
    ],
)
def test_parameter_has_its_field(parameters: Item, fields: Item) -> None:
    """Parameters without a field are left out, which the plan has reported."""
    plain = body_of()
    assert body_of(**parameters) == {**plain, **fields}


def test_effort_and_format_share_a_field() -> None:
    """``output_config`` has both."""
    form = {"type": "json_schema", "json_schema": {"name": "x", "schema": SCHEMA}}
    body = body_of("claude-opus-4-6", reasoning_effort="low", response_format=form)
    assert body["output_config"] == {"effort": "low", "format": {"type": "json_schema", "schema": SCHEMA}}


def test_fields_of_the_operator_come_last() -> None:
    """An operator may send any field, and allow a parameter that the API lacks."""
    asked = call_to(
        parameters={"seed": 4}, allowed_openai_params=["seed"], extra_body={"max_tokens": 7, "speed": "fast"}
    )
    body = json.loads(build_request(replace(asked, extra_body=asked.deployment.extra_body), stream=False))
    assert (body["seed"], body["max_tokens"], body["speed"]) == (4, 7, "fast")
    assert "seed" not in CARRIED


def test_part_without_a_form_is_refused_with_its_place() -> None:
    """Nothing is left out silently."""
    audio = {"type": "input_audio", "input_audio": {"data": "AAAA", "format": "wav"}}
    with pytest.raises(InvalidRequest) as refusal:
        build_request(call_to(messages=[{"role": "user", "content": [audio]}]), stream=False)
    assert refusal.value.param == "messages[0]"


def test_arguments_of_any_depth_are_no_fault_of_the_proxy() -> None:
    """The depth of arguments is not checked before."""
    deep = '{"a":' * 2000 + "1" + "}" * 2000
    history = [user("Hi."), assistant(None, calls=[call("c1", "f", deep)])]
    body = json.loads(build_request(call_to(messages=history), stream=False))
    assert body["messages"][1]["content"][0]["input"] == {"_raw": deep}
    history = [user("Hi."), assistant(None, calls=[call("c1", "f", '{"a":' * 900 + "1" + "}" * 900)])]
    with pytest.raises(InvalidRequest) as refusal:
        build_request(call_to(messages=history), stream=False)
    assert refusal.value.param == "messages"


def test_half_a_character_becomes_a_replacement() -> None:
    """UTF-8 has no form for it."""
    body = json.loads(
        build_request(call_to(messages=[user("a\ud800")], parameters={"user": "\udfff"}), stream=False)
    )
    assert body["messages"][0]["content"] == [text("a\ufffd")]
    assert body["metadata"] == {"user_id": "\ufffd"}
