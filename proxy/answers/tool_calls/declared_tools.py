"""The tools that a request declares, by name."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

PREFIXES = ("default_api.", "default_api:", "functions.")
"""Prefixes that models put before a tool's name.

Gemini writes ``default_api`` as if in Python code (TanStack#199). ``functions`` is the namespace in OpenAI's own
prompts.
"""


class DeclaredTools:
    """The tools in ``tools`` and ``functions`` of a request's *parameters*.

    *client_tool_names* maps the name that the provider got for a renamed tool to the client's name.
    """

    def __init__(
        self, parameters: Mapping[str, Any], client_tool_names: Mapping[str, str] = MappingProxyType({})
    ) -> None:
        self._schemas: dict[str, Any] = {}
        self._has_unnamed = False
        self._upstream_names = {known: name for name, known in client_tool_names.items()}
        for tool in parameters.get("tools") or ():
            self._add(tool.get("function") if isinstance(tool, dict) else None)
        for function in parameters.get("functions") or ():
            self._add(function)

    def _add(self, function: Any) -> None:
        name = function.get("name") if isinstance(function, dict) else None
        if isinstance(name, str):
            self._schemas[name] = function.get("parameters")
        else:
            self._has_unnamed = True  # a provider's own tool, without a name here

    def find(self, name: str) -> str | None:
        """Return the declared tool's name for *name*, which may have a known prefix, or None."""
        if name in self._schemas:
            return name
        for prefix in PREFIXES:
            rest = name.removeprefix(prefix)
            if rest != name and rest in self._schemas:
                return rest
        return None

    def upstream_name(self, name: str) -> str:
        """Return the name under which the model knows the tool *name*."""
        return self._upstream_names.get(name, name)

    def allows_any(self) -> bool:
        """Return True where any name is allowed: no tool is declared, or a declared tool has no name."""
        return self._has_unnamed or not self._schemas

    def schema_of(self, name: str) -> Any:
        """Return the ``parameters`` of a declared tool."""
        return self._schemas[name]
