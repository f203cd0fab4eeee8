"""Makes learned repairs in a plan, before the request is sent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from proxy.planning.learned.features import NAMED_FAULTS, feature_of, has_parameter
from proxy.planning.learned.repair_words import error_for, rows_for
from proxy.planning.plan import Advance, Plan
from proxy.planning.repairs import Repaired, repair_request
from proxy.planning.repairs.draft import Draft
from proxy.planning.repairs.repair_table import TABLE
from proxy.planning.repairs.use_repaired import use_repaired
from proxy.state.repairs.repair_key import LearnedRepair, RepairKey
from sanitizers.messages import Entry

_PLACES = {fault: at for at, fault in enumerate(dict.fromkeys(row.fault for row in TABLE))}


def repair_in_advance(plan: Plan, learned: Sequence[LearnedRepair], *, only_observe: bool = False) -> Plan:
    """Return *plan* with the repairs of *learned* that change something, or *plan* itself where none does.

    The first repair that is due for a probe is not made, and stands in ``advance.probed``. With *only_observe* no
    repair is made, and all those that would change something stand in ``advance.withheld``. Only mode ``repair``
    changes a history.
    """
    if plan.mode != "repair":
        return plan
    start = Draft(
        tuple(Entry(message, at) for at, message in enumerate(plan.messages)), plan.parameters, plan.profile
    )
    changed = plan
    made: list[LearnedRepair] = []
    withheld: list[LearnedRepair] = []
    for repair in sorted(learned, key=lambda each: _PLACES.get(each.key.fault, len(_PLACES))):
        if not _has_feature(repair.key, start):
            continue
        repaired = _repair(changed, repair.key)
        if repaired is None:
            continue
        if only_observe or (repair.probe_due and not withheld):
            withheld.append(repair)
        else:
            made.append(repair)
            changed = use_repaired(changed, repaired)
    if not made and not withheld:
        return plan
    return replace(changed, advance=Advance(tuple(made), tuple(withheld), plan))


def make_withheld(plan: Plan) -> Plan:
    """Return *plan* with the repairs that were withheld for a probe, after the probe was refused."""
    advance = plan.advance
    if advance is None or not advance.withheld:
        return plan
    for repair in advance.withheld:
        repaired = _repair(plan, repair.key)
        if repaired is not None:
            plan = use_repaired(plan, repaired)
    made = (*advance.made, *advance.withheld)
    return replace(plan, advance=replace(advance, made=made, withheld=()))


def _repair(plan: Plan, key: RepairKey) -> Repaired | None:
    rows = rows_for(key)
    return (
        repair_request(plan.messages, plan.parameters, plan.profile, error_for(key), table=rows)
        if rows
        else None
    )


def _has_feature(key: RepairKey, draft: Draft) -> bool:
    if key.fault == "parameter":
        return has_parameter(key.feature, draft.parameters)
    return key.fault in NAMED_FAULTS or feature_of(key.fault, draft) == key.feature
