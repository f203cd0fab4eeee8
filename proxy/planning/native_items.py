"""Writes a plan's history as the items of the Responses API, for a provider that speaks it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proxy.core.deployment import Deployment
from proxy.core.source import ResponsesRequest
from proxy.upstream.wires.kept_tools import keeps_tools
from proxy.upstream.wires.openai_responses.eligibility import may_know_items
from sanitizers import Messages
from sanitizers.native.protocol import Written
from sanitizers.native.responses.apply import apply_messages
from sanitizers.native.responses.changed_items import ChangedItems
from sanitizers.native.responses.mend import mend_items


def write_items(
    native: ResponsesRequest,
    deployment: Deployment,
    messages: Messages,
    parameters: Mapping[str, Any],
    mode: str,
) -> Written | None:
    """Return the items for *messages*, or None where the plan has changed the tools.

    *mode* is that of sanitizing, as in :func:`proxy.planning.native_requests.with_items`.
    """
    if not keeps_tools(native.parameters, parameters):
        return None
    given = native.items if native.read_from is None else native.read_from
    applied = ChangedItems(given)
    if messages is not native.projection.messages:
        applied = apply_messages(given, native.projection, native.table, messages)
    mended = applied
    if mode != "off":
        mended = mend_items(applied, is_stored=may_know_items(deployment, native))
    sent = mended if mode == "repair" else applied
    fields = {"holds_instructions": sent.holds_instructions}
    return Written(sent.items, sent.origins, mended.changes, fields)
