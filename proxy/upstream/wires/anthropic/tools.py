"""Writes a chat's tools and tool choice in Anthropic's form."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from proxy.core.errors import InvalidRequest

_MARK = "cache_control"
_CHOICES: Mapping[str, str] = MappingProxyType({"auto": "auto", "none": "none", "required": "any"})


def tool_fields(parameters: Mapping[str, Any], *, strict: bool) -> dict[str, Any]:
    """Return the fields ``tools`` and ``tool_choice`` for chat *parameters*.

    *strict* is true for models that can keep to a tool's schema exactly. Without tools there is no choice. Raises
    :class:`InvalidRequest` for a tool that is no function.
    """
    tools = parameters.get("tools")
    if not tools:
        return {}
    written = [_write_tool(tool, at, strict=strict) for at, tool in enumerate(tools)]
    fields: dict[str, Any] = {"tools": written}
    choice = _write_choice(parameters.get("tool_choice"))
    if parameters.get("parallel_tool_calls") is False and (choice is None or choice["type"] != "none"):
        choice = {**(choice or {"type": "auto"}), "disable_parallel_tool_use": True}
    if choice is not None:
        fields["tool_choice"] = choice
    return fields


def _write_tool(tool: Mapping[str, Any], at: int, *, strict: bool) -> dict[str, Any]:
    function = tool.get("function")
    if not isinstance(function, Mapping):
        place = f"tools[{at}].type"
        raise InvalidRequest(f"'{place}': this model has functions alone.", param=place)
    written: dict[str, Any] = {"name": function.get("name") or ""}
    if description := function.get("description"):
        written["description"] = description
    written["input_schema"] = function.get("parameters") or {"type": "object", "properties": {}}
    if strict and function.get("strict") is True:
        written["strict"] = True
    mark = tool.get(_MARK) or function.get(_MARK)
    if mark is not None:
        written[_MARK] = mark
    return written


def _write_choice(choice: Any) -> dict[str, Any] | None:
    if choice is None:
        return None
    if isinstance(choice, str):
        return {"type": _CHOICES.get(choice, "auto")}
    function = choice.get("function", choice) if isinstance(choice, Mapping) else {}
    return {"type": "tool", "name": function.get("name")}
