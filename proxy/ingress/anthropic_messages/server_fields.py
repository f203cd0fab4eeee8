"""Finds the fields of a Messages request that only Anthropic can serve, and the objects in its account that they name.

The account belongs to the proxy's operator. So a container or a thread that one client named would be another's too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

from proxy.core.chat_request import ProviderNeed
from sanitizers.work_limit import metered

_FEATURES: Mapping[str, str] = MappingProxyType(
    {
        "container": "container: containers are run by Anthropic, and this model has none",
        "mcp_servers": "mcp_servers: MCP servers are asked by Anthropic, and this model cannot reach them",
    }
)
"""The fields that change what the model can do, with the words of their refusal."""

_OBJECTS = ("fallbacks", "thread", "user_profile_id", "workspace_id")
"""Fields that name something in the account, and that other models do without.

``fallbacks`` names models, which need not be in the operator's list.
"""


def find_needs(fields: Mapping[str, Any]) -> Iterator[ProviderNeed]:
    """Yield the needs of the *fields* of a request, which are decoded JSON."""
    for name, message in _FEATURES.items():
        if value := fields.get(name):
            yield ProviderNeed(message, name, names_object=name == "container" and _names_object(value))
    for name in _OBJECTS:
        if fields.get(name):
            message = f"{name}: this is in Anthropic's account, and this model cannot be given it"
            yield ProviderNeed(message, name, names_object=True, can_be_left_out=True)


def _names_object(container: Any) -> bool:
    """Tell whether *container* names one that exists, or a skill that the account's owner has uploaded."""
    if not isinstance(container, dict):
        return True
    skills = container.get("skills")
    return bool(container.get("id")) or any(
        not isinstance(skill, dict) or skill.get("type") != "anthropic"
        for skill in metered(skills if isinstance(skills, list) else ())
    )
