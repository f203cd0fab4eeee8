"""Rules about tools, tool choice and generation settings.

The rules about schemas are in ``schemas`` and ``json_schemas``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from proxy.emulator.errors import INVALID_ARGUMENT, Refusal
from proxy.emulator.json_schemas import json_schemas
from proxy.emulator.messages import snake_case
from proxy.emulator.models import Generation
from proxy.emulator.schemas import nesting, states, vertex_types

Request = Mapping[str, Any]

FUNCTION_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.:-]{0,63}", re.ASCII)
INVALID_NAME = (
    "Invalid function name. Must start with a letter or an underscore. Must be a-z, A-Z, 0-9, or contain underscores "
    "(_), dots (.), colons (:), or dashes (-), with a maximum length of 64."
)
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


def name_faults(request: Request) -> Iterator[str]:
    """Yield a line for each function name that breaks a rule.

    Source: gemini-cli#2966, #7664, #12425 and vscode#248000.
    """
    for t, tool in enumerate(request.get("tools") or ()):
        for d, declaration in enumerate(tool.get("functionDeclarations") or ()):
            if not FUNCTION_NAME.fullmatch(declaration.get("name") or ""):
                yield f"tools[{t}].function_declarations[{d}].name: {INVALID_NAME}"


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
    """Refuse a tool choice without functions, or with an undeclared function.

    Source: claude-code-router#1207, kelivo#317 (without functions). The text for an undeclared function is not
    reported.
    """
    config = (request.get("toolConfig") or {}).get("functionCallingConfig")
    if config is None:
        return None
    names = {declaration.get("name") for declaration in declarations(request)}
    if not names:
        return Refusal(NO_DECLARATIONS)
    return None if names.issuperset(config.get("allowedFunctionNames") or ()) else Refusal(INVALID_ARGUMENT)


def built_in_tools(request: Request, generation: Generation) -> Refusal | None:
    """Refuse built-in tools together with functions, in one tool object or in several.

    Source: symfony/ai#803, gemini-balance#17, js-genai#435, Antigravity-Manager#2241. Gemini 3 accepts both, in
    separate tool objects, with ``toolConfig.includeServerSideToolInvocations`` (strands harness-sdk#3646).
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
    """Refuse JSON output together with tools, for models up to 2.5. Source: python-genai#867, symfony/ai#1777."""
    mime_type = (request.get("generationConfig") or {}).get("responseMimeType")
    if generation.json_with_tools or mime_type != "application/json" or not request.get("tools"):
        return None
    return Refusal(JSON_WITH_FUNCTIONS if declarations(request) else JSON_WITH_TOOLS)


def settings(request: Request, generation: Generation) -> Refusal | None:
    """Refuse settings that the model does not support.

    Source: langchain-google#1897 (several candidates, the text is not a quote), kiss-translator#1048 (thinking level).
    """
    config = request.get("generationConfig") or {}
    if float(config.get("candidateCount") or 1) > 1 and not generation.many_candidates:
        return Refusal("Multiple candidates is not enabled for this model")
    level = (config.get("thinkingConfig") or {}).get("thinkingLevel")
    return Refusal(NO_MINIMAL) if level == "MINIMAL" and not generation.minimal_thinking else None


def cached_content(request: Request, _: Generation) -> Refusal | None:
    """Refuse any cached content, since the emulator has none.

    The error differs if the request also has a field that the cache replaces.

    Source: deprecated-generative-ai-python#664. The other text is Google's for a cache that has expired.
    """
    if not request.get("cachedContent"):
        return None
    if any(request.get(field) for field in ("systemInstruction", "tools", "toolConfig")):
        return Refusal(CACHE_WITH_SETTINGS)
    return Refusal("CachedContent not found (or permission denied)", 403, "PERMISSION_DENIED")


RULES = (
    cached_content,
    duplicate_names,
    vertex_types,
    nesting,
    json_schemas,
    states,
    tool_choice,
    built_in_tools,
    json_output,
    settings,
)
"""The rules in their order. The first refusal is the answer."""
