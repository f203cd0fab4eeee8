"""Clean one schema for one dialect, or only its outermost level where the provider checks no other."""

from __future__ import annotations

from typing import Any

from sanitizers.schemas.context import RewriteContext
from sanitizers.schemas.descriptions import described
from sanitizers.schemas.dialects import Dialect
from sanitizers.schemas.notes import CleanedSchema, Schema
from sanitizers.schemas.objects import list_properties
from sanitizers.schemas.rewrite import Rewriter
from sanitizers.schemas.size import check_depth


def clean_schema(schema: dict[str, Any], dialect: Dialect, place: str = "parameters") -> CleanedSchema:
    """Return *schema*, the JSON Schema of a function's parameters, as *dialect* accepts it.

    Returns the same object where nothing was changed. *schema* is never written to, but parts of it are in the result.
    *place* is the schema's name in the request. Raises :class:`sanitizers.errors.Unrepairable` for a schema that is
    nested too deeply, or too large with its references resolved.
    """
    check_depth(schema, place)
    context = RewriteContext(schema, dialect, place)
    cleaned = clean_root(context) if dialect.root_only else Rewriter(context).root()
    return CleanedSchema(cleaned, tuple(context.notes)) if context.notes else CleanedSchema(schema)


def clean_root(context: RewriteContext) -> Schema:
    """Return the outermost schema with the type object. Schemas inside it stay as they are."""
    schema, dialect = dict(context.root), context.dialect
    if not _is_taken(schema, dialect):
        flat = Rewriter(context).root_object()
        refused = {name: flat.schema[name] for name in dialect.root_keywords & flat.schema.keys()}
        words = [*flat.words]
        if refused:
            context.note("keyword_in_words", context.top, kept=False)
            words.append(f"Rules: {context.spell_out_json(refused)}")
        description = described(flat.schema.get("description"), words)
        schema = {name: value for name, value in flat.schema.items() if name not in refused}
        schema |= {"type": "object", **({"description": description} if description else {})}
    if "required" in schema and not isinstance(schema["required"], list):
        # Go writes `null` for an empty list of names.
        context.note("keyword_dropped", context.top, "required")
        del schema["required"]
    list_properties(schema, context)
    return schema


def _is_taken(schema: Schema, dialect: Dialect) -> bool:
    if schema.get("type") != "object" or "$ref" in schema:
        return False
    return not dialect.root_keywords & schema.keys()
