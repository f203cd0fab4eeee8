"""Makes learned repairs in a plan, before the request is sent."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from proxy.planning.learned.features import NAMED_FAULTS, feature_of, has_field, has_parameter
from proxy.planning.learned.repair_words import error_for, rows_for
from proxy.planning.plan import Advance, Plan
from proxy.planning.repairs import MadeRepair, Repaired, repair_request
from proxy.planning.repairs.draft import Draft, Repair
from proxy.planning.repairs.repair_table import TABLE
from proxy.planning.repairs.use_repaired import use_repaired
from proxy.resilience.read_error import NO_ERROR_FACTS, ProviderError
from proxy.state.repairs.repair_key import LearnedRepair, RepairKey
from sanitizers.messages import Entry


def repair_in_advance(plan: Plan, learned: Sequence[LearnedRepair], *, only_observe: bool = False) -> Plan:
    """Return *plan* with the repairs of *learned* that change something, or *plan* itself where none does.

    The repairs are made together, as after one refusal that names all their faults. The first repair that is due for a
    probe is not made, and stands in ``advance.withheld``. With *only_observe* no repair is made, and all those that
    would change something stand in ``advance.withheld``. Only mode ``repair`` changes a history.
    """
    if plan.mode != "repair":
        return plan
    fitting = _with_features_of(plan, learned)
    repaired, needed = _repair(plan, fitting)
    withheld: tuple[LearnedRepair, ...] = ()
    if only_observe:
        repaired, needed, withheld = None, (), needed
    elif (probed := next((repair for repair in needed if repair.probe_due), None)) is not None:
        repaired, needed = _repair(plan, [repair for repair in fitting if repair is not probed])
        withheld = (probed,)
    if not needed and not withheld:
        return plan
    changed = plan if repaired is None else use_repaired(plan, repaired)
    return replace(changed, advance=Advance(needed, withheld, plan))


def make_withheld(plan: Plan) -> Plan:
    """Return *plan* with the repairs that were withheld for a probe, where a refusal has not led to the same repair."""
    advance = plan.advance
    if advance is None or not advance.withheld:
        return plan
    repaired, made = _repair(plan, advance.withheld)
    if repaired is not None:
        plan = use_repaired(plan, repaired)
    return replace(plan, advance=replace(advance, made=(*advance.made, *made), withheld=()))


def _with_features_of(plan: Plan, learned: Iterable[LearnedRepair]) -> list[LearnedRepair]:
    """Return the repairs of *learned* whose feature the request of *plan* has.

    Most repairs are for a parameter that most requests do not have. These requests' messages are not looked at.
    """
    fitting = [
        repair
        for repair in learned
        if repair.key.fault != "parameter" or has_parameter(repair.key.feature, plan.parameters)
    ]
    if all(repair.key.fault == "parameter" for repair in fitting):
        return fitting
    entries = tuple(Entry(message, at) for at, message in enumerate(plan.messages))
    draft = Draft(entries, plan.parameters, plan.profile)
    faults = {repair.key.fault for repair in fitting} - NAMED_FAULTS
    features = {fault: feature_of(fault, draft) for fault in faults}
    return [
        repair
        for repair in fitting
        if repair.key.fault == "parameter" or _has_feature(repair.key, draft, features)
    ]


def _has_feature(key: RepairKey, draft: Draft, features: Mapping[str, str]) -> bool:
    """Return True where *draft* has the feature of *key*. *features* are those of *draft*, by their faults."""
    return has_field(key.feature, draft) if key.fault in NAMED_FAULTS else features[key.fault] == key.feature


def _repair(
    plan: Plan, learned: Sequence[LearnedRepair]
) -> tuple[Repaired | None, tuple[LearnedRepair, ...]]:
    """Return the request of *plan* repaired as *learned* require, and the repairs that took part in it.

    The rows of one fault read the words of that fault alone.
    """
    words: dict[str, str] = {}
    for repair in learned:
        if rows_for(repair.key):
            words[repair.key.fault] = f"{words.get(repair.key.fault, '')}{repair.key.words}\n"
    errors = {fault: replace(NO_ERROR_FACTS, words=said) for fault, said in words.items()}
    rows = [
        replace(row, repair=_reading(row.repair, error))
        for row in TABLE
        if (error := errors.get(row.fault)) is not None and row.fits(error)
    ]
    said = replace(NO_ERROR_FACTS, words="".join(words.values()))
    repaired = (
        repair_request(plan.messages, plan.parameters, plan.profile, said, table=rows) if rows else None
    )
    if repaired is None:
        return None, ()
    took_part = {
        repair.key: repair for made in repaired.made for repair in learned if _is_by(made, repair.key)
    }
    return repaired, tuple(took_part.values())


def _reading(repair: Repair, error: ProviderError) -> Repair:
    return lambda draft, _: repair(draft, error)


def _is_by(made: MadeRepair, key: RepairKey) -> bool:
    """Return True where *key* asks for the repair that was *made*."""
    if made.row.fault != key.fault:
        return False
    if key.fault in NAMED_FAULTS:
        name = key.feature.partition("=")[0]
        return any(name in change.detail.split(",") for change in made.changes)
    return made.row.fits(error_for(key))
