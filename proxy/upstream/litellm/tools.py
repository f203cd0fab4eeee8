"""Copies the tools for litellm, which modifies its arguments. The cleaned originals are kept for other requests.

For Gemini litellm also removes every key ``strict``, even a property of that name. litellm fails on a property called
``$ref`` (1.105.3, ``_remove_strict_from_schema``, ``unpack_defs``).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from typing_extensions import override

_MISREAD_NAMES = frozenset({"$ref", "strict"})
"""Names of properties that litellm takes for keywords."""


def litellm_tools(tools: list[dict[str, Any]], *, rewritten: bool) -> list[Any]:
    """Return copies of *tools*. *rewritten* means that litellm translates their schemas for another provider."""
    if not rewritten:
        return [_copied(tool) for tool in tools]
    return [_without_strict(_copied(tool, properties=True)) for tool in tools]


def without_extras(tools: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return *tools* with only the function fields that Cohere knows. Cohere answers 422 to others, such as ``strict``.

    The error is "unknown field".
    """
    kept = ("name", "description", "parameters")
    return [
        {**tool, "function": {name: tool["function"][name] for name in kept if name in tool["function"]}}
        for tool in tools
    ]


class _Properties(dict[str, Any]):
    """The properties of a schema. litellm cannot see or delete properties whose names are keywords."""

    @override
    def __delitem__(self, name: str) -> None:
        """Keep the property: litellm took its name for a keyword."""

    @override
    def __contains__(self, name: object) -> bool:
        return name not in _MISREAD_NAMES and super().__contains__(name)


def _without_strict(tool: dict[str, Any]) -> dict[str, Any]:
    """Return *tool* without OpenAI's own ``strict``, which stands outside of the schema."""
    function = tool.get("function", tool)
    function.pop("strict", None)
    return tool


def _copied(value: Any, *, properties: bool = False) -> Any:
    """Return a copy of *value*. With *properties*, maps of properties are protected from litellm."""
    if isinstance(value, list):
        return [_copied(each, properties=properties) for each in value]
    if not isinstance(value, Mapping):
        return value
    copied = {name: _copied(each, properties=properties) for name, each in value.items()}
    named = copied.get("properties") if properties else None
    if isinstance(named, dict) and named.keys() & _MISREAD_NAMES:
        copied["properties"] = _Properties(named)
    return copied
