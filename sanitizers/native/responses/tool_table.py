"""The table of a request's tools, by which calls find their flat names and get their own names back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sanitizers.changes import Change
from sanitizers.native.protocol import Need
from sanitizers.native.responses.flat_names import ToolKey, client_key, key_of, spell_flat
from sanitizers.record import record

STEP = "items"
"""The step's name of all changes that are made while a request is converted."""

SERVER_TOOLS = (
    "code_interpreter",
    "computer",
    "file_search",
    "image_generation",
    "mcp",
    "programmatic_tool_calling",
    "tool_search",
    "web_search",
)
"""Types of the tools that other models lack. Dated types, such as ``web_search_2025_08_26``, begin with these."""


@record
class DeclaredTool:
    """A tool as the client declared it. *kind* is ``function``, ``custom`` or a key of ``CLIENT_TOOLS``."""

    kind: str
    name: str
    namespace: str | None = None


@record
class ToolTable:
    """The tools of one request.

    *chat_tools* are the functions that other models are given. *changes* name the tools that were left out. *flat* has
    the flat name of each declared tool. *alone* has those of the namespaces' tools whose own name occurs once. *needs*
    are the objects at the provider that the left-out tools name.
    """

    chat_tools: list[dict[str, Any]]
    by_flat_name: Mapping[str, DeclaredTool]
    changes: tuple[Change, ...]
    flat: Mapping[ToolKey, str]
    alone: Mapping[str, str]
    needs: tuple[Need, ...] = ()

    def flat_name(self, name: str, namespace: str | None = None) -> str:
        """Return the flat name of a tool. An undeclared one, of an older turn, gets a name that no tool has.

        Some clients lose the namespace of a call. A name without one is then found where a single namespace has it. An
        empty name stays empty, since such a call cannot be read.
        """
        key = key_of(name, namespace)
        found = self.flat.get(key)
        if found is None and key[0] is None:
            found = self.alone.get(name)
        if found is not None or not name or (key[0] is None and name in self.by_flat_name):
            return found or name
        return spell_flat(key, self.by_flat_name)

    def declared(self, flat: str) -> DeclaredTool | None:
        """Return the tool with the flat name *flat*, or None for a tool that the client did not declare."""
        return self.by_flat_name.get(flat)

    def client_name(self, kind: str) -> str:
        """Return the flat name of *kind*, a tool that the client runs, whether it is declared or not."""
        return self.flat.get(client_key(kind)) or spell_flat((None, kind), self.by_flat_name)


def server_tool(kind: str) -> str | None:
    """Return the undated type of a tool that the server runs, or None for another type of tools."""
    return next((known for known in SERVER_TOOLS if kind.startswith(known)), None)
