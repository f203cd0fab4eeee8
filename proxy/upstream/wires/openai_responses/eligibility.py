"""Decides if a call goes out on the wire of the Responses API, or as a chat.

The decision is made before anything is written, so that no request is half native. A call takes the chat wire where
the plan has changed its history or tools, and where an item is of no use at the provider. What must not go there
(:mod:`proxy.planning.provider_needs`) is refused before.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proxy.core.deployment import Deployment
from proxy.core.source import ResponsesRequest, Source
from proxy.upstream.dialects.responses_models import speaks_responses
from proxy.upstream.wires.kept_tools import keeps_tools
from sanitizers import Messages
from sanitizers.native import Items
from sanitizers.native.responses.envelope import is_own
from sanitizers.native.responses.item_types import COMPACTIONS
from sanitizers.work_limit import metered

_SEALED = COMPACTIONS | {"reasoning"}
"""Types of the items that one provider can read."""


def is_eligible(
    source: Source | None, deployment: Deployment, messages: Messages, parameters: Mapping[str, Any]
) -> bool:
    """Tell whether a call to *deployment* can go out with the items and tools of *source*, the client's request.

    *messages* and *parameters* are those of the plan. False for a source of another format.
    """
    if source is None or source.messages is not messages:
        return False
    native = source.native
    return (
        isinstance(native, ResponsesRequest)
        and speaks_responses(deployment)
        and keeps_tools(native.parameters, parameters)
        and (native.are_mended or are_readable(native.items, is_stored=may_know_items(deployment, native)))
    )


def is_stored_at(deployment: Deployment, native: ResponsesRequest) -> bool:
    """Tell whether the provider stores the response to *native*: the client's model and *deployment* both say so.

    A fallback must not store what the client continues by the proxy's id.
    """
    return deployment.provider_state and native.is_left_to_provider


def may_know_items(deployment: Deployment, native: ResponsesRequest) -> bool:
    """Tell whether the provider may find items of *native* by their ids.

    It may not where clients share the account without ``provider_objects``: a thought with an id alone may be another
    client's.
    """
    return deployment.serves_objects and is_stored_at(deployment, native)


def are_readable(items: Items, *, is_stored: bool = False) -> bool:
    """Tell whether the provider can read all *items*.

    A thought without its encrypted content is unknown there, unless the provider stores responses (oh-my-pi#41). The
    proxy's own envelopes are of no use there.
    """
    for item in metered(items):
        if item.get("type") in _SEALED:
            content = item.get("encrypted_content")
            if is_own(content) if isinstance(content, str) and content else not is_stored:
                return False
    return True
