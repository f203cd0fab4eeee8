"""Tests that a schema's types are read as a list of JSON Schema's types."""

from __future__ import annotations

from typing import Any

import pytest

from tests.sanitizers.schemas.cleaning import ANYTHING, TEXT, check_row

ROWS = [
    pytest.param(True, ANYTHING, {"boolean_schema": True, "any_value": False}, id="true"),
    pytest.param({"type": "enum"}, ANYTHING, {"type_inferred": False, "any_value": False}, id="no_type"),
    pytest.param({"type": "STRING"}, TEXT, {"type_spelled": True}, id="capitals"),
    pytest.param({"type": "dict"}, {"type": "object"}, {"type_spelled": True}, id="python_type"),
    pytest.param(
        {"type": ["string", "null"]}, {**TEXT, "nullable": True}, {"type_array": True}, id="or_null"
    ),
    pytest.param({**TEXT, "nullable": True}, {**TEXT, "nullable": True}, {}, id="nullable"),
    pytest.param(
        {"const": "a"}, {**TEXT, "enum": ["a"]}, {"const_as_enum": True, "enum_typed": True}, id="const"
    ),
    pytest.param(
        {"const": None}, {"type": "null"}, {"const_as_enum": True, "enum_typed": True}, id="const_null"
    ),
]


@pytest.mark.parametrize(("schema", "cleaned", "why"), ROWS)
def test_types_and_constants_are_spelled_as_json_schema_spells_them(
    schema: Any, cleaned: Any, why: dict[str, bool]
) -> None:
    """An unknown type is left out."""
    check_row(schema, cleaned, why)
