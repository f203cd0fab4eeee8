"""Rules about tools, tool choice and generation settings, schemas included.

``parametersJsonSchema`` is full JSON Schema and is not looked into; ``parameters`` is the proto ``Schema``, whose
names and types ``proto`` has checked already. What is left are the rules between fields.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from proxy.emulator.errors import INVALID_ARGUMENT, Refusal
from proxy.emulator.messages import snake_case
from proxy.emulator.models import Generation

Request = Mapping[str, Any]

FUNCTION_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.:-]{0,63}", re.ASCII)
INVALID_NAME = (
    "Invalid function name. Must start with a letter or an underscore. Must be a-z, A-Z, 0-9, or contain underscores "
    "(_), dots (.), colons (:), or dashes (-), with a maximum length of 64."
)
STRING_FORMATS = ("enum", "date-time")
NO_DECLARATIONS = "Function calling config is set without function_declarations."
TOOLS_WITH_FUNCTIONS = "Tool use with function calling is unsupported"
JSON_WITH_FUNCTIONS = "Function calling with a response mime type: 'application/json' is unsupported"
JSON_WITH_TOOLS = "Tool use with a response mime type: 'application/json' is unsupported"
CACHE_WITH_SETTINGS = (
    "CachedContent can not be used with GenerateContent request setting system_instruction, tools or tool_config. "
    "Proposed fix: move those values to CachedContent from GenerateContent request."
)
NO_MINIMAL = (
    "'minimal' is not a supported thinking level for this model. Allowed values are: medium, low, high."
)


def declarations(request: Request) -> list[Mapping[str, Any]]:
    """Return every function declaration of *request*, in order."""
    return [
        declaration
        for tool in request.get("tools") or ()
        for declaration in tool.get("functionDeclarations") or ()
    ]


def schema_faults(request: Request, generation: Generation) -> Iterator[str]:
    """Yield a line for each function name and schema that breaks a rule.

    Source: gemini-cli#2966, #7664, #12425 and vscode#248000 (names); see ``_schema`` for schemas.
    """
    for t, tool in enumerate(request.get("tools") or ()):
        for d, declaration in enumerate(tool.get("functionDeclarations") or ()):
            path = f"tools[{t}].function_declarations[{d}]"
            if not FUNCTION_NAME.fullmatch(declaration.get("name") or ""):
                yield f"{path}.name: {INVALID_NAME}"
            for field in ("parameters", "response"):
                if field in declaration:
                    yield from _schema(declaration[field], f"{path}.{field}", generation)
    config = request.get("generationConfig") or {}
    if "responseSchema" in config:
        yield from _schema(config["responseSchema"], "generation_config.response_schema", generation)


def _schema(schema: Mapping[str, Any], path: str, generation: Generation) -> Iterator[str]:
    """Yield the faults of *schema* and of what it holds.

    Source: cline#7339 (items), ha-claude#30 (empty enum value), kibana#286302 (enum format), 9router#380 (enum
    type), pydantic-ai#1998 (empty object), kilocode#11955 (required); the texts for string formats and required
    names are from memory.
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
    if kind == "STRING":
        yield from _string_format(schema, path, generation)
    properties = schema.get("properties") or {}
    if kind == "OBJECT" and generation.object_needs_properties and not properties:
        yield f"{path}.properties: should be non-empty for OBJECT type"
    for i, name in enumerate(schema.get("required") or ()):
        if name not in properties:
            yield f"{path}.required[{i}]: property is not defined"
    for name, child in properties.items():
        yield from _schema(child or {}, f"{path}.properties[{name}]", generation)
    if schema.get("items"):
        yield from _schema(schema["items"], f"{path}.items", generation)
    for i, child in enumerate(schema.get("anyOf") or ()):
        yield from _schema(child or {}, f"{path}.any_of[{i}]", generation)


def _string_format(schema: Mapping[str, Any], path: str, generation: Generation) -> Iterator[str]:
    style = schema.get("format") or ""
    if style and style not in STRING_FORMATS:
        yield f"{path}.format: only 'enum' and 'date-time' are supported for STRING type"
    if style == "enum" and not schema.get("enum") and generation.enum_format_needs_values:
        yield f"{path}.enum: should be non-empty for STRING type with enum format"


def duplicate_names(request: Request, _: Generation) -> Refusal | None:
    """Refuse two declarations of one name. Source: Open-WebUI-Functions#135."""
    seen: set[str] = set()
    for declaration in declarations(request):
        name = declaration.get("name") or ""
        if name in seen:
            return Refusal(f"Duplicate function declaration found: {name}")
        seen.add(name)
    return None


def tool_choice(request: Request, _: Generation) -> Refusal | None:
    """Refuse a tool choice without functions, or one that allows a function which is not declared.

    Source: claude-code-router#1207, kelivo#317 (without functions); the second has no reported text.
    """
    config = (request.get("toolConfig") or {}).get("functionCallingConfig")
    if config is None:
        return None
    names = {declaration.get("name") for declaration in declarations(request)}
    if not names:
        return Refusal(NO_DECLARATIONS)
    return None if names.issuperset(config.get("allowedFunctionNames") or ()) else Refusal(INVALID_ARGUMENT)


def built_in_tools(request: Request, generation: Generation) -> Refusal | None:
    """Refuse built-in tools beside functions, in one tool object or in several.

    Source: symfony/ai#803, gemini-balance#17, js-genai#435, Antigravity-Manager#2241; Gemini 3 takes both with
    ``toolConfig.includeServerSideToolInvocations`` (strands harness-sdk#3646).
    """
    tools = request.get("tools") or ()
    for i, tool in enumerate(tools):
        kinds = [snake_case(name) for name in tool if tool[name] or name != "functionDeclarations"]
        if len(kinds) > 1 and "function_declarations" in kinds:
            return Refusal(
                f"tools[{i}].tool_type: one_of 'tool_type' has more than one initialized field: {', '.join(kinds)}"
            )
    built_in = [snake_case(name) for tool in tools for name in tool if name != "functionDeclarations"]
    if not built_in or not declarations(request):
        return None
    if not generation.signatures:
        return Refusal(TOOLS_WITH_FUNCTIONS)
    if (request.get("toolConfig") or {}).get("includeServerSideToolInvocations"):
        return None
    return Refusal(
        f"Built-in tools ({{{', '.join(built_in)}}}) and Custom tools (Function Calling) cannot be combined in the "
        "same request. Please choose one to continue."
    )


def json_output(request: Request, generation: Generation) -> Refusal | None:
    """Refuse JSON output beside tools, up to 2.5. Source: python-genai#867, symfony/ai#1777."""
    mime_type = (request.get("generationConfig") or {}).get("responseMimeType")
    if generation.json_with_tools or mime_type != "application/json" or not request.get("tools"):
        return None
    return Refusal(JSON_WITH_FUNCTIONS if declarations(request) else JSON_WITH_TOOLS)


def settings(request: Request, generation: Generation) -> Refusal | None:
    """Refuse settings that the model does not know.

    Source: langchain-google#1897 (several candidates; wording from memory), kiss-translator#1048 (thinking level).
    """
    config = request.get("generationConfig") or {}
    if float(config.get("candidateCount") or 1) > 1 and not generation.many_candidates:
        return Refusal("Multiple candidates is not enabled for this model")
    level = (config.get("thinkingConfig") or {}).get("thinkingLevel")
    return Refusal(NO_MINIMAL) if level == "MINIMAL" and not generation.minimal_thinking else None


def cached_content(request: Request, _: Generation) -> Refusal | None:
    """Refuse a cached content: beside what it replaces for that reason, else because none exists here.

    Source: deprecated-generative-ai-python#664; the second text is Google's for a cache that is gone.
    """
    if not request.get("cachedContent"):
        return None
    if any(request.get(field) for field in ("systemInstruction", "tools", "toolConfig")):
        return Refusal(CACHE_WITH_SETTINGS)
    return Refusal("CachedContent not found (or permission denied)", 403, "PERMISSION_DENIED")


RULES = (
    cached_content,
    duplicate_names,
    tool_choice,
    built_in_tools,
    json_output,
    settings,
)
"""In the order in which they are asked: the first refusal is the answer."""
