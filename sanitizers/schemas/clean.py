"""Clean one schema for one dialect."""

from __future__ import annotations

from typing import Any

from sanitizers.schemas.context import RewriteContext
from sanitizers.schemas.dialects import Dialect
from sanitizers.schemas.notes import CleanedSchema
from sanitizers.schemas.rewrite import Rewriter
from sanitizers.schemas.roots import clean_root
from sanitizers.schemas.size import check_depth


def clean_schema(schema: dict[str, Any], dialect: Dialect, place: str = "parameters") -> CleanedSchema:
    """Return *schema*, the JSON Schema of a function's parameters, as *dialect* accepts it.

    Returns the same object where nothing was changed. *schema* is never written to, but parts of it are in the result.
    *place* is its name in the request. Raises :class:`sanitizers.errors.Unrepairable` for a schema that is nested too
    deeply, or too large with its references resolved.
    """
    check_depth(schema, place)
    context = RewriteContext(schema, dialect, place)
    cleaned = clean_root(context) if dialect.root_only else Rewriter(context).root()
    return CleanedSchema(cleaned, tuple(context.notes)) if context.notes else CleanedSchema(schema)
