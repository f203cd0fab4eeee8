"""Request parameters as generation settings."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.core.errors import InvalidRequest
from proxy.emulator import judge
from proxy.ingress.openai_chat.parameters import PARAMETERS, check_parameter
from proxy.upstream.wires.gemini import SUPPORTED, build_request, carried_parameters
from sanitizers import profile_for
from tests.support.builders import system, user

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
    """Return the generation settings of a body that the judge takes, None when there are none."""
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
    """Each parameter has its field; what is not set, or not carried, has none."""
    assert config(model, **parameters) == expected


@pytest.mark.parametrize(
    ("model", "effort", "expected"),
    [
        (V2_5, "minimal", (128, True)),
        ("gemini-2.5-flash-lite", "minimal", (512, True)),
        ("gemini-2.5-flash", "minimal", (1, True)),
        (V2_5, "low", (1024, True)),
        (V2_5, "medium", (2048, True)),
        (V2_5, "high", (4096, True)),
        (V2_5, "xhigh", (8192, True)),
        (V2_5, "max", (16384, True)),
        ("gemini-2.5-flash", "none", (0, False)),
        (V2_5, "disable", (128, False)),
        (V3, "minimal", ("low", True)),
        (V3_6, "minimal", ("minimal", True)),
        (V3_7, "minimal", ("low", True)),
        ("gemini-flash-latest", "minimal", ("low", True)),
        (V3, "low", ("low", True)),
        (V3, "medium", ("medium", True)),
        (V3, "xhigh", ("high", True)),
        (V3, "max", ("high", True)),
        (V3_7, "max", ("high", True)),
        (V3, "none", ("low", False)),
        (V3_6, "none", ("minimal", False)),
    ],
)
def test_reasoning_effort_is_a_budget_or_a_level(model: str, effort: str, expected: tuple[Any, bool]) -> None:
    """A budget for 2.5, a level that the model knows from Gemini 3 on."""
    name = "thinkingBudget" if isinstance(expected[0], int) else "thinkingLevel"

    thinking = {name: expected[0], "includeThoughts": expected[1]}
    assert config(model, reasoning_effort=effort) == {"thinkingConfig": thinking}


@pytest.mark.parametrize("model", [V2_5, V3, V3_7])
@pytest.mark.parametrize("effort", ["auto", "default"])
def test_an_effort_that_asks_for_none(model: str, effort: str) -> None:
    """The model decides, as it does without the parameter."""
    assert config(model, reasoning_effort=effort) is None


def test_every_effort_of_the_allow_list_is_known() -> None:
    """What a client may send gives no 400 on any model that thinks."""
    for effort in ("none", "minimal", "low", "medium", "high", "xhigh", "max", "default"):
        check_parameter("reasoning_effort", effort)
        for model in (V2_5, V3, V3_6, V3_7):
            config(model, reasoning_effort=effort)


@pytest.mark.parametrize("model", [V2_0, "gemini-2.5-flash-image", "gemini-2.5-pro-preview-tts"])
def test_no_effort_where_the_model_does_not_think(model: str) -> None:
    """It is left out, and named as not carried."""
    assert config(model, reasoning_effort="low") is None
    assert "reasoning_effort" not in carried_parameters(profile_for(f"gemini/{model}"), model)


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
    """Refused by name, never cut or guessed."""
    with pytest.raises(InvalidRequest) as caught:
        config(model, **parameters)

    assert caught.value.param == param


def test_carried_parameters_are_known_ones() -> None:
    """They are known parameters, and all of them on the model that takes them all."""
    assert SUPPORTED <= PARAMETERS.keys()
    assert carried_parameters(profile_for(f"gemini/{V2_5}"), V2_5) == SUPPORTED
    assert SUPPORTED - carried_parameters(profile_for(f"gemini/{V3}"), V3) == {
        "frequency_penalty",
        "presence_penalty",
    }


TOOL = {"type": "function", "function": {"name": "f"}}
FORMATS: list[Any] = [
    {"type": "json_object"},
    {"type": "json_schema", "json_schema": {"name": "n", "schema": SCHEMA}},
]


@pytest.mark.parametrize("given", FORMATS)
@pytest.mark.parametrize("model", [V2_0, V2_5])
def test_a_form_beside_tools_is_said_in_words(model: str, given: dict[str, Any]) -> None:
    """Models before Gemini 3 refuse the setting beside tools, so the system instruction says it."""
    messages = [system("be brief"), user("a")]
    parameters = {"response_format": given, "tools": [TOOL], "temperature": 0.5}

    body = build_request(messages, parameters, profile_for(f"gemini/{model}"), model)

    assert judge(model, body) is None
    assert body["generationConfig"] == {"temperature": 0.5}
    first, words = (part["text"] for part in body["systemInstruction"]["parts"])
    assert first == "be brief"
    assert "JSON" in words
    assert ('{"a":{"$ref":"#/$defs/A"}}' in words) == (given["type"] == "json_schema")


@pytest.mark.parametrize("given", FORMATS)
def test_a_form_beside_tools_from_gemini_3_on(given: dict[str, Any]) -> None:
    """It takes both."""
    body = build_request(
        [user("a")], {"response_format": given, "tools": [TOOL]}, profile_for(f"gemini/{V3}"), V3
    )

    assert body["generationConfig"]["responseMimeType"] == JSON
    assert "systemInstruction" not in body


@pytest.mark.parametrize("tools", [[], [TOOL]])
def test_text_needs_no_words(tools: list[Any]) -> None:
    """It is what a model writes anyway."""
    parameters = {"response_format": {"type": "text"}, "tools": tools}

    body = build_request([user("a")], parameters, profile_for(f"gemini/{V2_5}"), V2_5)

    assert "systemInstruction" not in body
