"""Tests of schemas that are too deep or too large."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sanitizers import Unrepairable
from sanitizers.schemas import GEMINI, clean_schema
from tests.sanitizers.schemas.cleaning import TEXT, of, reasons


def test_levels_that_are_too_deep_are_described() -> None:
    """Gemini does not publish its limit of nesting, so levels below the cleaner's own limit are described."""
    schema: Any = TEXT
    for _ in range(50):
        schema = {"type": "object", "properties": {"a": schema}}
    done = clean_schema(schema, GEMINI)

    assert [(note.reason, note.kept) for note in done.notes] == [("depth_flattened", False)]
    assert "Its schema:" in json.dumps(done.schema)
    assert clean_schema(done.schema, GEMINI).schema is done.schema


def test_members_of_all_of_are_read_to_a_limited_depth() -> None:
    """Members of ``allOf`` below the limit of nesting lose meaning, which a note reports."""
    schema: Any = TEXT
    for _ in range(60):
        schema = {"allOf": [schema]}

    assert reasons(schema)["depth_flattened"] is False


def test_schemas_that_are_too_large_or_too_deep_are_refused() -> None:
    """References can double a schema at each level. A chain of ten thousand levels would exceed Python's stack."""
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
