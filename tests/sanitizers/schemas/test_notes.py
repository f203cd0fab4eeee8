"""Tests of notes of rewrites: the reason, and whether the meaning was kept."""

from __future__ import annotations

from typing import Any

import pytest

from sanitizers.schemas import (
    GEMINI,
    GEMINI_1,
    GEMINI_JSON,
    OPENAI,
    PLAIN,
    PLAIN_FEW_STATES,
    PLAIN_FLAT,
    REASONS,
    Dialect,
    clean_schema,
)
from tests.sanitizers.schemas import (
    test_alternatives,
    test_arrays,
    test_choices,
    test_dialects_gemini_json,
    test_enumerations,
    test_flatten,
    test_fold,
    test_intersect,
    test_objects,
    test_references,
    test_scalars,
    test_write_types,
)
from tests.sanitizers.schemas.cleaning import TEXT, WHOLE, kept_by_reason, reasons

A_OR_B = {"anyOf": [{"const": "a"}, {"const": "b"}]}


def within(schema: Any) -> dict[str, Any]:
    """Return the schema of an object with one property, which has *schema*."""
    return {"type": "object", "properties": {"p": schema}}


PROPERTIES: list[tuple[Any, Dialect, dict[str, bool]]] = [
    ({**TEXT, "nullable": False}, GEMINI, {"annotation_dropped": True}),
    ({**TEXT, "const": "x", "nullable": True}, GEMINI, {"const_as_enum": True}),
    ({**TEXT, "nullable": True}, PLAIN, {"nullable": False}),
    ({"anyOf": [TEXT], "nullable": True}, PLAIN, {"nullable": False, "any_of_distributed": True}),
    ({"type": "null"}, PLAIN, {"nullable": False}),
    ({"type": ["string", "integer"]}, PLAIN, {"type_array": True, "one_type_left": False}),
    ({"anyOf": [{"type": "null"}]}, GEMINI, {"any_of_distributed": True}),
    ({**A_OR_B, **TEXT}, GEMINI, {"const_as_enum": True, "any_of_as_enum": True}),
    ({"anyOf": [False, TEXT, WHOLE]}, GEMINI, {"boolean_schema": True}),
    ({**WHOLE, "minimum": "1"}, GEMINI, {"keyword_dropped": False}),
    ({**TEXT, "format": 1}, GEMINI, {"keyword_dropped": True}),
    ({**TEXT, "default": "x"}, GEMINI_JSON, {"keyword_in_words": True}),
    ({**TEXT, "$comment": "x"}, GEMINI, {"annotation_dropped": True}),
    ({**TEXT, "description": ""}, GEMINI, {"annotation_dropped": True}),
    ({**TEXT, "description": 5}, GEMINI, {"annotation_dropped": True}),
    ({"type": "array", "items": TEXT, "uniqueItems": False}, GEMINI, {"keyword_dropped": True}),
    ({"type": "object"}, GEMINI_1, {"empty_object": False}),
    ({"type": "null", "maxLength": 1}, GEMINI, {"keyword_dropped": True}),
    ({"type": "null", "not": {}}, GEMINI, {"keyword_dropped": False}),
    ({**TEXT, "$ref": 1}, GEMINI, {"keyword_dropped": True}),
    ({"type": "array", "prefixItems": []}, GEMINI_JSON, {"keyword_dropped": True}),
    ({"$ref": "#", "description": "d"}, GEMINI_JSON, {"annotation_dropped": True}),
    ({"$ref": "#"}, GEMINI_JSON, {"ref_inlined": True}),
    (
        {"anyOf": [A_OR_B, TEXT], "maxLength": 2},
        GEMINI,
        {"const_as_enum": True, "any_of_as_enum": True, "enum_typed": True, "any_of_distributed": True},
    ),
    ({**TEXT, "enum": ["x"]}, PLAIN_FEW_STATES, {"values_in_words": False}),
    (within(within(within(TEXT))), PLAIN_FLAT, {"depth_flattened": False}),
]

ROOTS: list[tuple[Any, Dialect, dict[str, bool]]] = [
    ({"type": "object", "properties": [1]}, GEMINI, {"keyword_dropped": True}),
    ({**within(TEXT), "propertyOrdering": ["p"]}, GEMINI, {}),
    ({**within(TEXT), "propertyOrdering": ["b"]}, GEMINI, {"annotation_dropped": True}),
    ({"type": "object", "additionalProperties": True}, GEMINI, {"keyword_dropped": True}),
    ({"type": "object", "not": {}, "properties": {}}, OPENAI, {"keyword_in_words": False}),
    ({"type": "object", "properties": {}, "required": None}, OPENAI, {"keyword_dropped": True}),
    ({"type": "object"}, OPENAI, {"properties_added": True}),
    ({"type": "object"}, PLAIN, {"properties_added": True}),
    ({"type": "object", "description": "d"}, GEMINI_1, {"empty_object": False}),
    ({"type": "object", "$defs": {"D": TEXT}}, GEMINI_JSON, {"annotation_dropped": True}),
    ({"type": "object", "$defs": {"D": TEXT}}, GEMINI, {"annotation_dropped": True}),
    ({"allOf": [False]}, GEMINI, {"all_of_merged": True, "root_object": False}),
    ({"type": "object", "enum": [{}]}, GEMINI, {"enum_in_words": False}),
    (TEXT, GEMINI, {"root_object": False}),
    ({"properties": {"a": TEXT}}, GEMINI, {"root_object": True}),
    (
        {"$ref": "#/$defs/D", "type": "object", "$defs": {"D": {}}},
        GEMINI,
        {"ref_inlined": True, "annotation_dropped": True},
    ),
]


@pytest.mark.parametrize(("schema", "dialect", "why"), PROPERTIES)
def test_each_rewrite_of_a_property_has_its_reason(
    schema: Any, dialect: Dialect, why: dict[str, bool]
) -> None:
    """The note tells whether the meaning was kept."""
    assert reasons(schema, dialect) == why


@pytest.mark.parametrize(("root", "dialect", "why"), ROOTS)
def test_each_rewrite_of_the_parameters_has_its_reason(
    root: Any, dialect: Dialect, why: dict[str, bool]
) -> None:
    """The note tells whether the meaning was kept."""
    assert kept_by_reason(clean_schema(root, dialect).notes) == why


def test_every_reason_has_an_example() -> None:
    """The tables of all tests together have exactly the known reasons."""
    tables = (
        test_alternatives,
        test_arrays,
        test_choices,
        test_dialects_gemini_json,
        test_enumerations,
        test_flatten,
        test_fold,
        test_intersect,
        test_objects,
        test_references,
        test_scalars,
        test_write_types,
    )
    others = [row.values[-1] for table in tables for row in table.ROWS]

    assert {reason for why in (*others, *(row[-1] for row in PROPERTIES + ROOTS)) for reason in why} == (
        REASONS.keys()
    )
