"""Tests of the fields that a plan has changed."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.core.source import ResponsesRequest
from proxy.upstream.wires.openai_responses.parameters import changed_fields
from tests.proxy.upstream.wires.openai_responses.calling import call_for

LOGPROBS = "message.output_text.logprobs"
SCHEMA = {"type": "json_schema", "json_schema": {"name": "n", "schema": {}, "strict": True}}
GIVEN: dict[str, Any] = {
    "max_output_tokens": 100,
    "temperature": 0.5,
    "reasoning": {"effort": "high", "summary": "auto"},
    "text": {"format": {"type": "json_object"}, "verbosity": "low"},
    "include": [LOGPROBS, "reasoning.encrypted_content"],
}


def native_of(body: dict[str, Any]) -> ResponsesRequest:
    """Return the native request of *body*."""
    source = call_for(body).source
    assert source is not None
    assert isinstance(source.native, ResponsesRequest)
    return source.native


def test_unchanged_parameters_change_no_field() -> None:
    """Equal parameters are no change, whether they are the same object or not."""
    native = native_of(GIVEN)

    assert changed_fields(native, native.parameters) == {}
    assert changed_fields(native, dict(native.parameters)) == {}


@pytest.mark.parametrize(
    ("planned", "fields"),
    [
        ({"temperature": None}, {"temperature": None}),
        ({"max_completion_tokens": 50}, {"max_output_tokens": 50}),
        ({"max_completion_tokens": None}, {"max_output_tokens": None}),
        ({"max_completion_tokens": None, "max_tokens": 60}, {"max_output_tokens": 60}),
        ({"reasoning_effort": "low"}, {"reasoning": {"effort": "low", "summary": "auto"}}),
        ({"reasoning_effort": None}, {"reasoning": {"summary": "auto"}}),
        ({"verbosity": None}, {"text": {"format": {"type": "json_object"}}}),
        (
            {"verbosity": "high", "response_format": SCHEMA},
            {
                "text": {
                    "format": {"type": "json_schema", "name": "n", "schema": {}, "strict": True},
                    "verbosity": "high",
                }
            },
        ),
        ({"verbosity": None, "response_format": None}, {"text": None}),
        ({"logprobs": None}, {"include": ["reasoning.encrypted_content"]}),
        ({"tool_choice": "none"}, {"tool_choice": "none"}),
        ({"user": "ann"}, {"user": "ann"}),
        ({"stop": ["x"]}, {}),
    ],
)
def test_changed_parameter_changes_its_field(planned: dict[str, Any], fields: dict[str, Any]) -> None:
    """Each field is given whole, and None removes it."""
    native = native_of(GIVEN)
    merged = {**native.parameters, **planned}

    assert changed_fields(native, {k: v for k, v in merged.items() if v is not None}) == fields
