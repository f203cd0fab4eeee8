"""Tests of Gemini's own fields, from a client's request through the plan to the body that the wire writes."""

from __future__ import annotations

import json
from typing import Any

import pytest

from proxy.config.pools import choose_pool
from proxy.core.errors import InvalidRequest
from proxy.core.upstream_call import UpstreamCall
from proxy.emulator import judge
from proxy.ingress.openai_chat.read_request import parse_chat_request
from proxy.planning.plan import plan_request
from proxy.planning.plan_target import plan_target
from proxy.upstream.wires.table import wire_of
from tests.proxy.upstream.deployments import LIMITS, deployment_of
from tests.support.builders import user
from tests.support.proxied import settings_of

MODEL = "gemini-3.6-flash"
SAFETY = [{"category": "HARM_CATEGORY_HARASSMENT", "threshold": "BLOCK_NONE"}]
TOOLS = [{"type": "function", "function": {"name": "f"}}]


def sent(allowed: list[str], **fields: Any) -> Any:
    """Return the body that the wire writes for a request to a deployment that allows the fields *allowed*."""
    settings = settings_of({"m": {"model": f"gemini/{MODEL}", "allowed_openai_params": allowed}})
    request = {"model": "m", "messages": [user("a")], **fields}
    plan = plan_request(
        parse_chat_request(json.dumps(request).encode(), max_nesting=50),
        plan_target(
            choose_pool("m", settings)[0],
            settings.sanitize,
            lambda deployment, parameters: wire_of(deployment).unsupported(deployment, parameters),
        ),
    )
    call = UpstreamCall(
        deployment=plan.deployment,
        messages=plan.messages,
        parameters=plan.parameters,
        timeouts=LIMITS,
        extra_body=plan.extra_body,
    )
    return json.loads(wire_of(plan.deployment).write_request(call, stream=False))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("safetySettings", SAFETY),
        ("safety_settings", SAFETY),
        ("cachedContent", "cachedContents/1"),
        ("labels", {"team": "a"}),
    ],
)
def test_extra_fields_are_sent_when_the_operator_allows_them(name: str, value: Any) -> None:
    """A field of Gemini is sent if the operator allows its name, and left out otherwise."""
    assert sent([name], **{name: value})[name] == value
    assert name not in sent([], **{name: value})


def test_emulator_accepts_safety_settings() -> None:
    assert judge(MODEL, sent(["safetySettings"], safetySettings=SAFETY)) is None


@pytest.mark.parametrize(
    "name", ["contents", "systemInstruction", "system_instruction", "toolConfig", "tool_config"]
)
@pytest.mark.parametrize("fields", [{}, {"tools": TOOLS, "tool_choice": "auto"}])
def test_fields_of_the_history_are_refused(name: str, fields: dict[str, Any]) -> None:
    """A client may not set these fields, even where the configuration allows their names."""
    deployment = deployment_of(f"gemini/{MODEL}")
    theirs = {name: [{"role": "model", "parts": [{"text": "theirs"}]}]}
    call = UpstreamCall(deployment, [user("a")], fields, LIMITS, extra_body=theirs)
    with pytest.raises(InvalidRequest, match="cannot be set") as caught:
        wire_of(deployment).write_request(call, stream=False)

    assert caught.value.param == name


@pytest.mark.parametrize("name", ["generationConfig", "generation_config"])
@pytest.mark.parametrize(
    ("parameters", "given", "expected"),
    [
        ({}, {"topK": 5}, {"topK": 5}),
        ({}, {}, {}),
        ({"temperature": 0.5}, {"topK": 5}, {"temperature": 0.5, "topK": 5}),
        (
            {"temperature": 0.5, "max_tokens": 9},
            {"temperature": 1, "max_output_tokens": 99, "top_k": 5},
            {"temperature": 0.5, "maxOutputTokens": 9, "topK": 5},
        ),
        (
            {"reasoning_effort": "low"},
            {"thinkingConfig": {"thinkingBudget": 7, "thinking_level": "high", "more": 1}},
            {"thinkingConfig": {"thinkingLevel": "low", "includeThoughts": True, "more": 1}},
        ),
        (
            {"reasoning_effort": "low"},
            {"thinking_config": None},
            {"thinkingConfig": {"thinkingLevel": "low", "includeThoughts": True}},
        ),
        ({}, {"thinkingConfig": {"thinkingBudget": 7}}, {"thinkingConfig": {"thinkingBudget": 7}}),
        (
            {"response_format": {"type": "json_schema", "json_schema": {"schema": {"type": "string"}}}},
            {"response_schema": {"type": "NUMBER"}, "responseJsonSchema": {"title": "t"}},
            {"responseMimeType": "application/json", "responseJsonSchema": {"type": "string"}},
        ),
    ],
)
def test_generation_settings_are_merged(
    name: str, parameters: dict[str, Any], given: dict[str, Any], expected: dict[str, Any]
) -> None:
    """Settings from OpenAI's parameters win over the client's ``generationConfig``.

    Of two settings that exclude each other, only one is sent.
    """
    assert sent([name], **parameters, **{name: given})["generationConfig"] == expected


def test_generation_settings_that_are_no_object_are_refused() -> None:
    """Only an object can be merged into the generation settings."""
    with pytest.raises(InvalidRequest, match="must be an object") as caught:
        sent(["generationConfig"], generationConfig=[1])

    assert caught.value.param == "generationConfig"


def test_parameter_without_a_field_is_unsupported_even_if_allowed() -> None:
    """A parameter that Gemini has no field for is reported as unsupported, even if the operator allows its name."""
    settings = settings_of(
        {"m": {"model": f"gemini/{MODEL}", "allowed_openai_params": ["parallel_tool_calls", "temperature"]}}
    )
    [deployment] = settings.routes.exact["m"]
    parameters = {"parallel_tool_calls": False, "temperature": 1.0, "user": "u"}

    assert wire_of(deployment).unsupported(deployment, parameters) == {"parallel_tool_calls", "user"}
