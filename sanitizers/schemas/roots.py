"""The outermost schema, where a provider looks at that alone."""

from __future__ import annotations

from collections.abc import Mapping

from sanitizers.schemas.dialects import Dialect
from sanitizers.schemas.flatten import Flattener
from sanitizers.schemas.notes import Schema
from sanitizers.schemas.rewrite import Rewriter
from sanitizers.schemas.words import described
from sanitizers.schemas.work import Where, Work


def clean_root(work: Work) -> Schema:
    """Return the outermost schema as one of an object that says so; what is within it stays as it is."""
    schema, dialect = dict(work.root), work.dialect
    where = Where(open=frozenset({id(work.root)}), whole=True)
    if not _is_taken(schema, dialect):
        flat = Rewriter(work).as_object(Flattener(work).flatten(schema, where))
        refused = {name: flat.schema[name] for name in dialect.root_keywords & flat.schema.keys()}
        words = [*flat.words]
        if refused:
            work.note("keyword_in_words", where, kept=False)
            words.append(f"Rules: {work.spell_out_json(refused)}")
        description = described(flat.schema.get("description"), words)
        schema = {name: value for name, value in flat.schema.items() if name not in refused}
        schema |= {"type": "object", **({"description": description} if description else {})}
    if "required" in schema and not isinstance(schema["required"], list):
        # What Go writes for no names: `null`.
        work.note("keyword_dropped", where, "required")
        del schema["required"]
    if dialect.root_properties and not isinstance(schema.get("properties"), Mapping):
        work.note("properties_added", where)
        schema["properties"] = {}
    return schema


def _is_taken(schema: Schema, dialect: Dialect) -> bool:
    if schema.get("type") != "object" or "$ref" in schema:
        return False
    return not dialect.root_keywords & schema.keys()
