"""Rewrite the outermost schema alone, where a provider checks only that one."""

from __future__ import annotations

from sanitizers.schemas.context import RewriteContext
from sanitizers.schemas.descriptions import described
from sanitizers.schemas.dialects import Dialect
from sanitizers.schemas.notes import Schema
from sanitizers.schemas.objects import list_properties
from sanitizers.schemas.rewrite import Rewriter


def clean_root(context: RewriteContext) -> Schema:
    """Return the outermost schema as one with the type object. Schemas inside it stay as they are."""
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
