"""Notes of rewrites: the reason, the place, and whether the meaning was kept."""

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
    Note,
    clean_schema,
)
from tests.sanitizers.schemas import (
    test_arrays,
    test_choices,
    test_dialects_gemini_json,
    test_enumerations,
    test_objects,
    test_references,
    test_write_types,
)
from tests.sanitizers.schemas.cleaning import TEXT, kept_by_reason


def within(schema: Any) -> dict[str, Any]:
    """Return an object with this as its property."""
    return {"type": "object", "properties": {"p": schema}}


ROWS = [
    ({"type": "object", "properties": [1]}, GEMINI, {"keyword_dropped": True}),
    ({"type": "object", "properties": {"a": TEXT}, "propertyOrdering": ["a"]}, GEMINI, {}),
    (
        {"type": "object", "properties": {"a": TEXT}, "propertyOrdering": ["b"]},
        GEMINI,
        {"annotation_dropped": True},
    ),
    ({"type": "object", "additionalProperties": True}, GEMINI, {"keyword_dropped": True}),
    (
        {"type": "object", "properties": {"a": {**TEXT, "nullable": False}}},
        GEMINI,
        {"annotation_dropped": True},
    ),
    (
        {"type": "object", "properties": {"a": {"type": "string", "const": "x", "nullable": True}}},
        GEMINI,
        {"const_as_enum": True},
    ),
    ({"type": "object", "properties": {"a": {**TEXT, "nullable": True}}}, PLAIN, {"nullable": False}),
    (
        {"type": "object", "properties": {"a": {"anyOf": [TEXT], "nullable": True}}},
        PLAIN,
        {"nullable": False, "any_of_distributed": True},
    ),
    ({"type": "object", "properties": {"a": {"type": "null"}}}, PLAIN, {"nullable": False}),
    (
        {"type": "object", "properties": {"a": {"type": ["string", "integer"]}}},
        PLAIN,
        {"type_array": True, "one_type_left": False},
    ),
    (
        {"type": "object", "properties": {"a": {"anyOf": [{"type": "null"}]}}},
        GEMINI,
        {"any_of_distributed": True},
    ),
    (
        {
            "type": "object",
            "properties": {"a": {"anyOf": [{"const": "a"}, {"const": "b"}], "type": "string"}},
        },
        GEMINI,
        {"const_as_enum": True, "any_of_as_enum": True},
    ),
    (
        {"type": "object", "properties": {"a": {"anyOf": [False, TEXT, {"type": "integer"}]}}},
        GEMINI,
        {"boolean_schema": True},
    ),
    ({"type": "object", "not": {}, "properties": {}}, OPENAI, {"keyword_in_words": False}),
    ({"type": "object", "properties": {}, "required": None}, OPENAI, {"keyword_dropped": True}),
    (
        {"type": "object", "properties": {"a": {"type": "integer", "minimum": "1"}}},
        GEMINI,
        {"keyword_dropped": False},
    ),
    (
        {"type": "object", "properties": {"a": {**TEXT, "format": 1}}},
        GEMINI,
        {"keyword_dropped": True},
    ),
    (
        {"type": "object", "properties": {"a": {**TEXT, "default": "x"}}},
        GEMINI_JSON,
        {"keyword_in_words": True},
    ),
    (
        {"type": "object", "properties": {"a": {**TEXT, "$comment": "x"}}},
        GEMINI,
        {"annotation_dropped": True},
    ),
    (
        {"type": "object", "properties": {"a": {**TEXT, "description": ""}}},
        GEMINI,
        {"annotation_dropped": True},
    ),
    (
        {"type": "object", "properties": {"a": {**TEXT, "description": 5}}},
        GEMINI,
        {"annotation_dropped": True},
    ),
    (
        {"type": "object", "properties": {"a": {"type": "array", "items": TEXT, "uniqueItems": False}}},
        GEMINI,
        {"keyword_dropped": True},
    ),
    (
        {"type": "object", "properties": {"a": {**TEXT, "items": TEXT}}},
        GEMINI,
        {"keyword_dropped": True},
    ),
    ({"type": "object"}, OPENAI, {"properties_added": True}),
    ({"type": "object"}, PLAIN, {"properties_added": True}),
    ({"type": "object", "description": "d"}, GEMINI_1, {"empty_object": False}),
    ({"type": "object", "properties": {"a": {"type": "object"}}}, GEMINI_1, {"empty_object": False}),
    ({"type": "object", "$defs": {"D": TEXT}}, GEMINI_JSON, {"annotation_dropped": True}),
    ({"type": "object", "$defs": {"D": TEXT}}, GEMINI, {"annotation_dropped": True}),
    ({"allOf": [False]}, GEMINI, {"all_of_merged": True, "root_object": False}),
    ({"type": "object", "enum": [{}]}, GEMINI, {"enum_in_words": False}),
    ({"type": "string"}, GEMINI, {"root_object": False}),
    ({"properties": {"a": TEXT}}, GEMINI, {"root_object": True}),
    (
        {"type": "object", "properties": {"a": {"type": "null", "maxLength": 1}}},
        GEMINI,
        {"keyword_dropped": True},
    ),
    (
        {"type": "object", "properties": {"a": {"type": "null", "not": {}}}},
        GEMINI,
        {"keyword_dropped": False},
    ),
    ({"type": "object", "properties": {"a": {**TEXT, "$ref": 1}}}, GEMINI, {"keyword_dropped": True}),
    (
        {"type": "object", "properties": {"a": {"type": "array", "prefixItems": []}}},
        GEMINI_JSON,
        {"keyword_dropped": True},
    ),
    (
        {"type": "object", "properties": {"a": {"$ref": "#", "description": "d"}}},
        GEMINI_JSON,
        {"annotation_dropped": True},
    ),
    ({"type": "object", "properties": {"a": {"$ref": "#"}}}, GEMINI_JSON, {"ref_inlined": True}),
    (
        {"$ref": "#/$defs/D", "type": "object", "$defs": {"D": {}}},
        GEMINI,
        {"ref_inlined": True, "annotation_dropped": True},
    ),
    (
        {
            "type": "object",
            "properties": {
                "a": {"anyOf": [{"anyOf": [{"const": "a"}, {"const": "b"}]}, TEXT], "maxLength": 2}
            },
        },
        GEMINI,
        {"const_as_enum": True, "any_of_as_enum": True, "enum_typed": True, "any_of_distributed": True},
    ),
    (
        {"type": "object", "properties": {"a": {**TEXT, "enum": ["x"]}}},
        PLAIN_FEW_STATES,
        {"values_in_words": False},
    ),
    (
        within(within(within(within(TEXT)))),
        PLAIN_FLAT,
        {"depth_flattened": False},
    ),
]


@pytest.mark.parametrize(("root", "dialect", "why"), ROWS)
def test_each_rewrite_has_its_reason_and_says_whether_it_kept_the_meaning(
    root: dict[str, Any], dialect: Dialect, why: dict[str, bool]
) -> None:
    """Each rewrite has its reason, and says whether it keeps what was meant."""
    assert kept_by_reason(clean_schema(root, dialect).notes) == why


def test_notes_point_into_the_given_schema() -> None:
    """By a JSON pointer."""
    schema = {"type": "object", "properties": {"a/b": {"type": "array", "items": {"const": "x"}}}}

    assert clean_schema(schema, GEMINI).notes == (
        Note("const_as_enum", "/properties/a~1b/items/const", kept=True),
        Note("enum_typed", "/properties/a~1b/items/enum", kept=True),
    )


def test_every_reason_has_an_example() -> None:
    """The set of reasons is closed."""
    tables = (
        test_arrays,
        test_choices,
        test_enumerations,
        test_dialects_gemini_json,
        test_objects,
        test_references,
        test_write_types,
    )
    others = [row.values[-1] for table in tables for row in table.ROWS]

    assert {reason for why in (*others, *(row[-1] for row in ROWS)) for reason in why} == REASONS.keys()
