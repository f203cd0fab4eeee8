"""Tests that schemas which the validator would misread are refused."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.answers.tool_calls.schema_shape import DEEPEST, has_shape, is_usable


@pytest.mark.parametrize(
    ("word", "right", "wrong"),
    [
        ("required", ["city"], "city"),
        ("type", ["string", "null"], ["text"]),
        ("type", "object", "any"),
        ("enum", [1, "a", None], [[1]]),
        ("const", 3, {"a": 1}),
        ("minimum", 1.5, True),
        ("maxItems", 3, -1),
        ("multipleOf", 0.5, 0),
        ("$ref", "#/$defs/a", "https://example.test/a"),
        ("dependentRequired", {"a": ["b"]}, {"a": "b"}),
    ],
)
def test_a_keyword_has_its_own_type(word: str, right: Any, wrong: Any) -> None:
    """A keyword accepts only values of its own type. An unknown keyword may hold any value."""
    assert has_shape(word, right)
    assert not has_shape(word, wrong)
    assert has_shape(f"x-{word}", wrong)


@pytest.mark.parametrize(
    "schema",
    [
        {"properties": {"a": {"required": "city"}}},
        {"items": {"anyOf": {"type": "string"}}},
        {"$defs": [{"type": "string"}]},
        {"allOf": [{"not": {"type": 3}}]},
        "string",
        None,
    ],
)
def test_one_wrong_keyword_makes_the_schema_unusable(schema: Any) -> None:
    """One wrong keyword at any depth makes the schema unusable."""
    assert not is_usable(schema)


def test_a_well_formed_schema_is_usable() -> None:
    """A well-formed schema is usable, with ``true`` and ``false`` as inner schemas."""
    assert is_usable({"type": "object", "properties": {"a": True, "b": {"items": False}}})


def test_nesting_is_bounded() -> None:
    """A schema that is nested deeper than ``DEEPEST`` levels is unusable."""

    def nested(levels: int) -> dict[str, Any]:
        schema: dict[str, Any] = {}
        for _ in range(levels - 1):
            schema = {"not": schema}
        return schema

    assert is_usable(nested(DEEPEST))
    assert not is_usable(nested(DEEPEST + 1))
