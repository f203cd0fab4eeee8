"""Finds OpenAI's errors in fields other than `messages`: tools, the tool choice, and limits.

Sources: `only allowed when 'tools' are specified`, swarm#30; an object without properties, fast-agent#143; names, 128
tools and 4 stop sequences, OpenAI's reference, in the words that it has for other fields of these kinds. Anthropic and
DeepSeek refuse two tools of one name (claude-code#10687, Clawith#251). This judge refuses such tools too, so that a
test fails if the proxy sends them.
"""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

NAME = re.compile(r"[a-zA-Z0-9_-]+", re.ASCII)
MAX_NAME = 64
MAX_TOOLS = 128
MAX_STOPS = 4
NEEDS_TOOLS = "Invalid value for '{name}': '{name}' is only allowed when 'tools' are specified."
DUPLICATE = "Tool names must be unique."
NO_PROPERTIES = "Invalid schema for function '{name}': In context=(), object schema missing properties."


class ParameterFault(NamedTuple):
    """A field that the request must not have, or that has an invalid value."""

    message: str
    param: str
    code: str | None


def parameter_faults(body: dict[str, Any]) -> Iterator[ParameterFault]:
    """Yield every fault in the fields other than `messages`."""
    tools = body.get("tools")
    if tools is not None:
        yield from _tools_faults(tools)
    else:
        for name in ("tool_choice", "parallel_tool_calls"):
            if body.get(name) is not None:
                yield ParameterFault(NEEDS_TOOLS.format(name=name), name, None)
    yield from _choice_faults(body.get("tool_choice"), tools or ())
    stop = body.get("stop")
    if isinstance(stop, list) and len(stop) > MAX_STOPS:
        yield _too_long("stop", stop, MAX_STOPS)


def _tools_faults(tools: list[dict[str, Any]]) -> Iterator[ParameterFault]:
    if not tools:
        words = (
            "Invalid 'tools': empty array. Expected an array with minimum length 1, "
            "but got an empty array instead."
        )
        yield ParameterFault(words, "tools", "empty_array")
    if len(tools) > MAX_TOOLS:
        yield _too_long("tools", tools, MAX_TOOLS)
    seen: set[str] = set()
    for index, tool in enumerate(tools):
        name = tool["function"]["name"]
        path = f"tools[{index}].function.name"
        if not NAME.fullmatch(name):
            words = (
                f"Invalid '{path}': string does not match pattern. "
                "Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'."
            )
            yield ParameterFault(words, path, "invalid_value")
        elif len(name) > MAX_NAME:
            words = (
                f"Invalid '{path}': string too long. Expected a string with maximum length {MAX_NAME}, "
                f"but got a string with length {len(name)} instead."
            )
            yield ParameterFault(words, path, "string_above_max_length")
        elif name in seen:
            yield ParameterFault(DUPLICATE, path, "invalid_value")
        seen.add(name)
        schema = tool["function"].get("parameters") or {}
        if schema.get("type") == "object" and not isinstance(schema.get("properties"), dict):
            path = f"tools[{index}].function.parameters"
            yield ParameterFault(NO_PROPERTIES.format(name=name), path, "invalid_function_parameters")


def _choice_faults(choice: Any, tools: Any) -> Iterator[ParameterFault]:
    if not isinstance(choice, dict):
        return
    name = choice.get("function", {}).get("name")
    if name not in [tool["function"]["name"] for tool in tools]:
        words = f"Tool choice '{name}' not found in 'tools' parameter."
        yield ParameterFault(words, "tool_choice", "invalid_value")


def _too_long(name: str, values: list[Any], limit: int) -> ParameterFault:
    words = (
        f"Invalid '{name}': array too long. Expected an array with maximum length {limit}, "
        f"but got an array with length {len(values)} instead."
    )
    return ParameterFault(words, name, "array_above_max_length")
