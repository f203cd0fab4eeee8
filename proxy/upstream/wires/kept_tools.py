"""Decides if a plan has left a client's tools as they came, so that they can go out in the client's own form."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_PLAIN_CHOICES = frozenset({"auto", "none", "required"})


def keeps_tools(given: Mapping[str, Any], planned: Mapping[str, Any]) -> bool:
    """Tell whether the *planned* chat parameters have the tools of the *given* ones, those of the client.

    A plain choice can be written back in any format, whatever the client's was.
    """
    tools, planned_tools = given.get("tools"), planned.get("tools")
    if planned_tools is not tools and planned_tools != tools:
        return False
    choice = planned.get("tool_choice")
    return choice == given.get("tool_choice") or (isinstance(choice, str) and choice in _PLAIN_CHOICES)
