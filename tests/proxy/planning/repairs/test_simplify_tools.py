"""Simplified schemas of tools and answers."""

from __future__ import annotations

from typing import Any

from proxy.planning.repairs.simplify_tools import simplify_response_format, simplify_tools
from tests.proxy.planning.repairs.asking import draft_of, listed, refusal
from tests.support.builders import user

RICH: dict[str, Any] = {
    "type": "object",
    "properties": {"a": {"anyOf": [{"type": "string"}, {"type": "integer"}]}},
    "patternProperties": {"^x": {"type": "string"}},
}
PLAIN: dict[str, Any] = {"type": "object", "properties": {"a": {"type": "string"}}}


def tool_of(schema: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """Build a declaration."""
    return {"type": "function", "function": {"name": "f", "parameters": schema, **fields}}


def test_only_tools_with_rich_schemas_change() -> None:
    """A simplified tool is no longer strict, since its schema says less."""
    plain, rich = tool_of(PLAIN, strict=True), tool_of(RICH, strict=True)
    draft = simplify_tools(
        draft_of([user("go")], {"tools": [plain, rich], "functions": None}), refusal("No.")
    )
    first, second = draft.parameters["tools"]

    assert first is plain
    assert "strict" not in second["function"]
    assert "patternProperties" not in second["function"]["parameters"]
    assert listed(draft) == [("replaced", 0, "schema", "tools[1]")]


def test_functions_are_simplified_too() -> None:
    """The older list has no wrapper around a function."""
    draft = simplify_tools(
        draft_of([user("go")], {"functions": [{"name": "f", "parameters": RICH}]}), refusal("No.")
    )

    assert "patternProperties" not in draft.parameters["functions"][0]["parameters"]
    assert listed(draft) == [("replaced", 0, "schema", "functions[0]")]


def test_the_answer_s_schema_is_simplified() -> None:
    """A format without a schema stays the same draft."""
    given = {"response_format": {"type": "json_schema", "json_schema": {"name": "x", "schema": RICH}}}
    draft = simplify_response_format(draft_of([user("go")], given), refusal("No."))
    schema = draft.parameters["response_format"]["json_schema"]["schema"]

    assert "patternProperties" not in schema
    assert listed(draft) == [("replaced", 0, "schema", "response_format")]
    other = draft_of([user("go")], {"response_format": {"type": "json_object"}})
    assert simplify_response_format(other, refusal("No.")) is other
