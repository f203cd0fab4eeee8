"""Repairs the plan of a chat after its provider's error."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from proxy.core.offload import run_offloaded
from proxy.planning.plan import Plan
from proxy.planning.repairs import Repaired, repair_request
from proxy.planning.repairs.refused_contents import without_refused_contents
from proxy.planning.repairs.refused_items import without_refused_items
from proxy.planning.repairs.refused_messages import without_refused_messages
from proxy.planning.repairs.unseal_items import without_sealed_items
from proxy.planning.repairs.use_repaired import use_repaired
from proxy.resilience.read_error import USAGE_WORDS, ProviderError

_NATIVE = (without_sealed_items, without_refused_items, without_refused_messages, without_refused_contents)
"""The repairs of requests that went out in their client's format, for faults that no chat message shows."""


async def repair_plan(plan: Plan, said: ProviderError) -> Plan | None:
    """Return *plan* repaired by the provider's error, or None where nothing changes or nothing may be changed.

    A long history is repaired in a worker thread.
    """
    repaired, _ = await run_offloaded(plan.request.weight, partial(repair_refused, plan, said))
    return repaired


def repair_refused(plan: Plan, said: ProviderError) -> tuple[Plan | None, Repaired | None]:
    """Return *plan* repaired by the provider's error *said*, and the repaired request behind it.

    Both are None where nothing changes. Without the question for a stream's usage, no request was repaired.
    """
    if plan.ask_usage and said.says(*USAGE_WORDS):
        return replace(plan, ask_usage=False), None
    if plan.mode != "repair":
        return None, None
    for repair in _NATIVE:
        if (made := repair(plan, said)) is not None:
            return made, None
    repaired = repair_request(plan.messages, plan.parameters, plan.profile, said)
    return (None, None) if repaired is None else (use_repaired(plan, repaired), repaired)
