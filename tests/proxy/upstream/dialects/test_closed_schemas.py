"""Tests of schemas that a grammar can enforce."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.upstream.dialects.closed_schemas import close_schema
from proxy.upstream.dialects.fit_parameters import fit_parameters
from proxy.upstream.dialects.table import ANTHROPIC, MESSAGES
from sanitizers.work_limit import WorkLimit, limited_by
from tests.support.builders import user

SCHEMAS = st.recursive(
    st.sampled_from([{"type": "string"}, {"type": "integer", "minimum": 1}, True]),
    lambda inner: st.one_of(
        st.builds(lambda one: {"type": "object", "properties": {"a": one}}, inner),
        st.builds(lambda one: {"type": "array", "items": one, "maxItems": 3}, inner),
        st.builds(lambda one, two: {"oneOf": [one, two]}, inner, inner),
    ),
    max_leaves=6,
)

OPEN = {"type": "object", "properties": {"a": {"type": "string"}}}
CLOSED = {**OPEN, "additionalProperties": False}


@pytest.mark.parametrize(
    ("schema", "closed"),
    [
        (OPEN, CLOSED),
        ({**OPEN, "additionalProperties": True}, CLOSED),
        ({"properties": {}}, {"properties": {}, "additionalProperties": False}),
        (
            {"type": "array", "items": OPEN, "minItems": 2, "uniqueItems": True},
            {"type": "array", "items": CLOSED, "description": "(minItems: 2; uniqueItems: true)"},
        ),
        (
            {"type": "integer", "description": "Age.", "minimum": 0},
            {"type": "integer", "description": "Age. (minimum: 0)"},
        ),
        ({"oneOf": [OPEN, {"type": "null"}]}, {"anyOf": [CLOSED, {"type": "null"}]}),
        (
            {"$defs": {"A": OPEN}, "$ref": "#/$defs/A", "allOf": [OPEN]},
            {"$defs": {"A": CLOSED}, "$ref": "#/$defs/A", "allOf": [CLOSED]},
        ),
        (
            {"type": "object", "properties": {"minimum": {"type": "string", "maxLength": 3}}},
            {
                "type": "object",
                "properties": {"minimum": {"type": "string", "description": "(maxLength: 3)"}},
                "additionalProperties": False,
            },
        ),
    ],
)
def test_objects_are_closed_and_bounds_are_said(schema: Any, closed: Any) -> None:
    """The model can read the rules that the grammar cannot enforce."""
    assert close_schema(schema) == closed
    assert close_schema(closed) is closed


@given(SCHEMAS)
def test_closed_schema_is_closed(schema: Any) -> None:
    """A second time changes nothing."""
    if isinstance(schema, dict):
        closed = close_schema(schema)
        assert close_schema(closed) is closed


def test_deep_and_wide_schemas_take_few_steps() -> None:
    """The nesting of a schema is the client's."""
    deep: dict[str, Any] = {"type": "string"}
    for _ in range(5_000):
        deep = {"type": "array", "items": deep}
    wide = {"type": "object", "properties": {f"p{at}": {"type": "string"} for at in range(5_000)}}
    for schema in (deep, wide):
        with limited_by(WorkLimit(20_000)):
            close_schema(schema)


def test_schema_of_an_answer_and_of_strict_tools_is_closed() -> None:
    """The change is reported, and other tools stay as they are."""
    form = {"type": "json_schema", "json_schema": {"name": "a", "schema": OPEN}}
    tools = [
        {"type": "function", "function": {"name": "f", "parameters": OPEN, "strict": True}},
        {"type": "function", "function": {"name": "g", "parameters": OPEN}},
    ]
    given_parameters = {"response_format": form, "tools": tools}
    fitted = fit_parameters(given_parameters, MESSAGES, [user("go")])
    assert fitted.parameters["response_format"]["json_schema"] == {"name": "a", "schema": CLOSED}
    assert [tool["function"]["parameters"] for tool in fitted.parameters["tools"]] == [CLOSED, OPEN]
    assert {(change.reason, change.detail) for change in fitted.changes} == {
        ("closed_schema", "response_format"),
        ("closed_schema", "tools"),
    }
    alone = fit_parameters({"tools": tools}, MESSAGES, [user("go")])
    assert alone.parameters["tools"][0]["function"]["parameters"] == CLOSED
    assert fit_parameters({"tools": tools}, ANTHROPIC, [user("go")]).parameters["tools"] is tools
