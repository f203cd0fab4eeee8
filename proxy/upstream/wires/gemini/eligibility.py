"""Decides if a call goes out with the contents and tools of its client, or as a chat that is written anew.

The decision is made before anything is written, so that no request is half native.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proxy.core.deployment import Deployment
from proxy.core.source import GeminiRequest, Source
from proxy.upstream.dialects.gemini_models import has_contents
from proxy.upstream.wires.kept_tools import keeps_tools
from sanitizers import Messages
from sanitizers.native import Items
from sanitizers.native.gemini.parts import is_sealed, parts_of
from sanitizers.work_limit import metered


def is_eligible(
    source: Source | None, deployment: Deployment, messages: Messages, parameters: Mapping[str, Any]
) -> bool:
    """Tell whether a call to *deployment* can go out with the contents and tools of *source*, the client's request.

    *messages* and *parameters* are those of the plan. False for a source of another format.
    """
    if source is None or source.messages is not messages:
        return False
    native = source.native
    return (
        isinstance(native, GeminiRequest)
        and has_contents(deployment)
        and keeps_tools(native.parameters, parameters)
        and (native.are_mended or are_readable(native.items))
    )


def are_readable(items: Items) -> bool:
    """Tell whether no part of *items* holds an envelope of the proxy's, which the provider would refuse."""
    return not any(
        is_sealed(part)
        for index, item in enumerate(metered(items))
        for part in metered(parts_of(item, index))
    )
