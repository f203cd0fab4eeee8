"""Builders of hostile bodies with tool schemas."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.support.hostile_bodies.making import Body, Builder, many, nested, with_schema


def _fan_out(size: int, keyword: str = "properties") -> Body:
    """Return definitions that each refer twice to the next one, so that every level doubles the size."""
    count = max(2, size // 120)

    def refers(at: int) -> Body:
        to = {"$ref": f"#/$defs/d{at + 1}"}
        if keyword == "properties":
            return {"type": "object", "properties": {"a": to, "b": to}}
        return {keyword: [to, to]}

    made = {f"d{at}": refers(at) for at in range(count - 1)}
    made[f"d{count - 1}"] = {"type": "string"}
    return with_schema({"$defs": made, "properties": {"a": {"$ref": "#/$defs/d0"}}})


def _reference_ring(size: int) -> Body:
    count = max(2, size // 80)
    made = {
        f"d{at}": {"type": "object", "properties": {"n": {"$ref": f"#/$defs/d{(at + 1) % count}"}}}
        for at in range(count)
    }
    return with_schema({"$defs": made, "properties": {"a": {"$ref": "#/$defs/d0"}}})


def _rings_of_one_name(size: int) -> Body:
    """Return recursive definitions whose pointers all end in the same name."""
    count = max(1, size // 190)
    made = {
        f"h{at}": {"same": {"type": "object", "properties": {"n": {"$ref": f"#/$defs/h{at}/same"}}}}
        for at in range(count)
    }
    uses = {f"p{at}": {"$ref": f"#/$defs/h{at}/same"} for at in range(count)}
    return with_schema({"$defs": made, "properties": uses})


def _references_to(size: int, target: Body, keyword: str = "properties") -> Body:
    """Return many references to one large definition."""
    references = many(size // 2, lambda at: {"$ref": "#/$defs/d"})
    if keyword == "properties":
        uses: Any = {f"p{at}": reference for at, reference in enumerate(references)}
    else:
        uses = {"p": {keyword: references}}
        keyword = "properties"
    return with_schema({"$defs": {"d": target}, keyword: uses})


def _enumeration(size: int) -> Body:
    return {"type": "string", "enum": many(size, lambda at: f"v{at}")}


def _choices_that_require_much(size: int) -> Body:
    """Return a ``oneOf`` of 60 branches, few enough to be compared, each with many required constants."""
    count = max(1, size // 60 // 50)
    branch = {
        "type": "object",
        "properties": {f"property_{at}": {"const": 1} for at in range(count)},
        "required": [f"property_{at}" for at in range(count)],
    }
    return with_schema({"properties": {"p": {"oneOf": [branch] * 60}}})


SCHEMAS: Mapping[str, Builder] = {
    "schema_properties": lambda size: with_schema(
        {"properties": {f"p{at}": {"type": ["string", "null"]} for at in range(size // 35)}}
    ),
    "schema_fan_out": _fan_out,
    "schema_fan_out_of_members": lambda size: _fan_out(size, "allOf"),
    "schema_fan_out_of_choices": lambda size: _fan_out(size, "anyOf"),
    "schema_ring": _reference_ring,
    "schema_rings_of_one_name": _rings_of_one_name,
    "schema_references_to_an_enum": lambda size: _references_to(size, _enumeration(size // 2)),
    "schema_members_with_one_enum": lambda size: _references_to(size, _enumeration(size // 2), "allOf"),
    "schema_choices_of_one_enum": lambda size: _references_to(size, _enumeration(size // 2), "anyOf"),
    "schema_references_to_a_wide_definition": lambda size: _references_to(
        size, {"type": "object", **{f"x{at}": at for at in range(size // 34)}}
    ),
    "schema_members": lambda size: with_schema(
        {"allOf": many(size, lambda at: {"type": "object", "properties": {f"p{at}": {"type": "string"}}})}
    ),
    "schema_closed_members": lambda size: with_schema(
        {
            "allOf": many(
                size,
                lambda at: {"properties": {f"p{at}": {}}, "additionalProperties": {"minLength": at}},
            )
        }
    ),
    "schema_choices": lambda size: with_schema(
        {"properties": {"p": {"anyOf": many(size, lambda at: {"type": "string", "minLength": at})}}}
    ),
    "schema_exclusive_choices": lambda size: with_schema(
        {
            "properties": {
                "p": {
                    "oneOf": many(
                        size,
                        lambda at: {"type": "object", "properties": {"k": {"const": at}}, "required": ["k"]},
                    )
                }
            }
        }
    ),
    "schema_choices_that_require_much": _choices_that_require_much,
    "schema_choices_of_two_enums": lambda size: with_schema(
        {
            "properties": {
                "p": {
                    "oneOf": [
                        _enumeration(size // 2),
                        {"type": "string", "enum": many(size // 2, lambda at: f"w{at}")},
                    ]
                }
            }
        }
    ),
    "schema_choices_that_require": lambda size: with_schema(
        {
            "properties": {"p": {"type": "string"}},
            "anyOf": many(size, lambda at: {"required": [f"r{n}" for n in range(20)]}),
        }
    ),
    "schema_wide_choices_that_require": lambda size: with_schema(
        {
            "properties": {"p": {"type": "string"}},
            "anyOf": [{"required": [f"r{n}" for n in range(size // 20)]}] * 2,
        }
    ),
    "schema_choices_within_choices": lambda size: with_schema(
        {
            "properties": {
                "p": {
                    "properties": {"q": {"type": "string"}},
                    "anyOf": many(size, lambda at: {"oneOf": [{"minimum": at}, {"maximum": at}]}),
                }
            }
        }
    ),
    "schema_enum": lambda size: with_schema({"properties": {"p": _enumeration(size)}}),
    "schema_enum_of_objects": lambda size: with_schema(
        {"properties": {"p": {"enum": many(size, lambda at: {"a": [at]})}}}
    ),
    "schema_enum_and_constant": lambda size: with_schema(
        {"properties": {"p": {"const": -1, "enum": many(size, lambda at: at)}}}
    ),
    "schema_enum_of_numbers": lambda size: with_schema(
        {"properties": {"p": {"enum": many(size, lambda at: at * 2)}}}
    ),
    "schema_required": lambda size: with_schema(
        {"properties": {}, "required": many(size, lambda at: f"r{at}")}
    ),
    "schema_required_and_there": lambda size: with_schema(
        {
            "properties": {f"r{at}": {} for at in range(size // 24)},
            "required": [f"r{at}" for at in range(size // 24)],
        }
    ),
    "schema_tuple": lambda size: with_schema(
        {"properties": {"p": {"type": "array", "prefixItems": many(size, lambda at: {"const": at})}}}
    ),
    "schema_types": lambda size: with_schema(
        {"properties": {"p": {"type": many(size, lambda at: f"t{at}")}}}
    ),
    "schema_deep": lambda size: with_schema(
        {
            "properties": {
                f"p{at}": nested({}, 50, lambda inner: {"type": "object", "properties": {"n": inner}})
                for at in range(max(1, size // 2200))
            }
        }
    ),
    "schema_deep_and_told": lambda size: with_schema(
        {"properties": {"p": nested(_enumeration(size), 50, lambda inner: {"type": "array", "items": inner})}}
    ),
    "schema_deep_negations": lambda size: with_schema(
        {
            "properties": {
                f"p{at}": nested({"x": "y" * 400}, 50, lambda inner: {"type": "object", "not": inner})
                for at in range(max(1, size // 2200))
            }
        }
    ),
    "schema_pattern_properties": lambda size: with_schema(
        {"properties": {"p": {"patternProperties": {f"^p{at}": {} for at in range(size // 14)}}}}
    ),
    "schema_long_pointer": lambda size: with_schema(
        {"properties": {f"p{at}": {"$ref": "#/" + "a/" * 500} for at in range(max(1, size // 1030))}}
    ),
    "schema_anchors": lambda size: with_schema(
        {
            "$defs": {f"d{at}": {"$anchor": f"a{at}", "type": "string"} for at in range(size // 90)},
            "properties": {f"p{at}": {"$ref": f"#a{at}"} for at in range(size // 90)},
        }
    ),
}
