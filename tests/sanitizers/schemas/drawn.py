"""Random schemas and values. Both have few names and numbers, so that values often fit."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

NAMES = ("a", "b", "k")
TEXTS = ("", "a", "b", "long text")

values: st.SearchStrategy[Any] = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(-1, 4), st.sampled_from([0.5, 1.5, 2.0]), st.sampled_from(TEXTS)
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(NAMES), inner, max_size=3)
    ),
    max_leaves=6,
)
objects: st.SearchStrategy[dict[str, Any]] = st.dictionaries(st.sampled_from(NAMES), values, max_size=3)
"""Random arguments of a function."""

_kinds = st.sampled_from(["string", "integer", "number", "boolean", "null", "object", "array"])
_types = st.one_of(_kinds, st.lists(_kinds, min_size=1, max_size=3, unique=True))
_counts = st.integers(0, 3)
_limits = st.one_of(st.integers(-1, 3), st.sampled_from([0.5, 1.5]))
_enums = st.lists(st.sampled_from(["a", "b", "", 1, 2, 3, 1.5, True, False, None]), min_size=1, max_size=4)
_said = {"description": st.just("said"), "title": st.just("T"), "default": st.sampled_from([1, "a", None])}
_leaf = {
    "type": _types,
    "enum": _enums,
    "const": st.sampled_from(["a", 1, True, None, "b"]),
    "nullable": st.just(True),
    "minimum": _limits,
    "maximum": _limits,
    "exclusiveMinimum": _limits,
    "exclusiveMaximum": _limits,
    "multipleOf": st.sampled_from([1, 2]),
    "minLength": _counts,
    "maxLength": _counts,
    "format": st.sampled_from(["date-time", "uri", "int32"]),
    "uniqueItems": st.booleans(),
    "minItems": _counts,
    "maxItems": _counts,
    "minProperties": _counts,
    "required": st.lists(st.sampled_from(NAMES), max_size=2),
    "$ref": st.sampled_from(["#/$defs/D", "#", "#/$defs/E"]),
    "x-other": st.just(1),
    **_said,
}


def _of(optional: dict[str, st.SearchStrategy[Any]], most: int) -> st.SearchStrategy[Any]:
    """Return a strategy for schemas with at most *most* of the keywords in *optional*."""
    return st.lists(st.sampled_from(sorted(optional)), max_size=most, unique=True).flatmap(
        lambda names: st.fixed_dictionaries({name: optional[name] for name in names})
    )


def _holding(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    branches = st.lists(inner, min_size=1, max_size=3)
    return _of(
        {
            "type": st.sampled_from(["object", "array", ["object", "null"]]),
            "properties": st.dictionaries(st.sampled_from(NAMES), inner, max_size=3),
            "required": st.lists(st.sampled_from(NAMES), max_size=2),
            "items": inner,
            "prefixItems": branches,
            "additionalProperties": inner,
            "anyOf": branches,
            "oneOf": branches,
            "allOf": branches,
            "not": inner,
            "nullable": st.just(True),
            "maxItems": _counts,
            "patternProperties": st.just({"^a": {"type": "string"}}),
            **_said,
        },
        4,
    )


schemas: st.SearchStrategy[Any] = st.recursive(
    st.one_of(_of(_leaf, 3), st.booleans()), _holding, max_leaves=6
)
"""Random schemas that JSON Schema allows."""

roots: st.SearchStrategy[dict[str, Any]] = st.builds(
    lambda properties, more, d, e: {
        "type": "object",
        "properties": properties,
        **more,
        "$defs": {"D": d, "E": e},
    },
    st.dictionaries(st.sampled_from(NAMES), schemas, max_size=2),
    st.one_of(
        st.just({}),
        st.fixed_dictionaries({"required": st.just(["a"])}),
        st.fixed_dictionaries({"anyOf": st.lists(schemas, min_size=1, max_size=2)}),
        st.fixed_dictionaries({"allOf": st.lists(schemas, min_size=1, max_size=2)}),
    ),
    schemas,
    schemas,
)
"""Random schemas of a function's parameters, with definitions."""

_JUNK = (
    "type properties items anyOf oneOf allOf enum const required format nullable $ref minimum maxItems a b prefixItems "
    "description title default additionalProperties propertyOrdering pattern not $defs $id if exclusiveMinimum "
    "additionalItems definitions"
)
_junk_names = st.sampled_from(_JUNK.split())
_junk_leaves = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 3),
    st.sampled_from(["", "a", "string", "null", "object", "array", "#", "#/a", "#/$defs/a", 0.5, 10**30]),
)
junk: st.SearchStrategy[dict[str, Any]] = st.dictionaries(
    _junk_names,
    st.recursive(
        _junk_leaves,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_junk_names, inner, max_size=4),
        max_leaves=12,
    ),
    max_size=5,
)
"""Objects with names of schema keywords, and any JSON as their values."""
