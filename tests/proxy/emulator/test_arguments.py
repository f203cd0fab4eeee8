"""Tests of the values that the emulated model generates for a schema, as arguments or as JSON answers."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.emulator.arguments import value_for


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"type": "STRING", "enum": ["x", "y"]}, "x"),
        ({"type": ["null", "integer"]}, 1),
        ({"type": "INTEGER", "minimum": 5}, 5),
        ({"type": "NUMBER", "maximum": 0.5}, 0.5),
        ({"type": "BOOLEAN"}, True),
        ({"type": "array", "items": {"type": "integer"}, "minItems": "2"}, [1, 1]),
        ({"anyOf": [{"type": "null"}, {"type": "boolean"}]}, True),
        ({"const": 7}, 7),
        ({"type": "STRING", "format": "date-time"}, "2026-01-01T00:00:00Z"),
        ({"type": "string", "maxLength": 3}, "exa"),
        ({"$ref": "#/$defs/A", "$defs": {"A": {"type": "integer"}}}, 1),
        ({"$ref": "#/$defs/A", "$defs": {"A": {"$ref": "#/$defs/A"}}}, "example value"),
        ({"type": "object", "properties": {"a": {"type": "null"}}, "required": ["a", "b"]}, {"a": None}),
        (True, "example value"),
    ],
)
def test_value_fits_its_schema(given: Any, expected: Any) -> None:
    """A generated value fits its schema, in Gemini's dialect or JSON Schema. An endless reference gives a text."""
    assert value_for(given) == expected
