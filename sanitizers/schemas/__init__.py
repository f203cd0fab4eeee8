"""Rewrite a tool's JSON Schema for its provider, and keep as much of its meaning as possible.

    done = clean_schema(schema, GEMINI)
    done.schema    # `schema` itself where nothing was changed
    done.notes     # each rewrite with its place, and whether it kept the meaning
    clean_tools(parameters["tools"], Target(GEMINI)).changes

Keywords that a dialect does not have go into the description as JSON of bounded length, which models can read. Cleaning
a cleaned schema changes nothing.

Files, in the order of the data:

    dialects              the facts about each provider's schemas
    tools, outcome_cache  the tools of a request, cached
    clean                 one schema, or its outermost level alone
    context, size         the values that one rewrite passes on, and its bounds
    flatten, references   resolve references, allOf, constants and null
    intersect             join two schemas into one that requires both
    rewrite               choices and types, from the outside in
    choices, fold         compare the branches of a choice, or join them into one object
    enumerations          enumerations, where a dialect lists few kinds of values
    alternatives          written schemas as a choice, or with null
    write                 the keywords of one type, with ``objects``, ``arrays`` and ``scalars``
    descriptions          the description that takes the rest
    values                compare JSON values, group them by type, write them compactly
    keywords, notes       JSON Schema's keywords, and the record of rewrites
"""

from sanitizers.schemas.clean import clean_schema
from sanitizers.schemas.dialects import (
    ANTHROPIC,
    DIALECTS,
    GEMINI,
    GEMINI_1,
    GEMINI_JSON,
    GEMINI_ON_LITELLM,
    OPENAI,
    PLAIN,
    PLAIN_FEW_STATES,
    PLAIN_FLAT,
    Dialect,
)
from sanitizers.schemas.notes import REASONS, CleanedSchema, Note
from sanitizers.schemas.tools import STEP, CleanedTools, Target, clean_tools

__all__ = [
    "ANTHROPIC",
    "DIALECTS",
    "GEMINI",
    "GEMINI_1",
    "GEMINI_JSON",
    "GEMINI_ON_LITELLM",
    "OPENAI",
    "PLAIN",
    "PLAIN_FEW_STATES",
    "PLAIN_FLAT",
    "REASONS",
    "STEP",
    "CleanedSchema",
    "CleanedTools",
    "Dialect",
    "Note",
    "Target",
    "clean_schema",
    "clean_tools",
]
