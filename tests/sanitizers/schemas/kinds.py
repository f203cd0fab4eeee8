"""A strategy for each kind of rewrite. Each strategy draws schemas of one property that need its rewrite."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tests.sanitizers.schemas.drawn import NAMES

_text = st.sampled_from(["a", "b", "c"])
_number = st.integers(-1, 3)
_scalar = st.sampled_from(
    [
        {"type": "string"},
        {"type": "integer", "minimum": 1},
        {"type": "boolean"},
        {"type": "string", "enum": ["a", "b"]},
        {"type": "array", "items": {"type": "integer"}},
        {"type": "object", "properties": {"k": {"type": "string"}}, "required": ["k"]},
    ]
)
_types = st.lists(
    st.sampled_from(["string", "integer", "number", "boolean", "null", "object"]), min_size=1, unique=True
)
_object = st.builds(
    lambda properties, required: {"type": "object", "properties": properties, "required": required},
    st.dictionaries(st.sampled_from(NAMES), _scalar, min_size=1, max_size=3),
    st.lists(st.sampled_from(NAMES), max_size=2, unique=True),
)


def _tagged(tags: list[str], inner: list[dict[str, Any]], keyword: str) -> dict[str, Any]:
    """Return a choice of objects that differ by a constant, as discriminated unions are written."""
    return {
        keyword: [
            {
                "type": "object",
                "properties": {"k": {"const": tag}, "a": schema},
                "required": ["k"],
            }
            for tag, schema in zip(tags, inner, strict=False)
        ]
    }


KINDS: dict[str, st.SearchStrategy[Any]] = {
    "ref_inlined": st.builds(
        lambda more: {"$ref": "#/$defs/D", **more}, st.sampled_from([{}, {"description": "d"}])
    ),
    "const_as_enum": st.builds(lambda value: {"const": value}, st.sampled_from(["a", 1, 2.5, None])),
    "enum_typed": st.builds(lambda values: {"enum": values}, st.lists(_text, min_size=1, unique=True)),
    "enum_as_range": st.builds(
        lambda low, many, more: {"enum": list(range(low, low + many)), **more},
        _number,
        st.integers(1, 4),
        st.sampled_from([{}, {"type": "integer"}, {"type": "number"}, {"minimum": 1}]),
    ),
    "type_array": st.builds(
        lambda types, more: {"type": types, **more},
        _types,
        st.sampled_from(
            [{}, {"minimum": 1}, {"maxLength": 1}, {"enum": ["a", 1, None]}, {"description": "d"}]
        ),
    ),
    "nullable": st.builds(
        lambda schema, keyword: {keyword: [schema, {"type": "null"}]},
        _scalar,
        st.sampled_from(["anyOf", "oneOf"]),
    ),
    "all_of_merged": st.builds(
        lambda members, beside: {"allOf": members, **beside},
        st.lists(st.one_of(_object, _scalar), min_size=1, max_size=3),
        st.sampled_from([{}, {"type": "object"}, {"minimum": 2}, {"required": ["a"]}]),
    ),
    "one_of_as_any_of": st.builds(
        _tagged, st.lists(_text, min_size=2, unique=True), st.lists(_scalar, min_size=2), st.just("oneOf")
    ),
    "any_of_as_enum": st.builds(
        lambda values, keyword: {keyword: [{"const": value, "title": "T"} for value in values]},
        st.lists(st.one_of(_text, _number, st.none()), min_size=2, unique=True),
        st.sampled_from(["anyOf", "oneOf"]),
    ),
    "any_of_distributed": st.builds(
        lambda branches, beside: {"anyOf": branches, **beside},
        st.lists(_scalar, min_size=1, max_size=3),
        st.sampled_from(
            [{"maxLength": 1}, {"type": ["string", "integer"]}, {"minimum": 2}, {"enum": ["a", 1, 2, 3]}]
        ),
    ),
    "any_of_alone": st.builds(
        lambda branches: {"anyOf": branches, "description": "d", "default": 1},
        st.lists(_scalar, min_size=2, max_size=3),
    ),
    "tuple_items": st.builds(
        lambda item, many, rest: {"type": "array", "prefixItems": [item] * many, **rest},
        _scalar,
        st.integers(1, 2),
        st.sampled_from([{"items": False}, {"maxItems": 1}]),
    ),
    "boolean_schema": st.builds(
        lambda branches: {"anyOf": [*branches, False]}, st.lists(_scalar, min_size=1, max_size=2)
    ),
    "exclusive_bound": st.builds(
        lambda low, high: {"type": "integer", "exclusiveMinimum": low, "exclusiveMaximum": high},
        st.sampled_from([-1, 0, 0.5, 1.0]),
        st.sampled_from([2, 2.5, 3, 4]),
    ),
    "empty_object": st.just({"type": "object", "properties": {}}),
    "duplicate_branch": st.builds(lambda one: {"anyOf": [one, one, {"type": "null"}]}, _scalar),
    "keyword_dropped": st.builds(
        lambda schema, more: {**schema, **more},
        _scalar,
        st.sampled_from([{"additionalProperties": True}, {"uniqueItems": False}, {"multipleOf": 1}]),
    ),
    "annotation_dropped": st.builds(
        lambda schema: {**schema, "$comment": "c", "x-y": 1, "readOnly": True}, _scalar
    ),
    "type_spelled": st.builds(lambda schema: {**schema, "type": schema["type"].upper()}, _scalar),
}
"""The strategies by reason. Each reason is that of a rewrite which keeps the meaning."""
