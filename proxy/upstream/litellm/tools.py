"""The tools as litellm is to see them: copies, since it writes into them, and what was cleaned is kept for others.

For Gemini it also takes every key ``strict`` out of them, a property of that name among them, and fails on a property
called ``$ref`` (1.105.3, ``_remove_strict_from_schema``, ``unpack_defs``).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from typing_extensions import override

_SPOILT = frozenset({"$ref", "strict"})
"""Names of properties that litellm takes for keywords."""


def litellm_tools(tools: list[dict[str, Any]], *, rewritten: bool) -> list[Any]:
    """Return copies of *tools*; *rewritten* tells whether litellm makes another provider's schema of them."""
    if not rewritten:
        return [_copied(tool) for tool in tools]
    return [_without_strict(_copied(tool, properties=True)) for tool in tools]


def without_extras(tools: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return *tools* with what Cohere knows of a function: it refuses ``strict`` and all else (422 "unknown field")."""
    kept = ("name", "description", "parameters")
    return [
        {**tool, "function": {name: tool["function"][name] for name in kept if name in tool["function"]}}
        for tool in tools
    ]


class _Properties(dict[str, Any]):
    """A schema's properties, which are names and no keywords, whatever they are called."""

    @override
    def __delitem__(self, name: str) -> None:
        """Keep what was taken for a keyword."""

    @override
    def __contains__(self, name: object) -> bool:
        return name not in _SPOILT and super().__contains__(name)


def _without_strict(tool: dict[str, Any]) -> dict[str, Any]:
    """Return *tool* without OpenAI's own ``strict``, which is not among a schema's properties."""
    function = tool.get("function", tool)
    function.pop("strict", None)
    return tool


def _copied(value: Any, *, properties: bool = False) -> Any:
    """Return a copy of *value*; with *properties*, those maps are what litellm leaves alone."""
    if isinstance(value, list):
        return [_copied(each, properties=properties) for each in value]
    if not isinstance(value, Mapping):
        return value
    copied = {name: _copied(each, properties=properties) for name, each in value.items()}
    named = copied.get("properties") if properties else None
    if isinstance(named, dict) and named.keys() & _SPOILT:
        copied["properties"] = _Properties(named)
    return copied
