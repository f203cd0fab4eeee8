"""Tests that request parameters become Gemini's generation settings."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.core.errors import InvalidRequest
from proxy.emulator import judge
from proxy.upstream.wires.gemini import build_request
from sanitizers import profile_for
from tests.support.builders import user

V2_0, V2_5, V3, V3_6, V3_7 = (
    "gemini-2.0-flash",
    "gemini-2.5-pro",
    "gemini-3-pro-preview",
    "gemini-3.6-flash",
    "gemini-3.7-flash",
)
JSON = "application/json"
SCHEMA = {"type": "object", "properties": {"a": {"$ref": "#/$defs/A"}}, "$defs": {"A": {"type": "string"}}}


def config(model: str, **parameters: Any) -> Any:
    """Return the generation settings of the body, or None when there are none.

    The emulator's judge must accept the body.
    """
    body = build_request([user("a")], parameters, profile_for(f"gemini/{model}"), model)
    assert judge(model, body) is None
    return body.get("generationConfig")


@pytest.mark.parametrize(
    ("model", "parameters", "expected"),
    [
        (V3, {}, None),
        (V3, {"temperature": 0.0, "top_p": 0.5}, {"temperature": 0.0, "topP": 0.5}),
        (V3, {"max_tokens": 5}, {"maxOutputTokens": 5}),
        (V3, {"max_tokens": 5, "max_completion_tokens": 7}, {"maxOutputTokens": 7}),
        (V3, {"stop": "a"}, {"stopSequences": ["a"]}),
        (V3, {"stop": ["a", "", "b"]}, {"stopSequences": ["a", "b"]}),
        (V3, {"stop": []}, None),
        (V3, {"n": 1}, None),
        (V2_5, {"n": 3}, {"candidateCount": 3}),
        (V3, {"seed": 7}, {"seed": 7}),
        (V3, {"seed": 2**31 + 5}, {"seed": 5}),
        (
            V2_5,
            {"presence_penalty": 1, "frequency_penalty": 0},
            {"presencePenalty": 1, "frequencyPenalty": 0},
        ),
        (V3, {"presence_penalty": 1, "frequency_penalty": 0}, None),
        (V3, {"logprobs": True, "top_logprobs": 2}, {"responseLogprobs": True, "logprobs": 2}),
        (V3, {"logprobs": False, "top_logprobs": 2}, None),
        (V3, {"modalities": ["text"]}, {"responseModalities": ["TEXT"]}),
        (V3, {"modalities": []}, None),
        (V3, {"response_format": {"type": "text"}}, None),
        (V3, {"response_format": {"type": "json_object"}}, {"responseMimeType": JSON}),
        (
            V3,
            {
                "response_format": {
                    "type": "json_schema",
                    "json_schema": {"name": "n", "strict": True, "schema": SCHEMA},
                }
            },
            {"responseMimeType": JSON, "responseJsonSchema": SCHEMA},
        ),
        (V3, {"response_format": {"type": "json_schema"}}, {"responseMimeType": JSON}),
        (V3, {"user": "u", "store": True, "parallel_tool_calls": False}, None),
    ],
)
def test_each_parameter_has_its_field(model: str, parameters: dict[str, Any], expected: Any) -> None:
    """A parameter that is not set or not supported has no field."""
    assert config(model, **parameters) == expected


@pytest.mark.parametrize(
    ("model", "parameters", "param"),
    [
        (V3, {"n": 2}, "n"),
        (V3, {"stop": list("abcdef")}, "stop"),
        (V3, {"modalities": ["smell"]}, "modalities"),
        (V3, {"modalities": ["text", "image"]}, "modalities"),
        (V3, {"modalities": ["audio"]}, "modalities"),
        (V3, {"response_format": {"type": "xml"}}, "response_format.type"),
        (V3, {"response_format": {}}, "response_format.type"),
        (
            V3,
            {"response_format": {"type": "json_schema", "json_schema": {"schema": "s"}}},
            "response_format.json_schema.schema",
        ),
        (V3, {"reasoning_effort": "huge"}, "reasoning_effort"),
        (V2_5, {"reasoning_effort": "huge"}, "reasoning_effort"),
    ],
)
def test_values_that_cannot_be_sent_are_refused(model: str, parameters: dict[str, Any], param: str) -> None:
    """The error names the parameter. No value is cut or guessed."""
    with pytest.raises(InvalidRequest) as caught:
        config(model, **parameters)

    assert caught.value.param == param
