"""Writes the tools that Gemini runs as those that Anthropic runs for the same purpose.

A chat cannot carry such tools, so they are taken from the client's own request. Their results stay at the provider: the
client gets the text that the model writes with them. Source: platform.claude.com, "Tool reference" (2026-11), which
lists these versions as available without a beta header.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from proxy.core.deployment import Deployment
from proxy.core.source import GeminiRequest, Source
from proxy.upstream.dialects.messages_models import runs_server_tools
from sanitizers.native.gemini.tools import BuiltInTool, common_tools

_TYPES: Mapping[str, str] = MappingProxyType(
    {
        "code_execution": "code_execution_20250825",
        "web_fetch": "web_fetch_20250910",
        "web_search": "web_search_20250305",
    }
)
"""The type of each tool, in the version that most models take."""


def carried_tools(source: Source | None, deployment: Deployment) -> tuple[BuiltInTool, ...]:
    """Return the tools in the request of *source* that Gemini would run, and that *deployment* gets in their place."""
    native = None if source is None else source.native
    if not isinstance(native, GeminiRequest) or not runs_server_tools(deployment):
        return ()
    tools = native.fields.get("tools")
    return common_tools(tools) if tools else ()


def server_tools(source: Source | None, deployment: Deployment) -> list[dict[str, Any]]:
    """Return the declarations of :func:`carried_tools` in Anthropic's form."""
    names = (tool.common_name for tool in carried_tools(source, deployment))
    return [{"type": _TYPES[name], "name": name} for name in names]
