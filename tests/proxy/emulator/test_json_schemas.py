"""Tests of the rules for JSON schemas in tools: references, and one kind of schema for each value."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.emulator.errors import INVALID_ARGUMENT
from tests.proxy.emulator.wire import V2_5, V3, V3_6, body, function, refusal_text, schema, tools, user

modern = pytest.mark.parametrize("model", [V2_5, V3, V3_6])


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
def test_json_schema_is_accepted_or_refused_with_the_exact_text(
    model: str, given: Any, text: str | None
) -> None:
    """Unknown keywords of a JSON schema are ignored.

    A reference must name an entry of ``$defs``, and may not require itself endlessly.
    """
    assert refusal_text(model, body(user(), tools=tools(function("f", parametersJsonSchema=given)))) == text


@modern
def test_two_kinds_of_schema_for_one_value_are_refused(model: str) -> None:
    """A function's parameters have a proto schema or a JSON schema, but not both.

    Its response may have the other kind.
    """
    parameters = schema(a={"type": "STRING"})
    both = function("f", parameters, parametersJsonSchema={"type": "object"})
    assert refusal_text(model, body(user(), tools=tools(both))) == INVALID_ARGUMENT
    answers = function("f", parameters, response=parameters, responseJsonSchema={"type": "object"})
    assert refusal_text(model, body(user(), tools=tools(answers))) == INVALID_ARGUMENT
    mixed = function("f", parameters, responseJsonSchema={"type": "object"})
    assert refusal_text(model, body(user(), tools=tools(mixed))) is None
