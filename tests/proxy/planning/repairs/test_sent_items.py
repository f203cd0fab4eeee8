"""Tests of repaired items in the plan of a refused request."""

from __future__ import annotations

from proxy.core.source import ResponsesRequest
from proxy.planning.repairs.sent_items import with_sent_items
from sanitizers import Change
from tests.proxy.planning.repairs.test_unseal_items import USER, plan_of
from tests.support.native_responses import MESSAGE, THOUGHT


def test_items_are_replaced_and_the_history_stays() -> None:
    """A change of an item is listed with its message, by the place that the item came from."""
    plan = plan_of([{"type": "item_reference", "id": "rs_0"}, USER, THOUGHT, MESSAGE, USER])
    source = plan.request.source
    assert source is not None
    native = source.native
    assert isinstance(native, ResponsesRequest)
    assert native.items == [USER, THOUGHT, MESSAGE, USER]

    done = with_sent_items(plan, native, [USER], [(3, "dropped", "why")])

    assert done.messages is plan.messages
    assert done.request.source is not None
    assert isinstance(done.request.source.native, ResponsesRequest)
    assert done.request.source.native.items == [USER]
    assert done.request.source.messages is plan.messages
    assert done.later_changes == (Change("repair", "dropped", 2, "why"),)
    assert done.item_changes == plan.item_changes
