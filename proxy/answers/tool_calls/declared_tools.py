"""The tools that a request declares, by name. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

PREFIXES = ("default_api.", "default_api:", "functions.")
"""What models put before a name: Gemini's code habit (TanStack#199), and the namespace of OpenAI's own prompts."""


class DeclaredTools:
    """What the ``tools`` and ``functions`` of *parameters*, a request's, declare.

    *names_back* has the client's name of each tool that the model knows by another one.
    """

    def __init__(
        self, parameters: Mapping[str, Any], names_back: Mapping[str, str] = MappingProxyType({})
    ) -> None:
        self._schemas: dict[str, Any] = {}
        self._others = False
        self._names_there = {known: name for name, known in names_back.items()}
        for tool in parameters.get("tools") or ():
            self._add(tool.get("function") if isinstance(tool, dict) else None)
        for function in parameters.get("functions") or ():
            self._add(function)

    def _add(self, function: Any) -> None:
        name = function.get("name") if isinstance(function, dict) else None
        if isinstance(name, str):
            self._schemas[name] = function.get("parameters")
        else:
            self._others = True  # a provider's own tool: its name is not known here

    def find(self, name: str) -> str | None:
        """Return the declared name that *name* means, or None."""
        if name in self._schemas:
            return name
        for prefix in PREFIXES:
            rest = name.removeprefix(prefix)
            if rest != name and rest in self._schemas:
                return rest
        return None

    def as_the_model_knows(self, name: str) -> str:
        """Return what *name* is called where the model reads it."""
        return self._names_there.get(name, name)

    def allows_any(self) -> bool:
        """Tell whether nothing can be said against a name: no tool is declared, or one that has no name here."""
        return self._others or not self._schemas

    def schema_of(self, name: str) -> Any:
        """Return the declared ``parameters`` of a declared name."""
        return self._schemas[name]
