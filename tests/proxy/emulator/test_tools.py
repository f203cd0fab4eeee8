"""Tests of tool declarations, schemas, tool choice and generation settings."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest

from proxy.emulator.errors import INVALID_ARGUMENT
from proxy.emulator.tools import (
    INVALID_NAME,
    JSON_WITH_FUNCTIONS,
    JSON_WITH_TOOLS,
    NO_DECLARATIONS,
    NO_MINIMAL,
    TOOLS_WITH_FUNCTIONS,
)
from tests.proxy.emulator.wire import (
    GENERATIONS,
    SIGNED,
    STRICT,
    UNSIGNED,
    V1_5,
    V2_5,
    V3,
    V3_6,
    V3_8,
    body,
    function,
    refusal_texts,
    schema,
    tools,
    user,
)

BAD = "Invalid JSON payload received. "
PLACE = "tools[0].function_declarations[0].parameters"
LINE = f"* GenerateContentRequest.{PLACE}"
TYPE = "type.googleapis.com/google.ai.generativelanguage.v1beta.Type"
STRING = {"type": "STRING"}


@dataclass(frozen=True)
class Case:
    """The fields of a body other than ``contents``, and the text with which the models refuse the body."""

    id: str
    rest: dict[str, Any]
    refusal: str | None
    models: tuple[str, ...] = field(default=GENERATIONS)


def with_schema(**properties: Any) -> dict[str, Any]:
    """Return the ``tools`` field with one function whose parameters have *properties*."""
    return {"tools": tools(function("f", schema(**properties)))}


def with_parameters(**parameters: Any) -> dict[str, Any]:
    """Return the ``tools`` field with one function whose schema has the further keywords *parameters*."""
    return {"tools": tools(function("f", {"type": "OBJECT", "properties": {"a": STRING}} | parameters))}


def name_case(case_id: str, name: str, *, valid: bool) -> Case:
    """Return a case with one function that has the name *name*."""
    line = f"* GenerateContentRequest.tools[0].function_declarations[0].name: {INVALID_NAME}\n"
    return Case(f"name_{case_id}", {"tools": tools(function(name))}, None if valid else line)


def keyword_case(name: str) -> Case:
    """Return a case with a schema keyword that the proto message does not have."""
    return Case(
        f"keyword_{name}",
        with_parameters(**{name: True}),
        f"{BAD}Unknown name \"{name}\" at '{PLACE}': Cannot find field.",
    )


SEARCH: dict[str, Any] = {"googleSearch": {}}
JSON = {"generationConfig": {"responseMimeType": "application/json"}}

CASES = [
    name_case("plain", "get_weather", valid=True),
    name_case("dots_colons_dashes", "_a.b:c-d", valid=True),
    name_case("sixty_four", "a" * 64, valid=True),
    name_case("sixty_five", "a" * 65, valid=False),
    name_case("digit_first", "21st_magic", valid=False),
    name_case("space", "get weather", valid=False),
    name_case("empty", "", valid=False),
    name_case("newline", "f\n", valid=False),
    Case("duplicate", {"tools": tools(function(), function())}, "Duplicate function declaration found: f"),
    Case(
        "duplicate_over_two_tools",
        {"tools": tools(function()) + tools(function())},
        "Duplicate function declaration found: f",
    ),
    Case("snake_case", {"tools": [{"function_declarations": [function()]}]}, None),
    *map(
        keyword_case,
        (
            "$schema",
            "$ref",
            "additionalProperties",
            "additional_properties",
            "const",
            "exclusiveMinimum",
            "oneOf",
            "allOf",
            "patternProperties",
            "uniqueItems",
            "multipleOf",
        ),
    ),
    Case(
        "known_keywords",
        with_parameters(title="t", description="d", nullable=True, propertyOrdering=["a"]),
        None,
    ),
    Case(
        "json_schema_is_not_checked",
        {"tools": tools(function(parametersJsonSchema={"$schema": "x", "oneOf": [], "type": ["a", "b"]}))},
        None,
    ),
    Case(
        "json_schema_in_snake_case",
        {"tools": tools(function(parameters_json_schema={"additionalProperties": False}))},
        None,
    ),
    Case("lower_case_type", with_schema(a={"type": "string"}), None),
    Case(
        "unknown_type",
        with_schema(a={"type": "enum"}),
        f"Invalid value at '{PLACE}.properties[0].value.type' ({TYPE}), \"enum\"",
    ),
    Case(
        "empty_type",
        with_schema(a={"type": ""}),
        f"Invalid value at '{PLACE}.properties[0].value.type' ({TYPE}), \"\"",
    ),
    Case(
        "type_array",
        with_schema(a={"type": ["string", "null"]}),
        f"{BAD}Unknown name \"type\" at '{PLACE}.properties[0].value': Proto field is not repeating, "
        "cannot start list.",
    ),
    Case("nullable", with_schema(a={"type": "STRING", "nullable": True}), None),
    Case(
        "array_without_items",
        with_schema(tags={"type": "ARRAY"}),
        f"{LINE}.properties[tags].items: missing field.\n",
    ),
    Case("array_with_items", with_schema(tags={"type": "ARRAY", "items": STRING}), None),
    Case(
        "nested_array_without_items",
        with_schema(a={"type": "ARRAY", "items": {"type": "ARRAY"}}),
        f"{LINE}.properties[a].items.items: missing field.\n",
    ),
    Case("enum", with_schema(a={"type": "STRING", "enum": ["x", "y"]}), None),
    Case(
        "enum_of_numbers",
        with_schema(a={"type": "STRING", "enum": [2]}),
        f"Invalid value at '{PLACE}.properties[0].value.enum[0]' (TYPE_STRING), 2",
    ),
    Case(
        "enum_with_empty_value",
        with_schema(a={"type": "STRING", "enum": ["x", ""]}),
        f"{LINE}.properties[a].enum[1]: cannot be empty\n",
    ),
    Case(
        "enum_of_integer_type",
        with_schema(a={"type": "INTEGER", "enum": ["1"]}),
        f"{LINE}.properties[a].enum: only allowed for STRING type\n",
    ),
    Case("enum_format", with_schema(a={"type": "STRING", "format": "enum"}), None, UNSIGNED),
    Case(
        "enum_format",
        with_schema(a={"type": "STRING", "format": "enum"}),
        f"{LINE}.properties[a].enum: should be non-empty for STRING type with enum format\n",
        SIGNED,
    ),
    Case("format_date_time", with_schema(a={"type": "STRING", "format": "date-time"}), None),
    Case(
        "format_uri",
        with_schema(a={"type": "STRING", "format": "uri"}),
        f"{LINE}.properties[a].format: only 'enum' and 'date-time' are supported for STRING type\n",
    ),
    Case("required", with_parameters(required=["a"]), None),
    Case(
        "required_unknown",
        with_parameters(required=["a", "b"]),
        f"{LINE}.required[1]: property is not defined\n",
    ),
    Case(
        "required_in_any_of",
        with_schema(a={"anyOf": [STRING, {"type": "OBJECT", "required": ["x"]}]}),
        f"{LINE}.properties[a].any_of[1].required[0]: property is not defined\n",
        (V2_5, V3, V3_6),
    ),
    Case(
        "object_without_properties",
        {"tools": tools(function("f", {"type": "OBJECT"}))},
        f"{LINE}.properties: should be non-empty for OBJECT type\n",
        (V1_5,),
    ),
    Case(
        "object_without_properties",
        {"tools": tools(function("f", {"type": "object"}))},
        None,
        (V2_5, V3, V3_6),
    ),
    Case(
        "tool_choice_without_tools",
        {"toolConfig": {"functionCallingConfig": {"mode": "AUTO"}}},
        NO_DECLARATIONS,
    ),
    Case(
        "tool_choice_in_snake_case",
        {"tool_config": {"function_calling_config": {"mode": "any", "allowed_function_names": ["f"]}}}
        | {"tools": tools(function())},
        None,
    ),
    Case(
        "allowed_function_is_not_declared",
        {"toolConfig": {"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["g"]}}}
        | {"tools": tools(function())},
        INVALID_ARGUMENT,
    ),
    Case("search_alone", {"tools": [SEARCH]}, None),
    Case(
        "search_in_the_same_tool",
        {"tools": [{"functionDeclarations": [function()]} | SEARCH]},
        "tools[0].tool_type: one_of 'tool_type' has more than one initialized field: function_declarations, "
        "google_search",
    ),
    Case("search_beside_functions", {"tools": [*tools(function()), SEARCH]}, TOOLS_WITH_FUNCTIONS, UNSIGNED),
    Case(
        "search_beside_functions",
        {"tools": [*tools(function()), SEARCH]},
        "Built-in tools ({google_search}) and Custom tools (Function Calling) cannot be combined in the same "
        "request. Please choose one to continue.",
        SIGNED,
    ),
    Case(
        "search_beside_functions_as_asked_for",
        {"tools": [*tools(function()), SEARCH], "toolConfig": {"includeServerSideToolInvocations": True}},
        None,
        SIGNED,
    ),
    Case("json_alone", JSON, None),
    Case("json_with_functions", JSON | {"tools": tools(function())}, JSON_WITH_FUNCTIONS, UNSIGNED),
    Case("json_with_search", JSON | {"tools": [SEARCH]}, JSON_WITH_TOOLS, UNSIGNED),
    Case("json_with_functions", JSON | {"tools": tools(function())}, None, SIGNED),
    Case("two_candidates", {"generationConfig": {"candidateCount": 2}}, None, UNSIGNED),
    Case(
        "two_candidates",
        {"generationConfig": {"candidate_count": 2}},
        "Multiple candidates is not enabled for this model",
        SIGNED,
    ),
    Case(
        "minimal_thinking",
        {"generationConfig": {"thinkingConfig": {"thinkingLevel": "minimal"}}},
        NO_MINIMAL,
        (V3_8,),
    ),
    Case(
        "minimal_thinking",
        {"generationConfig": {"thinkingConfig": {"thinkingLevel": "minimal"}}},
        None,
        (V3, V3_6),
    ),
    Case("low_thinking", {"generationConfig": {"thinkingConfig": {"thinkingLevel": "low"}}}, None, STRICT),
    Case(
        "unknown_setting",
        {"generationConfig": {"foo": 1}},
        f"{BAD}Unknown name \"foo\" at 'generation_config': Cannot find field.",
    ),
    Case(
        "fraction_for_a_count",
        {"generationConfig": {"maxOutputTokens": 1.5}},
        "Invalid value at 'generation_config.max_output_tokens' (TYPE_INT32), 1.5",
    ),
    Case("quoted_count", {"generationConfig": {"maxOutputTokens": "10"}}, None),
    Case(
        "response_schema",
        {"generationConfig": {"responseSchema": {"type": "ARRAY"}}},
        "* GenerateContentRequest.generation_config.response_schema.items: missing field.\n",
    ),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.id}-{case.models[0]}")
def test_tools_are_accepted_or_refused_with_the_exact_text(case: Case) -> None:
    """Each of the models refuses the tools with the same text, or accepts them."""
    assert refusal_texts(case.models, body(user(), **case.rest)) == dict.fromkeys(case.models, case.refusal)
