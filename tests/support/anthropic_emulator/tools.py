"""Checks the tool declarations and the `tool_choice` of a request.

Sources: names, langchain#37756 and the reference (64 characters before 2025, 128 since); unique names,
claude-code#10687; no `anyOf` and its kin at the top, claude-code#40075, huly-mcp#66; draft 2020-12, claude-code#7365;
properties' names, n8n#30590. The schema's type, a history without tools and a choice without tools: from memory.
"""

import re
from collections.abc import Iterator
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError

from tests.support.anthropic_emulator.fields import BAD_NAME, EXTRA, NAME, NO_DICTIONARY, REQUIRED
from tests.support.anthropic_emulator.shapes import NAMED_TOOLS, TOOLSETS

UNIQUE = "tools: Tool names must be unique."
NO_COMBINATION = "{path}.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level"
BAD_SCHEMA = (
    "{path}.input_schema: JSON schema is invalid. It must match JSON Schema draft 2020-12 "
    "(https://json-schema.org/draft/2020-12). Learn more about tool use at "
    "https://docs.anthropic.com/en/docs/tool-use."
)
BAD_PROPERTY = "{path}.input_schema.properties: Property keys should match pattern '^[a-zA-Z0-9_.-]{{1,64}}$'"
NO_TOOLS = "Requests which include `tool_use` or `tool_result` blocks must define tools"
UNKNOWN_TYPE = "{path}: Input tag '{kind}' found using 'type' does not match any of the expected tags"
CHOICE_ALONE = "tool_choice: tool_choice may only be specified while providing tools"
CHOICE_UNKNOWN = "Tool '{name}' not found in provided tools"
CHOICE_TAGS = (
    "tool_choice: Input tag '{kind}' found using 'type' does not match any of the expected tags: "
    "'auto', 'any', 'tool', 'none'"
)
FIELDS = frozenset(
    {
        "allowed_callers",
        "cache_control",
        "defer_loading",
        "description",
        "eager_input_streaming",
        "input_examples",
        "input_schema",
        "name",
        "strict",
        "type",
    }
)
_PROPERTY = re.compile(r"[a-zA-Z0-9_.-]{1,64}", re.ASCII)


def tool_faults(body: dict[str, Any]) -> Iterator[str]:
    """Yield the error text of each fault: in the declarations, in the choice, or a history of calls without tools."""
    tools = body.get("tools") or []
    names: list[Any] = []
    for index, tool in enumerate(tools):
        kind = tool.get("type", "custom")
        if kind == "custom":
            yield from _declaration_faults(f"tools.{index}.custom", tool)
        elif kind in TOOLSETS:
            continue
        elif kind not in NAMED_TOOLS:
            yield UNKNOWN_TYPE.format(path=f"tools.{index}", kind=kind)
        elif tool.get("name") != NAMED_TOOLS[kind]:
            yield f"tools.{index}.{kind}.name: Input should be '{NAMED_TOOLS[kind]}'"
        elif "input_schema" in tool:
            yield EXTRA.format(path=f"tools.{index}.{kind}.input_schema")
        names.append(tool.get("name"))
    if len(set(names)) < len(names):
        yield UNIQUE
    choice = body.get("tool_choice")
    if choice is not None:
        yield from _choice_faults(choice, names)
    if not tools and _has_calls(body["messages"]):
        yield NO_TOOLS


def _declaration_faults(path: str, tool: dict[str, Any]) -> Iterator[str]:
    for name in ("name", "input_schema"):
        if name not in tool:
            yield REQUIRED.format(path=f"{path}.{name}")
    yield from (EXTRA.format(path=f"{path}.{name}") for name in tool if name not in FIELDS)
    if not isinstance(tool["name"], str) or not NAME.fullmatch(tool["name"]):
        yield BAD_NAME.format(path=f"{path}.name")
    schema = tool["input_schema"]
    if not isinstance(schema, dict):
        yield NO_DICTIONARY.format(path=f"{path}.input_schema")
    elif "type" not in schema:
        yield REQUIRED.format(path=f"{path}.input_schema.type")
    elif schema["type"] != "object":
        yield f"{path}.input_schema.type: Input should be 'object'"
    elif {"oneOf", "allOf", "anyOf"} & schema.keys():
        yield NO_COMBINATION.format(path=path)
    elif not _is_valid(schema):
        yield BAD_SCHEMA.format(path=path)
    elif not all(_PROPERTY.fullmatch(key) for key in schema.get("properties") or ()):
        yield BAD_PROPERTY.format(path=path)


def _choice_faults(choice: dict[str, Any], names: list[Any]) -> Iterator[str]:
    if not names:
        yield CHOICE_ALONE
    if choice.get("type") not in ("auto", "any", "tool", "none"):
        yield CHOICE_TAGS.format(kind=choice.get("type"))
    elif choice["type"] == "tool" and choice.get("name") not in names:
        yield CHOICE_UNKNOWN.format(name=choice.get("name"))


def _is_valid(schema: dict[str, Any]) -> bool:
    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError:
        return False
    return True


def _has_calls(messages: list[dict[str, Any]]) -> bool:
    return any(
        block["type"] in ("tool_use", "tool_result")
        for message in messages
        if isinstance(message["content"], list)
        for block in message["content"]
    )
