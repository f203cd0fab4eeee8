"""A tool's JSON Schema as its provider takes it, with as much of its meaning as there are words for. Pure.

    done = clean_schema(schema, GEMINI)
    done.schema    # `schema` itself where there was nothing to do
    done.notes     # what was rewritten, where, and whether it still says the same
    clean_tools(parameters["tools"], Target(GEMINI)).changes

What a dialect cannot say goes into the description, as the JSON that it was, in bounded length: a model reads JSON
Schema. A cleaned schema is clean: it comes back as it is.

    dialects    what each provider takes          flatten     references, allOf, constants and null put away
    clean       one schema                        intersect   two schemas as one that says what both say
    tools       the tools of a request, cached    rewrite     choices and types, from the outside in
    notes       what was rewritten, and why       fold        alternatives of an object as one object
    references  what references lead to           write       one type in the keywords that are known; with
    choices     what branches have in common                  ``objects``, ``arrays``, ``scalars`` on one ``draft``
    values      what an enumeration says          enumerations  in a dialect that lists few kinds of values
    words       descriptions                      alternatives  written schemas put together
    told_json   JSON in words                     roots       where the outermost schema alone counts
    keywords    of which types each one speaks    work, size  what one rewriting shares, and its bounds
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
