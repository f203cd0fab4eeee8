"""The rules about schemas that look at more than one field: formats, depth, states, Vertex's types, JSON Schema."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.emulator import judge
from proxy.emulator.errors import INVALID_ARGUMENT
from proxy.emulator.schemas import (
    DEEP_ANSWER,
    DEEP_FUNCTION,
    MAX_LEVELS,
    MAX_STATES,
    TOO_MANY_STATES,
    VALUE_MATCHER_STATES,
)
from tests.proxy.emulator.conftest import Client
from tests.proxy.emulator.wire import GENERATIONS, V2_5, V3, V3_6, body, function, schema, tools, user

LINE = "* GenerateContentRequest.tools[0].function_declarations[0].parameters"
STRING = {"type": "STRING"}
INTEGER = {"type": "INTEGER"}
ANY = {"functionCallingConfig": {"mode": "ANY"}}

every_model = pytest.mark.parametrize("model", GENERATIONS)
modern = pytest.mark.parametrize("model", [V2_5, V3, V3_6])


def said(model: str, *, vertex: bool = False, **rest: Any) -> str | None:
    """Return the text with which a body of *rest* is refused."""
    refusal = judge(model, body(user(), **rest), vertex=vertex)
    return None if refusal is None else refusal.message


@every_model
@pytest.mark.parametrize(
    ("kind", "known", "text"),
    [
        ("STRING", ["date-time"], "'enum' and 'date-time' are supported for STRING"),
        ("NUMBER", ["float", "double"], "'float' and 'double' are supported for NUMBER"),
        ("INTEGER", ["int32", "int64"], "'int32' and 'int64' are supported for INTEGER"),
    ],
)
def test_each_type_has_its_formats(model: str, kind: str, known: list[str], text: str) -> None:
    """Another type's format is as unknown as one that nobody has."""
    for style in ("uuid", "float", "int32", "date-time", *known):
        refused = f"{LINE}.properties[a].format: only {text} type\n"
        expected = None if style in known else refused
        assert said(model, tools=tools(function("f", schema(a={"type": kind, "format": style})))) == expected


def nested(levels: int) -> dict[str, Any]:
    """Return a schema of so many objects and arrays within one another."""
    node: dict[str, Any] = STRING
    for level in range(levels):
        node = schema(a=node) if level % 2 else {"type": "ARRAY", "items": {"anyOf": [node]}}
    return node


@modern
def test_depth_of_a_schema_does_not_count_choices(model: str) -> None:
    """Choices are no levels; functions and the answer have texts of their own."""
    root = {"type": "OBJECT", "properties": {"a": nested(MAX_LEVELS - 1)}}
    deep = {"type": "OBJECT", "properties": {"a": nested(MAX_LEVELS)}}
    assert said(model, tools=tools(function("f", root))) is None
    assert said(model, tools=tools(function("f", deep))) == DEEP_FUNCTION
    assert said(model, generationConfig={"responseSchema": deep}) == DEEP_ANSWER


LONG = "n" * (MAX_STATES - len("a") - 2)


@modern
@pytest.mark.parametrize(
    ("node", "fits"),
    [
        ({"type": "STRING", "enum": [LONG]}, True),
        ({"type": "STRING", "enum": [LONG, "n"]}, False),
        ({"type": "OBJECT", "properties": {f"{LONG}n": STRING}}, False),
        ({"type": "ARRAY", "maxItems": MAX_STATES - 3, "items": STRING}, True),
        ({"type": "ARRAY", "maxItems": MAX_STATES, "items": STRING}, False),
        (
            {
                "type": "ARRAY",
                "maxItems": "100",
                "items": {"type": "ARRAY", "maxItems": 200, "items": STRING},
            },
            False,
        ),
        ({"type": "STRING", "description": LONG * 2}, True),
        ({"type": "ARRAY", "maxItems": MAX_STATES // VALUE_MATCHER_STATES, "items": INTEGER}, True),
        (
            {
                "type": "ARRAY",
                "maxItems": MAX_STATES // VALUE_MATCHER_STATES,
                "items": {**INTEGER, "minimum": 0},
            },
            False,
        ),
    ],
)
def test_states_of_a_schema_count_where_the_answer_is_constrained(
    model: str, node: dict[str, Any], *, fits: bool
) -> None:
    """What Google's text names counts, where the answer is constrained: by its schema, or by a call that must be."""
    expected = None if fits else TOO_MANY_STATES
    declared = tools(function("f", schema(a=node)))
    assert said(model, generationConfig={"responseSchema": schema(a=node)}) == expected
    assert said(model, tools=declared, toolConfig=ANY) == expected
    assert said(model, tools=declared) is None
    other = {"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["g"]}}
    both = tools(function("f", schema(a=node)), function("g"))
    assert said(model, tools=both, toolConfig=other) is None


def test_states_of_a_model_that_does_not_say_so() -> None:
    """gemini-3.1 has one text for everything."""
    config = {"responseSchema": schema(a={"type": "STRING", "enum": [LONG, LONG]})}
    assert said("gemini-3.1-pro-preview", generationConfig=config) == INVALID_ARGUMENT


UNABLE = "Unable to submit request because `f` functionDeclaration"
LEARN = "Learn more: https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/gemini"
ALONE = "schema specified other fields alongside any_of. When using any_of, it must be the only field set."
CHOICE = {"anyOf": [STRING, INTEGER]}


@modern
@pytest.mark.parametrize(
    ("parameters", "text"),
    [
        (schema(a=STRING), None),
        (schema(a=CHOICE), None),
        ({"properties": {"a": STRING}}, "parameters schema should be of type OBJECT."),
        (CHOICE, "parameters schema should be of type OBJECT."),
        (schema(weight={**CHOICE, "description": "d"}), f"`parameters.weight` {ALONE}"),
        (schema(a=schema(b={**CHOICE, "type": "STRING"})), f"`parameters.a.b` {ALONE}"),
        (schema(a={"description": "d"}), "`parameters.a` schema didn't specify the schema type field."),
        (
            schema(a={"anyOf": [STRING, {"description": "d"}]}),
            "`parameters.a.any_of[1]` schema didn't specify the schema type field.",
        ),
        (
            schema(a={"type": "ARRAY", "items": {"description": "d"}}),
            "`parameters.a.items` schema didn't specify the schema type field.",
        ),
    ],
)
def test_vertex_wants_types(model: str, parameters: dict[str, Any], text: str | None) -> None:
    """One type for each schema, or a choice alone; the Gemini API takes all of these."""
    declared = tools(function("f", parameters))
    assert said(model, vertex=True, tools=declared) == (text and f"{UNABLE} {text} {LEARN}")
    assert said(model, tools=declared) is None


async def test_vertex_is_known_by_its_paths(emulator: Client) -> None:
    """The same body is refused under Vertex's path."""
    request = body(user(), tools=tools(function("f", schema(a={**CHOICE, "description": "d"}))))
    path = "/v1/projects/p/locations/global/publishers/google/models/gemini-2.5-pro:generateContent"
    status, answer = await emulator.post(path, request)
    assert (status, answer["error"]["message"]) == (400, f"{UNABLE} `parameters.a` {ALONE} {LEARN}")
    assert (await emulator.post("/v1beta/models/gemini-2.5-pro:generateContent", request))[0] == 200
    assert (await emulator.post(path, body(user())))[0] == 200


TREE = {"type": "object", "properties": {"child": {"$ref": "#/$defs/Tree"}}}
BESIDE = (
    "Schema.ref 'Tree' was set alongside unsupported fields. If a schema node has Schema.ref set, then only "
    "description and default can be set alongside it; other fields they would be replaced by the expanded reference."
)


@modern
@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"type": "object", "$schema": "https://json-schema.org/", "not": {}, "if": {}, "x-other": 1}, None),
        ({**TREE, "$defs": {"Tree": TREE}}, None),
        ({**TREE, "$defs": {"Tree": {**TREE, "required": ["other"]}}}, None),
        ({**TREE, "$defs": {"Tree": {**TREE, "required": ["child"]}}}, INVALID_ARGUMENT),
        ({**TREE, "$defs": {"Tree": {"anyOf": [{"$ref": "#/$defs/Tree"}]}}}, INVALID_ARGUMENT),
        ({**TREE, "required": ["child"], "$defs": {"Tree": TREE}}, None),
        (TREE, INVALID_ARGUMENT),
        ({"$ref": "https://json-schema.org/draft/2020-12/schema"}, INVALID_ARGUMENT),
        ({"$defs": {"Tree": TREE}, "$ref": "#/$defs/Tree", "description": "d"}, None),
        ({"$defs": {"Tree": TREE}, "$ref": "#/$defs/Tree", "title": "t"}, BESIDE),
        ({"type": "object", "properties": {"$ref": {"type": "string"}}}, None),
        ({"type": "object", "default": {"$ref": "#/nowhere"}}, None),
        ({"type": "object", "properties": {"default": {"$ref": "#/nowhere"}}}, INVALID_ARGUMENT),
        (True, INVALID_ARGUMENT),
        ([], INVALID_ARGUMENT),
    ],
)
def test_json_schema_is_taken_or_refused_with_the_exact_text(
    model: str, given: Any, text: str | None
) -> None:
    """Keywords that Google does not know are ignored; references have rules."""
    assert said(model, tools=tools(function("f", parametersJsonSchema=given))) == text


@modern
def test_a_function_has_one_kind_of_schema(model: str) -> None:
    """Both at once are refused, for what goes in and for what comes out."""
    parameters = schema(a=STRING)
    both = function("f", parameters, parametersJsonSchema={"type": "object"})
    assert said(model, tools=tools(both)) == INVALID_ARGUMENT
    answers = function("f", parameters, response=parameters, responseJsonSchema={"type": "object"})
    assert said(model, tools=tools(answers)) == INVALID_ARGUMENT
    mixed = function("f", parameters, responseJsonSchema={"type": "object"})
    assert said(model, tools=tools(mixed)) is None
