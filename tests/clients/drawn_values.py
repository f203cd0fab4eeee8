"""Draws random values for a schema from a seed.

Most values fit the schema, and the caller checks which. This module is for large schemas of real tools. hypothesis
would take minutes to build strategies for hundreds of schemas.
"""

from __future__ import annotations

import functools
import random
from collections.abc import Iterator, Mapping
from typing import Any

from hypothesis import find, settings
from hypothesis import strategies as st
from hypothesis.errors import HypothesisException

from tests.clients.pointers import pointed

DEEPEST = 6
"""Depth below which nothing optional is drawn, since values for a recursive schema must end."""

MAX_ITEMS = 3
TEXTS = ("", "a", "main", "https://example.com/", "2026-01-01T00:00:00Z", "ünï")
NUMBERS = (0, 1, -1, 2, 7, 100, 0.5, 1.5, -3.25)
ANYTHING: tuple[Any, ...] = (None, True, 3, 0.5, "a", [], ["a"], {}, {"a": 1})


def drawn_values(schema: Mapping[str, Any], count: int) -> Iterator[Any]:
    """Yield up to *count* values for *schema*, the same ones each time. Values that cannot be drawn are left out."""
    for seed in range(count):
        try:
            yield _Draw(schema, seed).value(schema, 0)
        except (_NothingError, RecursionError):
            continue


class _NothingError(Exception):
    """Raised when hypothesis finds no text that matches a pattern."""


class _Draw:
    def __init__(self, root: Mapping[str, Any], seed: int) -> None:
        self._root = root
        self._random = random.Random(seed)

    def value(self, schema: Any, depth: int) -> Any:
        """Return a value for *schema*."""
        if not isinstance(schema, Mapping):
            return self._random.choice(ANYTHING)
        if isinstance(schema.get("$ref"), str):
            return self.value(pointed(self._root, schema["$ref"]), depth + 1)
        if "const" in schema:
            return schema["const"]
        if schema.get("enum"):
            return self._random.choice(schema["enum"])
        for keyword in ("anyOf", "oneOf"):
            if schema.get(keyword):
                branches = schema[keyword]
                chosen = branches[0] if depth > DEEPEST else self._random.choice(branches)
                rest = {name: value for name, value in schema.items() if name != keyword}
                return self.value({**rest, **chosen} if isinstance(chosen, Mapping) else rest, depth + 1)
        if schema.get("allOf"):
            merged = {name: value for name, value in schema.items() if name != "allOf"}
            for part in schema["allOf"]:
                merged |= pointed(self._root, part["$ref"]) if "$ref" in part else part
            return self.value(merged, depth + 1)
        return self._of_kind(schema, depth)

    def _of_kind(self, schema: Mapping[str, Any], depth: int) -> Any:
        if schema.get("nullable") is True and self._random.random() < 0.2:
            return None
        kind = schema.get("type")
        if isinstance(kind, list):
            kind = self._random.choice(kind)
        if kind is None:
            if "properties" in schema:
                return self._object(schema, depth)
            return self._random.choice(ANYTHING)
        match kind:
            case "object":
                return self._object(schema, depth)
            case "array":
                return self._array(schema, depth)
            case "string":
                return self._text(schema)
            case "integer" | "number":
                return self._number(schema, whole=kind == "integer")
            case "boolean":
                return self._random.random() < 0.5
            case _:
                return None

    def _object(self, schema: Mapping[str, Any], depth: int) -> dict[str, Any]:
        required = schema.get("required") or ()
        properties = schema.get("properties") or {}
        made = {}
        for name, child in properties.items():
            if name in required or (depth <= DEEPEST and self._random.random() < 0.5):
                made[name] = self.value(child, depth + 1)
        if self._random.random() < 0.3:
            more = schema.get("additionalProperties")
            made["a name of one's own"] = self.value(more, depth + 1) if isinstance(more, Mapping) else 1
        return made

    def _array(self, schema: Mapping[str, Any], depth: int) -> list[Any]:
        fewest = int(schema.get("minItems") or 0)
        most = min(int(schema.get("maxItems", fewest + MAX_ITEMS)), fewest + MAX_ITEMS)
        length = fewest if depth > DEEPEST else self._random.randint(fewest, max(fewest, most))
        first = schema.get("prefixItems") or ()
        return [
            self.value(first[i] if i < len(first) else schema.get("items"), depth + 1) for i in range(length)
        ]

    def _text(self, schema: Mapping[str, Any]) -> str:
        if isinstance(schema.get("pattern"), str):
            return _matching(schema["pattern"])
        text = self._random.choice(TEXTS)
        shortest = int(schema.get("minLength") or 0)
        return (text + "x" * max(0, shortest - len(text)))[: schema.get("maxLength")]

    def _number(self, schema: Mapping[str, Any], *, whole: bool) -> float:
        edges = [schema.get(name) for name in ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")]
        near = [edge + step for edge in edges if isinstance(edge, int | float) for step in (0, 1, -1)]
        numbers = [number for number in (*near, *NUMBERS) if not whole or float(number).is_integer()]
        low, high = schema.get("minimum", float("-inf")), schema.get("maximum", float("inf"))
        return self._random.choice([number for number in numbers if low <= number <= high] or numbers)


@functools.cache
def _matching(pattern: str) -> str:
    """Return the simplest text that matches *pattern* anywhere."""
    try:
        return find(
            st.from_regex(pattern), lambda _: True, settings=settings(database=None, derandomize=True)
        )
    except (HypothesisException, ValueError) as error:
        raise _NothingError from error
