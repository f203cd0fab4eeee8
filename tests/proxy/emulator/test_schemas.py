"""Tests of the rules for a proto schema: formats, depth, states and the types that Vertex requires."""

from __future__ import annotations

from typing import Any

import pytest

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
from tests.proxy.emulator.wire import (
    GENERATIONS,
    V2_5,
    V3,
    V3_6,
    body,
    function,
    refusal_text,
    schema,
    tools,
    user,
)

LINE = "* GenerateContentRequest.tools[0].function_declarations[0].parameters"
STRING = {"type": "STRING"}
INTEGER = {"type": "INTEGER"}
ANY = {"functionCallingConfig": {"mode": "ANY"}}

every_model = pytest.mark.parametrize("model", GENERATIONS)
modern = pytest.mark.parametrize("model", [V2_5, V3, V3_6])


def refusal_of(model: str, *, vertex: bool = False, **rest: Any) -> str | None:
    """Return the text with which a body of *rest* is refused."""
    return refusal_text(model, body(user(), **rest), vertex=vertex)


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
    """A format of another type is refused with the same text as an unknown format."""
    for style in ("uuid", "float", "int32", "date-time", *known):
        refused = f"{LINE}.properties[a].format: only {text} type\n"
        expected = None if style in known else refused
        assert (
            refusal_of(model, tools=tools(function("f", schema(a={"type": kind, "format": style}))))
            == expected
        )


def nested(levels: int) -> dict[str, Any]:
    """Return a schema of objects and arrays, nested *levels* deep."""
    node: dict[str, Any] = STRING
    for level in range(levels):
        node = schema(a=node) if level % 2 else {"type": "ARRAY", "items": {"anyOf": [node]}}
    return node


@modern
def test_depth_of_a_schema_does_not_count_choices(model: str) -> None:
    """A schema that is too deep has one refusal text for functions and another for answers."""
    root = {"type": "OBJECT", "properties": {"a": nested(MAX_LEVELS - 1)}}
    deep = {"type": "OBJECT", "properties": {"a": nested(MAX_LEVELS)}}
    assert refusal_of(model, tools=tools(function("f", root))) is None
    assert refusal_of(model, tools=tools(function("f", deep))) == DEEP_FUNCTION
    assert refusal_of(model, generationConfig={"responseSchema": deep}) == DEEP_ANSWER


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
    """The states of a schema are counted for a response schema or a forced call, which constrain the answer.

    Otherwise states are not counted.
    """
    expected = None if fits else TOO_MANY_STATES
    declared = tools(function("f", schema(a=node)))
    assert refusal_of(model, generationConfig={"responseSchema": schema(a=node)}) == expected
    assert refusal_of(model, tools=declared, toolConfig=ANY) == expected
    assert refusal_of(model, tools=declared) is None
    other = {"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["g"]}}
    both = tools(function("f", schema(a=node)), function("g"))
    assert refusal_of(model, tools=both, toolConfig=other) is None


def test_gemini_3_1_does_not_explain_too_many_states() -> None:
    """Gemini 3.1 refuses a schema with too many states with only the text for any invalid argument."""
    config = {"responseSchema": schema(a={"type": "STRING", "enum": [LONG, LONG]})}
    assert refusal_of("gemini-3.1-pro-preview", generationConfig=config) == INVALID_ARGUMENT


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
def test_vertex_requires_types(model: str, parameters: dict[str, Any], text: str | None) -> None:
    """On Vertex each schema has a type, or ``anyOf`` as its only field. The Gemini API accepts all these schemas."""
    declared = tools(function("f", parameters))
    assert refusal_of(model, vertex=True, tools=declared) == (text and f"{UNABLE} {text} {LEARN}")
    assert refusal_of(model, tools=declared) is None


async def test_vertex_rules_hold_under_vertex_paths(emulator: Client) -> None:
    """A Vertex path refuses a body that a path of the Gemini API accepts."""
    request = body(user(), tools=tools(function("f", schema(a={**CHOICE, "description": "d"}))))
    path = "/v1/projects/p/locations/global/publishers/google/models/gemini-2.5-pro:generateContent"
    status, answer = await emulator.post(path, request)
    assert (status, answer["error"]["message"]) == (400, f"{UNABLE} `parameters.a` {ALONE} {LEARN}")
    assert (await emulator.post("/v1beta/models/gemini-2.5-pro:generateContent", request))[0] == 200
    assert (await emulator.post(path, body(user())))[0] == 200
