"""Rules about the proto ``Schema``, for functions' parameters and responses and for JSON answers.

The module ``proto`` has checked the names and types of fields before. These rules are about several fields together,
and about the size of a whole schema.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from proxy.emulator.errors import INVALID_ARGUMENT, LEARN_MORE, Refusal
from proxy.emulator.models import Generation

Request = Mapping[str, Any]
Schema = Mapping[str, Any]

FORMATS = {
    "STRING": ("enum", "date-time"),
    "NUMBER": ("float", "double"),
    "INTEGER": ("int32", "int64"),
}
"""The formats of each type (ai.google.dev/api/caching#Schema)."""

MAX_LEVELS = 32
"""The largest number of levels of nested objects and arrays. Google does not document its limit (gemini-cli#5923,
js-genai#882).

The tool schemas collected for the tests reach eleven levels once their recursion is cut off.
"""

MAX_STATES = 20_000
"""The assumed limit of a schema's states, since Google documents none. ``_states`` estimates their number."""

VALUE_MATCHER_STATES = 64
TOO_MANY_STATES = (
    "The specified schema produces a constraint that has too many states for serving. Typical causes of this error are "
    "schemas with lots of text (for example, very long property or enum names), schemas with long array length limits "
    "(especially when nested), or schemas using complex value matchers (for example, integers or numbers with "
    "minimum/maximum bounds or strings with complex formats like date-time)"
)
DEEP_FUNCTION = "A FunctionDeclaration in the request exceeds the maximum allowed nesting depth."
DEEP_ANSWER = "A schema in GenerationConfig in the request exceeds the maximum allowed nesting depth."


class Place(NamedTuple):
    """A schema of the request with its path, and its function's name (None for the schema of a JSON answer)."""

    path: str
    function: str | None
    schema: Schema


def schema_faults(request: Request, generation: Generation) -> Iterator[str]:
    """Yield a line for each part of a schema that breaks a rule of ``_faults``."""
    for place in proto_schemas(request):
        yield from _faults(place.schema, place.path, generation)


def proto_schemas(request: Request) -> Iterator[Place]:
    """Yield each outermost ``Schema`` in *request*: those of functions, and that of JSON answers."""
    for t, tool in enumerate(request.get("tools") or ()):
        for d, declaration in enumerate(tool.get("functionDeclarations") or ()):
            for field in ("parameters", "response"):
                if field in declaration:
                    path = f"tools[{t}].function_declarations[{d}].{field}"
                    yield Place(path, declaration.get("name") or "", declaration[field])
    config = request.get("generationConfig") or {}
    if "responseSchema" in config:
        yield Place("generation_config.response_schema", None, config["responseSchema"])


def _faults(schema: Schema, path: str, generation: Generation) -> Iterator[str]:
    """Yield the faults of *schema* and of its nested schemas.

    Source: cline#7339 (items), ha-claude#30 (empty enum value), kibana#286302 (enum format), 9router#380 (enum type),
    pydantic-ai#1998 (empty object), kilocode#11955 (required). The texts about formats and required names are not
    quotes.
    """
    kind = schema.get("type")
    values = schema.get("enum") or []
    if kind == "ARRAY" and "items" not in schema:
        yield f"{path}.items: missing field."
    for i, value in enumerate(values):
        if value == "":
            yield f"{path}.enum[{i}]: cannot be empty"
    if values and kind != "STRING":
        yield f"{path}.enum: only allowed for STRING type"
    yield from _format_faults(schema, path, generation)
    properties = schema.get("properties") or {}
    if kind == "OBJECT" and generation.object_needs_properties and not properties:
        yield f"{path}.properties: should be non-empty for OBJECT type"
    for i, name in enumerate(schema.get("required") or ()):
        if name not in properties:
            yield f"{path}.required[{i}]: property is not defined"
    for field, key, child in _children(schema):
        yield from _faults(child, f"{path}.{field}{key}", generation)


def _format_faults(schema: Schema, path: str, generation: Generation) -> Iterator[str]:
    kind, style = schema.get("type"), schema.get("format") or ""
    formats = FORMATS.get(str(kind))
    if style and formats is not None and style not in formats:
        known = " and ".join(f"'{name}'" for name in formats)
        yield f"{path}.format: only {known} are supported for {kind} type"
    if (
        kind == "STRING"
        and style == "enum"
        and not schema.get("enum")
        and generation.enum_format_needs_values
    ):
        yield f"{path}.enum: should be non-empty for STRING type with enum format"


def _children(schema: Schema) -> Iterator[tuple[str, str, Schema]]:
    """Yield the schemas directly inside *schema*, each with its field and its key or index in that field."""
    for name, child in (schema.get("properties") or {}).items():
        yield "properties", f"[{name}]", child or {}
    if schema.get("items"):
        yield "items", "", schema["items"]
    for i, child in enumerate(schema.get("anyOf") or ()):
        yield "any_of", f"[{i}]", child or {}


def vertex_types(request: Request, generation: Generation) -> Refusal | None:
    """Apply Vertex's rules to parameters: they are an object, and each schema has a type or ``anyOf`` alone.

    Source: Graphenium#37 (fields next to ``anyOf``), spring-ai#1373 and OmniRoute#3357 (not an object). Several
    projects quote the error for a missing type, but not the end of its text.
    """
    if not generation.typed_schemas:
        return None
    for place in proto_schemas(request):
        if place.function is not None and place.path.endswith(".parameters"):
            subject = f"Unable to submit request because `{place.function}` functionDeclaration"
            if place.schema.get("type") != "OBJECT":
                return Refusal(f"{subject} parameters schema should be of type OBJECT. {LEARN_MORE}")
            why = next(_untyped(place.schema, "parameters"), None)
            if why is not None:
                return Refusal(f"{subject} {why} {LEARN_MORE}")
    return None


def _untyped(schema: Schema, name: str) -> Iterator[str]:
    if "anyOf" in schema and len(schema) > 1:
        yield (
            f"`{name}` schema specified other fields alongside any_of. When using any_of, it must be the only field "
            "set."
        )
    elif "anyOf" not in schema and schema.get("type", "TYPE_UNSPECIFIED") == "TYPE_UNSPECIFIED":
        yield f"`{name}` schema didn't specify the schema type field."
    for field, key, child in _children(schema):
        yield from _untyped(child, f"{name}.{key[1:-1] if field == 'properties' else field + key}")


def nesting(request: Request, _: Generation) -> Refusal | None:
    """Refuse a schema with too many levels. Source: gemini-cli#5923, js-genai#882."""
    for place in proto_schemas(request):
        if _levels(place.schema) > MAX_LEVELS:
            return Refusal(DEEP_ANSWER if place.function is None else DEEP_FUNCTION)
    return None


def _levels(schema: Schema) -> int:
    below = max((_levels(child) for _, _, child in _children(schema)), default=0)
    return below + (schema.get("type") in ("OBJECT", "ARRAY"))


def states(request: Request, generation: Generation) -> Refusal | None:
    """Refuse schemas with too many states in sum. Functions count only in the modes ``ANY`` and ``VALIDATED``.

    Source: python-genai#660, cline#7897, MulmoChat#123. gemini-3.1 does not give the reason (vercel/ai#21192).
    """
    config = (request.get("toolConfig") or {}).get("functionCallingConfig") or {}
    forced = config.get("mode") in ("ANY", "VALIDATED")
    allowed = config.get("allowedFunctionNames") or ()
    count = sum(
        _states(place.schema)
        for place in proto_schemas(request)
        if place.function is None or (forced and (not allowed or place.function in allowed))
    )
    if count <= MAX_STATES:
        return None
    return Refusal(TOO_MANY_STATES if generation.explains_states else INVALID_ARGUMENT)


def _states(schema: Schema) -> float:
    """Return an estimate of the states of *schema*.

    The estimate counts the characters of names and values, and adds a fixed number for each bound and format. The
    schema of a list's items counts as many times as the list may have items.
    """
    own = 1 + sum(map(len, schema.get("properties") or ())) + sum(map(len, schema.get("enum") or ()))
    matched = ("minimum", "maximum", "minLength", "maxLength", "pattern", "format")
    own += VALUE_MATCHER_STATES * sum(keyword in schema for keyword in matched)
    times = max(1.0, float(schema.get("maxItems") or 1))
    return own + sum(
        _states(child) * (times if field == "items" else 1) for field, _, child in _children(schema)
    )
