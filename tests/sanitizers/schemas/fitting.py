"""A validator for JSON Schema, with OpenAPI's ``nullable``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from jsonschema import Draft202012Validator


def judge_of(schema: Any) -> Callable[[Any], bool | None]:
    """Return a function that tells whether a value fits *schema*.

    The function returns None where references never end.
    """
    validator = Draft202012Validator(without_nullable(schema))

    def fits(value: Any) -> bool | None:
        try:
            return validator.is_valid(value)
        except RecursionError:
            return None

    return fits


def without_nullable(schema: Any) -> Any:
    """Return *schema* with ``nullable: true`` written as a choice with null."""
    if isinstance(schema, list):
        return [without_nullable(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    said = {
        name: value if name in ("enum", "const", "default", "required") else without_nullable(value)
        for name, value in schema.items()
        if name != "nullable"
    }
    if schema.get("nullable") is not True:
        return said
    definitions = {"$defs": said.pop("$defs")} if "$defs" in said else {}
    return {"anyOf": [said, {"type": "null"}], **definitions}
