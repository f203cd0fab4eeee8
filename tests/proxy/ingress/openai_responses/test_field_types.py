"""Each field has its type. A fault names the field, as OpenAI would."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.core.errors import InvalidRequest
from proxy.ingress.openai_responses.field_types import FIELD_TYPES, MOVED, check_field, refuse_moved

SCHEMA = {"type": "json_schema", "name": "n", "schema": {"type": "object"}}

FAULTS: tuple[tuple[str, Any, str], ...] = (
    ("background", "yes", "background"),
    ("conversation", 1, "conversation"),
    ("conversation", {}, "conversation.id"),
    ("conversation", {"id": 1}, "conversation.id"),
    ("include", "a", "include"),
    ("include", ["a", 1], "include[1]"),
    ("include", ["a"] * 65, "include"),
    ("instructions", ["Be kind."], "instructions"),
    ("max_output_tokens", 0, "max_output_tokens"),
    ("max_output_tokens", "16", "max_output_tokens"),
    ("max_output_tokens", True, "max_output_tokens"),
    ("max_tool_calls", 0, "max_tool_calls"),
    ("metadata", {"a": 1}, "metadata"),
    ("metadata", {"a" * 65: "b"}, "metadata"),
    ("metadata", {"a": "b" * 513}, "metadata"),
    ("metadata", {str(at): "" for at in range(17)}, "metadata"),
    ("parallel_tool_calls", 1, "parallel_tool_calls"),
    ("previous_response_id", 1, "previous_response_id"),
    ("prompt_cache_key", 1, "prompt_cache_key"),
    ("reasoning", "high", "reasoning"),
    ("reasoning", {"effort": "much"}, "reasoning.effort"),
    ("reasoning", {"summary": True}, "reasoning.summary"),
    ("reasoning", {"generate_summary": "long"}, "reasoning.generate_summary"),
    ("safety_identifier", 1, "safety_identifier"),
    ("service_tier", 1, "service_tier"),
    ("store", "no", "store"),
    ("stream", 1, "stream"),
    ("stream_options", [], "stream_options"),
    ("stream_options", {"include_obfuscation": "no"}, "stream_options.include_obfuscation"),
    ("temperature", "0", "temperature"),
    ("temperature", float("inf"), "temperature"),
    ("text", "text", "text"),
    ("text", {"format": "text"}, "text.format"),
    ("text", {"format": {}}, "text.format.type"),
    ("text", {"format": {"type": "xml"}}, "text.format.type"),
    ("text", {"format": {"type": ["text"]}}, "text.format.type"),
    ("text", {"format": {**SCHEMA, "name": None}}, "text.format.name"),
    ("text", {"format": {**SCHEMA, "name": 1}}, "text.format.name"),
    ("text", {"format": {"type": "json_schema", "name": "n"}}, "text.format.schema"),
    ("text", {"format": {**SCHEMA, "schema": []}}, "text.format.schema"),
    ("text", {"format": {**SCHEMA, "strict": "yes"}}, "text.format.strict"),
    ("text", {"format": {**SCHEMA, "description": 1}}, "text.format.description"),
    ("text", {"format": {"type": "json_schema", "json_schema": SCHEMA}}, "text.format.json_schema"),
    ("text", {"format": {**SCHEMA, "schema": {"enum": list(range(70_000))}}}, "text.format"),
    ("text", {"verbosity": 1}, "text.verbosity"),
    ("tool_choice", "maybe", "tool_choice"),
    ("tool_choice", ["auto"], "tool_choice"),
    ("tools", {}, "tools"),
    ("tools", ["f"], "tools[0]"),
    ("tools", [{}] * 2_049, "tools"),
    ("top_logprobs", 21, "top_logprobs"),
    ("top_logprobs", -1, "top_logprobs"),
    ("top_p", None, "top_p"),
    ("truncation", "front", "truncation"),
    ("user", 1, "user"),
)


@pytest.mark.parametrize(("name", "value", "param"), FAULTS)
def test_a_value_of_another_type_is_refused(name: str, value: Any, param: str) -> None:
    """The error names the place of the fault, and shows nothing of a long value."""
    with pytest.raises(InvalidRequest) as refused:
        check_field(name, value)

    assert (refused.value.param or "").startswith(param)
    assert len(refused.value.message) < 400


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("conversation", "conv_1"),
        ("conversation", {"id": "conv_1"}),
        ("include", []),
        ("include", ["something.new"]),
        ("metadata", {"a" * 64: "b" * 512}),
        ("reasoning", {"effort": "none", "summary": "auto", "context": "all_turns", "new": 1}),
        ("reasoning", {"effort": None, "summary": None}),
        ("service_tier", "priority"),
        ("stream_options", {"include_obfuscation": False}),
        ("temperature", 0),
        ("text", {}),
        ("text", {"format": None, "verbosity": None}),
        ("text", {"format": {"type": "json_object"}}),
        ("text", {"format": {**SCHEMA, "strict": None, "description": None}}),
        ("tool_choice", {"type": "allowed_tools", "mode": "auto", "tools": []}),
        ("tools", [{"type": "web_search"}]),
        ("truncation", "auto"),
    ],
)
def test_a_legal_value_is_taken(name: str, value: Any) -> None:
    """Values that clients send are taken, with unknown fields in objects."""
    check_field(name, value)


def test_every_field_has_a_fault_in_the_table() -> None:
    """No field is left unchecked."""
    assert {name for name, _, _ in FAULTS} == set(FIELD_TYPES)


@pytest.mark.parametrize(("name", "place"), MOVED.items())
def test_a_field_of_chat_is_refused_with_its_new_place(name: str, place: str) -> None:
    """Leaving it out would change the answer without a word. Null is no field."""
    with pytest.raises(InvalidRequest, match=f"moved to '{place}'") as refused:
        refuse_moved({name: 1})

    assert refused.value.param == name
    refuse_moved({name: None})
