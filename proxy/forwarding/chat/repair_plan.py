"""Repairs the plan of a chat after its provider's error."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from proxy.core.offload import run_offloaded
from proxy.planning.plan import REPLACED, Plan
from proxy.planning.repairs import repair_request
from proxy.planning.signatures.restoring import WITHHELD
from proxy.planning.signatures.stand_ins import with_stand_ins
from proxy.resilience.read_error import USAGE_WORDS, ProviderError


async def repair_plan(plan: Plan, said: ProviderError) -> Plan | None:
    """Return *plan* repaired by the provider's error, or None where nothing changes or nothing may be changed.

    A long history is repaired in a worker thread.
    """
    return await run_offloaded(plan.request.weight, partial(_repaired, plan, said))


def _repaired(plan: Plan, said: ProviderError) -> Plan | None:
    if plan.ask_usage and said.says(*USAGE_WORDS):
        return replace(plan, ask_usage=False)
    if plan.mode != "repair":
        return None
    repaired = repair_request(plan.messages, plan.parameters, plan.profile, said)
    if repaired is None:
        return None
    signatures = plan.signatures
    if any(change.reason == "signature" for change in repaired.changes):
        withheld = sum(count for kind, count in signatures.items() if kind != REPLACED)
        _, stand_ins = with_stand_ins(repaired.messages, repaired.profile or plan.profile)
        signatures = {WITHHELD: withheld, REPLACED: stand_ins}
    return replace(
        plan,
        signatures=signatures,
        messages=repaired.messages,
        parameters=repaired.parameters,
        profile=repaired.profile or plan.profile,
        later_changes=(*plan.later_changes, *repaired.changes),
    )
