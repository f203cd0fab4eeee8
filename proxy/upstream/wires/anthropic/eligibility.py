"""Decides if a call goes out with the messages and tools of its client, or as a chat that is written anew.

The decision is made before anything is written, so that no request is half native.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proxy.core.deployment import Deployment
from proxy.core.source import MessagesRequest, Source
from proxy.upstream.dialects.messages_models import has_messages
from proxy.upstream.wires.kept_tools import keeps_tools
from sanitizers import Messages
from sanitizers.native import Items
from sanitizers.native.messages.changed_messages import THINKING, blocks_of
from sanitizers.native.messages.envelope import is_own
from sanitizers.native.messages.violations import seal_of
from sanitizers.work_limit import metered


def is_eligible(
    source: Source | None, deployment: Deployment, messages: Messages, parameters: Mapping[str, Any]
) -> bool:
    """Tell whether a call to *deployment* can go out with the messages and tools of *source*, the client's request.

    *messages* and *parameters* are those of the plan. False for a source of another format.
    """
    if source is None or source.messages is not messages:
        return False
    native = source.native
    return (
        isinstance(native, MessagesRequest)
        and has_messages(deployment)
        and keeps_tools(native.parameters, parameters)
        and (native.are_mended or are_readable(native.items))
    )


def are_readable(items: Items) -> bool:
    """Tell whether no block of *items* holds an envelope of the proxy's, which the provider would refuse."""
    for item in metered(items):
        if item.get("role") != "assistant":
            continue
        for block in metered(blocks_of(item)):
            if isinstance(block, dict) and block.get("type") in THINKING:
                seal = seal_of(block)
                if isinstance(seal, str) and is_own(seal):
                    return False
    return True
