"""Names that are required are looked up, and not searched for: schemas have thousands of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sanitizers.schemas import GEMINI, GEMINI_JSON, Dialect, clean_schema
from tests.support.counted_steps import ComparedText, count_comparisons


def names(count: int) -> list[Any]:
    """Return texts that count their comparisons. Equal ones are other objects each time."""
    return [ComparedText(f"name_{at}") for at in range(count)]


def compared(schema: Mapping[str, Any], dialect: Dialect) -> int:
    """Return how often names are compared while *schema* is cleaned."""
    return count_comparisons(lambda: clean_schema(dict(schema), dialect))


def choices(count: int) -> dict[str, Any]:
    """Return an object whose branches all require the same names."""
    branches = [{"required": names(count)} for _ in range(2)]
    return {"type": "object", "properties": {"p": {"type": "string"}}, "anyOf": branches}


def recursive(count: int) -> dict[str, Any]:
    """Return an object that holds itself, and requires each of its properties."""
    properties: dict[Any, Any] = {name: {"type": "string"} for name in names(count)}
    node = {
        "type": "object",
        "properties": {**properties, "n": {"$ref": "#/$defs/d"}},
        "required": names(count),
    }
    return {"type": "object", "$defs": {"d": node}, "properties": {"a": {"$ref": "#/$defs/d"}}}


def test_names_that_every_branch_requires() -> None:
    """Two branches of a choice are folded into the object."""
    assert compared(choices(400), GEMINI) < 5 * compared(choices(100), GEMINI) + 100


def test_names_that_a_recursive_definition_requires() -> None:
    """A definition is recursive by what it requires."""
    assert compared(recursive(400), GEMINI_JSON) < 5 * compared(recursive(100), GEMINI_JSON) + 100
