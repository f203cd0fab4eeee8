"""Tests of values against schemas: faults are listed, and a value that cannot be checked safely has none."""

from __future__ import annotations

import socket
from typing import Any

import pytest

from proxy.answers.tool_calls import fit_schema
from proxy.answers.tool_calls.fit_schema import find_schema_faults
from proxy.answers.tool_calls.schema_shape import is_usable
from tests.support.cpu_time import cpu_seconds


def city(**keywords: Any) -> dict[str, Any]:
    """Return a schema with the required text `city`."""
    return {
        "type": "object",
        "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
        "required": ["city"],
        **keywords,
    }


def one(schema: Any) -> dict[str, Any]:
    """Return the schema of an object whose property `x` has *schema*."""
    return {"type": "object", "properties": {"x": schema}}


TREE = {
    "$ref": "#/$defs/node",
    "$defs": {
        "node": {"type": "object", "properties": {"left": {"$ref": "#/$defs/node"}, "n": {"type": "integer"}}}
    },
}

WRONG: list[tuple[str, Any, Any, str]] = [
    ("type", city(), {"city": 5}, "$.city: 5 is not of type 'string'"),
    ("missing", city(), {}, "$: 'city' is a required property"),
    ("extra", city(additionalProperties=False), {"city": "x", "y": 1}, "'y' was unexpected"),
    ("enum", one({"enum": ["a", "b"]}), {"x": "c"}, "$.x: 'c' is not one of ['a', 'b']"),
    ("number", one({"minimum": 1}), {"x": 0}, "less than the minimum"),
    ("list", one({"type": "array", "items": {"type": "integer"}}), {"x": [1, "2"]}, "$.x[1]: '2'"),
    ("one of", one({"anyOf": [{"type": "string"}, {"type": "null"}]}), {"x": 1}, "not valid under any"),
    ("a reference", TREE, {"left": {"n": "1"}}, "$.left.n: '1' is not of type"),
    ("draft 7", city(**{"$schema": "http://json-schema.org/draft-07/schema#"}), {}, "required"),
    ("draft 4", city(**{"$schema": "http://json-schema.org/draft-04/schema#"}), {}, "required"),
    ("2020-12", city(**{"$schema": "https://json-schema.org/draft/2020-12/schema"}), {}, "required"),
    ("an object in a text", one({"type": "object"}), {"x": "{}"}, "is not of type 'object'"),
    ("null where none may be", one({"type": "string"}), {"x": None}, "None is not of type"),
]

FITS: list[tuple[str, Any, Any]] = [
    ("as declared", city(), {"city": "Paris", "days": 3}),
    ("a key more", city(), {"city": "Paris", "x": 1}),
    ("no schema", None, {"x": 1}),
    ("empty schema", {}, {"x": 1}),
    ("no properties", {"type": "object", "properties": {}}, {"x": 1}),
    ("nullable", one({"type": "string", "nullable": True}), {"x": None}),
    ("nullable enum", one({"enum": ["a"], "nullable": True}), {"x": None}),
    ("format", one({"type": "string", "format": "date-time"}), {"x": "no date"}),
    ("pattern", one({"pattern": "^a$"}), {"x": "b"}),
    ("pattern properties", {"patternProperties": {"^a$": {}}, "additionalProperties": False}, {"b": 1}),
]

UNUSABLE: dict[str, Any] = {
    "no schema": {"type": "object", "required": "city"},
    "unknown type": {"type": "STRING", "required": ["city"]},
    "draft 3": {"properties": {"city": {"required": True}}, "type": "objekt"},
    "boolean bound": {"minProperties": True, "required": ["city"]},
    "properties in a list": {"properties": [], "required": ["city"]},
    "text for a schema": {"properties": {"x": "string"}, "required": ["city"]},
    "tuple items": {"properties": {"x": {"items": [{}]}}, "required": ["city"]},
    "remote reference": {"$ref": "http://127.0.0.1:9/x", "required": ["city"]},
    "file reference": {"properties": {"x": {"$ref": "file:///etc/passwd"}}, "required": ["city"]},
    "nested remote reference": {
        "properties": {"x": {"anyOf": [{"$ref": "other.json"}]}},
        "required": ["city"],
    },
    "remote reference that is not needed": {
        "properties": {"y": {"$ref": "https://x.test"}},
        "required": ["city"],
    },
    "unknown dialect": {"$schema": "https://example.test/schema", "required": ["city"]},
    "no text for a dialect": {"$schema": 5, "required": ["city"]},
    "dialect within": {
        "properties": {"x": {"$schema": "https://json-schema.org/draft/2020-12/schema"}},
        "required": ["city"],
    },
    "unknown place": {"$ref": "#/nowhere"},
    "in a circle": {"$ref": "#"},
    "in a wider circle": {"$ref": "#/$defs/a", "$defs": {"a": {"allOf": [{"$ref": "#/$defs/a"}]}}},
    "too large": {"required": ["city"], "description": "x" * 70_000},
    "too deep": None,
    "far too deep": None,
}
for name, levels in (("too deep", 40), ("far too deep", 2_000)):
    schema: Any = {"required": ["city"]}
    for _ in range(levels):
        schema = {"required": ["city"], "allOf": [schema]}
    UNUSABLE[name] = schema


@pytest.mark.parametrize(
    ("schema", "value", "words"), [row[1:] for row in WRONG], ids=[row[0] for row in WRONG]
)
def test_a_fault_names_its_place_and_rule(schema: Any, value: Any, words: str) -> None:
    """A fault's text names the path and the broken rule."""
    found = find_schema_faults(value, schema)

    assert len(found) == 1
    assert words in found[0]


@pytest.mark.parametrize(("schema", "value"), [row[1:] for row in FITS], ids=[row[0] for row in FITS])
def test_a_fitting_value_has_no_fault(schema: Any, value: Any) -> None:
    """A value has no fault where all rules hold or only an unchecked rule is broken."""
    assert find_schema_faults(value, schema) == []


@pytest.mark.parametrize("schema", UNUSABLE.values(), ids=UNUSABLE)
def test_an_unusable_schema_refuses_nothing(schema: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A broken, unknown or circular schema refuses nothing, and no remote schema is fetched."""

    def connect(*_: Any) -> None:
        raise AssertionError("something was fetched")

    monkeypatch.setattr(socket.socket, "connect", connect)

    assert find_schema_faults({"x": 1}, schema) == []


def doubling(levels: int) -> dict[str, Any]:
    """Return a small schema whose cost doubles with every level."""
    levels_of = {
        f"l{n}": {"allOf": [{"$ref": f"#/$defs/l{n + 1}"}, {"$ref": f"#/$defs/l{n + 1}"}]}
        for n in range(levels)
    }
    return {"$ref": "#/$defs/l0", "$defs": {**levels_of, f"l{levels}": {"type": "object"}}}


WIDE = {"type": "object", "properties": {f"p{n}": {"type": "string"} for n in range(1_500)}}
HOSTILE: dict[str, tuple[Any, Any]] = {
    "doubling": (doubling(30), {}),
    "exponential expression": (one({"pattern": "^(a+)+$"}), {"x": "a" * 40 + "!"}),
    "exponential expression for keys": (
        {"patternProperties": {"^(a+)+$": False}, "additionalProperties": False},
        {"a" * 40 + "!": 1},
    ),
    "a wide schema for each of many": (one({"items": WIDE}), {"x": [{}] * 5_000}),
    "all with all": (one({"uniqueItems": True}), {"x": [{"a": [n]} for n in range(5_000)]}),
    "many": (one({"items": {"type": "integer"}}), {"x": list(range(100_000))}),
}


@pytest.mark.parametrize(("schema", "value"), HOSTILE.values(), ids=HOSTILE)
def test_every_check_ends_in_bounded_time(schema: Any, value: Any) -> None:
    """The check of a hostile schema or value ends in bounded time and finds no fault."""
    find_schema_faults({}, city())  # the library is loaded
    found: list[Any] = []

    def check() -> None:
        fit_schema._compile.cache_clear()
        found.append(find_schema_faults(value, schema))

    assert cpu_seconds(check, bound=1) < 1  # 0.01 on a quiet machine
    assert found[0] == []


@pytest.mark.parametrize(
    ("schema", "fits"),
    [({"type": "integer", "minimum": 0, "maximum": 9}, 1), ({"enum": list(range(100))}, 1)],
    ids=["many keywords", "long lists"],
)
def test_steps_are_counted(schema: Any, fits: Any) -> None:
    """A fault is not found once the limit of steps is used up. Keywords and the values that they visit cost steps."""
    assert find_schema_faults({"x": [fits] * 50 + ["wrong"]}, one({"items": schema})) != []
    assert find_schema_faults({"x": [fits] * 4_000 + ["wrong"]}, one({"items": schema})) == []


def test_faults_are_few_and_short() -> None:
    """A value with many faults gives at most three short texts."""
    found = find_schema_faults({"x": ["no number" * 100] * 50}, one({"items": {"type": "integer"}}))

    assert len(found) == 3
    assert all(len(text) <= 200 for text in found)


def test_each_check_has_all_of_its_steps() -> None:
    """Each check has its own limit of steps."""
    schema = one({"items": {"type": "integer"}})
    for _ in range(20):
        assert find_schema_faults({"x": [1] * 1_500}, schema) == []
    assert find_schema_faults({"x": ["1"]}, schema) != []


def test_a_property_may_have_a_keyword_s_name() -> None:
    """A property's name is not read as a keyword."""
    schema = {"type": "object", "properties": {"type": {"type": "string"}, "required": {"enum": ["x"]}}}

    assert is_usable(schema)
    assert find_schema_faults({"type": 1}, schema) != []
