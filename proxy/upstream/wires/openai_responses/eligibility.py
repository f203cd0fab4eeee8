"""Decides if a call goes out on the wire of the Responses API, or as a chat.

The decision is made before anything is written, so that no request is half native. A call takes the chat wire where
the plan has changed its history or tools, and where an item or tool is of no use or no business at the provider.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from proxy.core.deployment import Deployment
from proxy.core.source import NativeRequest, Source
from proxy.upstream.dialects.openai_models import is_openai
from sanitizers import Messages
from sanitizers.native import Item, Items
from sanitizers.native.responses.envelope import is_own
from sanitizers.native.responses.item_types import COMPACTIONS, TOOL_CARRIERS
from sanitizers.work_limit import metered

_AZURE_SINCE = "2025-03-01"
"""The first dated version of Azure's API with responses (learn.microsoft.com, "API version lifecycle")."""

_SEALED = COMPACTIONS | {"reasoning"}
"""Types of the items that one provider can read."""

_HELD_OBJECTS = frozenset(
    {"connector_id", "container_id", "file_id", "file_ids", "skill_id", "skills", "vector_store_ids"}
)
"""Fields of a tool that name an object or an account at the provider, which all clients of the proxy would share."""

_CLIENT_TOOLS = frozenset({"custom", "function", "namespace"})

_PLAIN_CHOICES = frozenset({"auto", "none", "required"})


@lru_cache(maxsize=1024)
def speaks_responses(deployment: Deployment) -> bool:
    """Tell whether the deployment's provider speaks the whole Responses API: OpenAI itself, Azure and xAI.

    Other servers with a path of that name take less there than on their chat path (vllm#42475, ollama#17673).
    """
    provider = deployment.provider
    if provider == "azure":
        version = str(deployment.credentials.get("api_version") or "")
        is_dated = version[:4].isdecimal()
        return not is_dated or version[: len(_AZURE_SINCE)] >= _AZURE_SINCE
    return provider == "xai" or is_openai(deployment)


def is_eligible(
    source: Source | None, deployment: Deployment, messages: Messages, parameters: Mapping[str, Any]
) -> bool:
    """Tell whether a call to *deployment* can go out with the items and tools of *source*, the client's request.

    *messages* and *parameters* are those of the plan. False for a source of another format.
    """
    if source is None or source.native is None or source.messages is not messages:
        return False
    native = source.native
    return (
        speaks_responses(deployment)
        and _keeps_tools(native, parameters)
        and not any(map(_names_held_object, _tools_of(native)))
        and are_readable(native.items)
    )


def _keeps_tools(native: NativeRequest, parameters: Mapping[str, Any]) -> bool:
    """Tell whether the plan has left the tools as they came. A plain choice can be written back."""
    given, planned = native.parameters.get("tools"), parameters.get("tools")
    if planned is not given and planned != given:
        return False
    choice = parameters.get("tool_choice")
    return choice == native.parameters.get("tool_choice") or (
        isinstance(choice, str) and choice in _PLAIN_CHOICES
    )


def _tools_of(native: NativeRequest) -> Iterator[Mapping[str, Any]]:
    yield from native.fields.get("tools") or ()
    for item in native.items:
        if item.get("type") in TOOL_CARRIERS:
            yield from item.get("tools") or ()


def _names_held_object(tool: Mapping[str, Any]) -> bool:
    if tool.get("type") in _CLIENT_TOOLS:
        return False
    if not _HELD_OBJECTS.isdisjoint(tool) or isinstance(tool.get("container"), str):
        return True
    return any(isinstance(held, dict) and not _HELD_OBJECTS.isdisjoint(held) for held in tool.values())


def are_readable(items: Items) -> bool:
    """Tell whether the provider can read all *items*.

    A thought without its encrypted content is unknown there, since nothing is stored (oh-my-pi#41). The proxy's own
    envelopes are of no use there.
    """
    return not any(_is_sealed_for_others(item) for item in metered(items))


def _is_sealed_for_others(item: Item) -> bool:
    if item.get("type") not in _SEALED:
        return False
    content = item.get("encrypted_content")
    return not isinstance(content, str) or not content or is_own(content)
