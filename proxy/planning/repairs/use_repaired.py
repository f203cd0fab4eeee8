"""Puts a repaired request into the plan of the refused one."""

from __future__ import annotations

from dataclasses import replace

from proxy.planning.native_requests import with_items
from proxy.planning.plan import REPLACED, Plan
from proxy.planning.repairs.repair_request import Repaired
from proxy.planning.signatures.restoring import WITHHELD
from proxy.planning.signatures.stand_ins import with_stand_ins


def use_repaired(plan: Plan, repaired: Repaired) -> Plan:
    """Return *plan* with the history, parameters, profile and changes of *repaired*.

    A request that goes out with the items of its client has these changes in its items.
    """
    signatures = plan.signatures
    if any(change.reason == "signature" for change in repaired.changes):
        withheld = sum(count for kind, count in signatures.items() if kind != REPLACED)
        _, stand_ins = with_stand_ins(repaired.messages, repaired.profile or plan.profile)
        signatures = {WITHHELD: withheld, REPLACED: stand_ins}
    request, item_changes = plan.request, plan.item_changes
    if request.source is not None and request.source.native is not None:
        items = with_items(request, plan.deployment, repaired.messages, repaired.parameters, plan.mode)
        request, item_changes = items.request, items.changes
    return replace(
        plan,
        request=request,
        item_changes=item_changes,
        signatures=signatures,
        messages=repaired.messages,
        parameters=repaired.parameters,
        profile=repaired.profile or plan.profile,
        later_changes=(*plan.later_changes, *repaired.changes),
    )
