"""Tests of the request that a chat becomes."""

from __future__ import annotations

import json
from typing import Any

import pytest

from proxy.core.deployment import Deployment
from proxy.core.upstream_call import UpstreamCall
from proxy.upstream.wires.openai_responses.from_chat import build_request_of_chat
from tests.proxy.upstream.deployments import LIMITS
from tests.proxy.upstream.wires.openai_responses.calling import openai

HI = [{"role": "user", "content": "Hi."}]
ITEM = {"type": "message", "role": "user", "content": "Hi."}


def body_of(
    parameters: dict[str, Any] | None = None,
    deployment: Deployment | None = None,
    *,
    stream: bool = False,
    messages: list[dict[str, Any]] = HI,
    **fields: Any,
) -> dict[str, Any]:
    """Return the body for a chat with *parameters*."""
    call = UpstreamCall(deployment or openai("openai/o3-pro"), messages, parameters or {}, LIMITS, **fields)
    body: dict[str, Any] = json.loads(build_request_of_chat(call, stream=stream))
    return body


def test_chat_becomes_items_and_nothing_is_stored() -> None:
    assert body_of() == {"model": "o3-pro", "input": [ITEM], "store": False}
    assert body_of(stream=True) == {"model": "o3-pro", "input": [ITEM], "store": False, "stream": True}


@pytest.mark.parametrize(
    ("parameters", "fields"),
    [
        ({"max_tokens": 20}, {"max_output_tokens": 20}),
        ({"max_completion_tokens": 30, "max_tokens": 20}, {"max_output_tokens": 30}),
        ({"reasoning_effort": "high"}, {"reasoning": {"effort": "high"}}),
        ({"reasoning_effort": "default"}, {}),
        ({"verbosity": "low"}, {"text": {"verbosity": "low"}}),
        ({"response_format": {"type": "json_object"}}, {"text": {"format": {"type": "json_object"}}}),
        (
            {
                "verbosity": "low",
                "response_format": {
                    "type": "json_schema",
                    "json_schema": {"name": "n", "schema": {"type": "object"}, "strict": True},
                },
            },
            {
                "text": {
                    "verbosity": "low",
                    "format": {
                        "type": "json_schema",
                        "name": "n",
                        "schema": {"type": "object"},
                        "strict": True,
                    },
                }
            },
        ),
        ({"logprobs": True}, {"include": ["message.output_text.logprobs"]}),
        (
            {"logprobs": True, "top_logprobs": 2},
            {"include": ["message.output_text.logprobs"], "top_logprobs": 2},
        ),
        ({"logprobs": False, "top_logprobs": 2}, {}),
        *(
            ({name: value}, {name: value})
            for name, value in {
                "parallel_tool_calls": False,
                "prompt_cache_key": "k",
                "safety_identifier": "s",
                "service_tier": "flex",
                "temperature": 0.5,
                "top_p": 0.9,
                "user": "u",
            }.items()
        ),
        ({"tool_choice": "required"}, {"tool_choice": "required"}),
        (
            {"tool_choice": {"type": "function", "function": {"name": "f"}}},
            {"tool_choice": {"type": "function", "name": "f"}},
        ),
        ({"stop": ["x"], "n": 1, "seed": 3, "store": True, "logit_bias": {}, "temperature": None}, {}),
    ],
)
def test_parameters_have_their_fields(parameters: dict[str, Any], fields: dict[str, Any]) -> None:
    """A parameter without a field is not sent, since OpenAI refuses unknown ones."""
    body = body_of(parameters)

    assert {name: value for name, value in body.items() if name not in ("input", "model", "store")} == fields
    assert body["store"] is False


@pytest.mark.parametrize(
    ("function", "flat"),
    [
        ({"name": "f"}, {"name": "f", "parameters": {"type": "object", "properties": {}}, "strict": False}),
        (
            {"name": "f", "description": "d", "parameters": {"type": "object"}, "strict": True},
            {"name": "f", "description": "d", "parameters": {"type": "object"}, "strict": True},
        ),
        (
            {"name": "f", "parameters": {"type": "object"}, "strict": None, "more": 1},
            {"name": "f", "parameters": {"type": "object"}, "strict": False},
        ),
    ],
)
def test_tools_are_flat_and_say_whether_they_are_strict(
    function: dict[str, Any], flat: dict[str, Any]
) -> None:
    """A tool without ``strict`` would be strict in this API, and OpenAI would refuse its schema."""
    body = body_of({"tools": [{"type": "function", "function": function}]})

    assert body["tools"] == [{"type": "function", **flat}]


def test_fields_of_the_operator_come_last() -> None:
    """Deep research needs a tool that runs at OpenAI."""
    tools = [{"type": "web_search"}]

    assert body_of({"tools": []}, extra_body={"tools": tools})["tools"] == tools


@pytest.mark.parametrize(
    ("model", "params", "name"),
    [
        ("openai/responses/ours", {}, "ours"),
        ("azure/gpt5_series/ours", {"api_base": "https://a.openai.azure.com"}, "ours"),
        ("xai/grok-4.20-multi-agent", {}, "grok-4.20-multi-agent"),
    ],
)
def test_model_has_the_provider_s_name(model: str, params: dict[str, Any], name: str) -> None:
    assert body_of(deployment=openai(model, **params))["model"] == name


def test_half_characters_are_written() -> None:
    """A lone surrogate is no JSON text."""
    body = body_of(messages=[{"role": "user", "content": "\ud83d"}])

    assert body["input"][0]["content"] == "�"
