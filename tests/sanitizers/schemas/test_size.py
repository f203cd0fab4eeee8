"""Schemas that are too deep or too large."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sanitizers import Unrepairable
from sanitizers.schemas import GEMINI, clean_schema
from tests.sanitizers.schemas.cleaning import TEXT, of, reasons


def test_levels_that_are_too_deep_are_described() -> None:
    """Gemini does not say how deep is too deep."""
    schema: Any = TEXT
    for _ in range(50):
        schema = {"type": "object", "properties": {"a": schema}}
    done = clean_schema(schema, GEMINI)

    assert [(note.reason, note.kept) for note in done.notes] == [("depth_flattened", False)]
    assert "Its schema:" in json.dumps(done.schema)
    assert clean_schema(done.schema, GEMINI).schema is done.schema


def test_members_within_members_end() -> None:
    """As deep as it may be, and not deeper."""
    schema: Any = TEXT
    for _ in range(60):
        schema = {"allOf": [schema]}

    assert reasons(schema)["depth_flattened"] is False


def test_a_schema_that_unfolds_without_end_is_refused() -> None:
    """A kilobyte that unfolds into billions does not unfold here, nor does a chain of ten thousand levels."""
    twice = {f"d{n}": {"properties": {k: {"$ref": f"#/$defs/d{n + 1}"} for k in "ab"}} for n in range(30)}
    deep: Any = TEXT
    for _ in range(10_000):
        deep = {"type": "array", "items": deep}

    with pytest.raises(Unrepairable) as large:
        of({"$ref": "#/$defs/d0"}, beside={"$defs": twice})
    with pytest.raises(Unrepairable) as low:
        clean_schema({"type": "object", "properties": {"a": deep}}, GEMINI, "tools[1].function.parameters")

    assert (large.value.rule, large.value.param) == ("schema_too_large", "parameters")
    assert (low.value.rule, low.value.param) == ("schema_too_deep", "tools[1].function.parameters")
