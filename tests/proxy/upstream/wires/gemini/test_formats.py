"""Tests of a response format with tools: an instruction before Gemini 3, a setting from Gemini 3 on."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.emulator import judge
from proxy.upstream.wires.gemini import build_request
from sanitizers import profile_for
from tests.proxy.upstream.wires.gemini.test_settings import JSON, SCHEMA, V2_0, V2_5, V3
from tests.support.builders import system, user

TOOL = {"type": "function", "function": {"name": "f"}}


FORMATS: list[Any] = [
    {"type": "json_object"},
    {"type": "json_schema", "json_schema": {"name": "n", "schema": SCHEMA}},
]


@pytest.mark.parametrize("given", FORMATS)
@pytest.mark.parametrize("model", [V2_0, V2_5])
def test_format_with_tools_is_an_instruction_before_gemini_3(model: str, given: dict[str, Any]) -> None:
    """Models before Gemini 3 refuse the setting in a request with tools."""
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
def test_format_with_tools_is_a_setting_from_gemini_3_on(given: dict[str, Any]) -> None:
    """Gemini 3 and later models accept the setting together with tools."""
    body = build_request(
        [user("a")], {"response_format": given, "tools": [TOOL]}, profile_for(f"gemini/{V3}"), V3
    )

    assert body["generationConfig"]["responseMimeType"] == JSON
    assert "systemInstruction" not in body


@pytest.mark.parametrize("tools", [[], [TOOL]])
def test_text_format_needs_no_instruction(tools: list[Any]) -> None:
    """A model writes text without any instruction."""
    parameters = {"response_format": {"type": "text"}, "tools": tools}

    body = build_request([user("a")], parameters, profile_for(f"gemini/{V2_5}"), V2_5)

    assert "systemInstruction" not in body
