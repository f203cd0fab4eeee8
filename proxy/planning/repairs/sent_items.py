"""Puts repaired items into the plan of a refused request that went out in its client's format."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from proxy.core.source import GeminiRequest, MessagesRequest, ResponsesRequest
from proxy.planning.plan import REPAIR, Plan
from sanitizers import Change
from sanitizers.changes import Kind
from sanitizers.native import Items


def with_sent_items(
    plan: Plan,
    native: ResponsesRequest | MessagesRequest | GeminiRequest,
    items: Items,
    made: Iterable[tuple[int, Kind, str]],
) -> Plan:
    """Return *plan* with *items* in place of those of *native*, and the same history.

    *made* are the changes: the index of each among the items of *native*, its kind, and its reason. They are reported
    with the indexes of messages, as every repair is.
    """
    source = plan.request.source
    assert source is not None, "the plan was made for a request with items"
    changes = [Change(REPAIR, kind, _message_of(native, index), reason) for index, kind, reason in made]
    renewed = replace(source, native=replace(native, items=items, are_own=False))
    return replace(
        plan,
        request=replace(plan.request, source=renewed),
        later_changes=(*plan.later_changes, *changes),
    )


def _message_of(native: ResponsesRequest | MessagesRequest | GeminiRequest, index: int) -> int:
    """Return the index of the message that the item at *index* belongs to."""
    origins: Sequence[int] | None = native.origins
    before = index if origins is None else origins[index]
    return native.projection.message_of(max(0, before))
