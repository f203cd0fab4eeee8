"""Builders of plans, of refusals, and of the repairs that a refusal teaches."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from proxy.core.chat_request import ChatRequest
from proxy.planning.learned.name_repairs import name_repairs
from proxy.planning.plan import Plan
from proxy.planning.repairs import repair_request
from proxy.planning.repairs.repair_row import Learning
from proxy.planning.repairs.use_repaired import use_repaired
from proxy.resilience.read_error import ProviderError
from proxy.resilience.request_words import RequestWords
from proxy.state.repairs.repair_key import LearnedRepair, RepairKey
from sanitizers import Profile
from sanitizers.profiles import OPENAI
from tests.proxy.observability.planned import DEPLOYMENT
from tests.proxy.planning.repairs.asking import History, draft_of, refusal
from tests.proxy.planning.repairs.cases import CASES, Case

LEARNED_CASES = tuple(case for case in CASES if case.row.learning is not Learning.NEVER)
NEVER_CASES = tuple(case for case in CASES if case.row.learning is Learning.NEVER)


def case_named(name: str) -> Case:
    """Return the recorded refusal with the id *name*."""
    return next(case for case in CASES if case.id == name)


def plan_of(
    messages: History,
    parameters: Mapping[str, Any] | None = None,
    profile: Profile = OPENAI,
    mode: str = "repair",
) -> Plan:
    """Return the plan of a request that is sent as it is."""
    given = parameters or {}
    chat = ChatRequest("model", messages, False, False, given, {}, 1)
    return Plan(chat, DEPLOYMENT, profile, mode, messages, None, given, {}, ())


def plan_of_case(case: Case, mode: str = "repair") -> Plan:
    """Return the plan of the request in *case*."""
    return plan_of(case.messages, case.parameters, case.profile, mode)


def keys_of(plan: Plan, error: ProviderError) -> tuple[RepairKey, ...]:
    """Return the names of the repairs that the request of *plan* gets after *error*, if it is then accepted."""
    repaired = repair_request(plan.messages, plan.parameters, plan.profile, error)
    assert repaired is not None
    refused = draft_of(list(plan.messages), plan.parameters, plan.profile)
    words = RequestWords(plan.messages, plan.parameters, plan.extra_body)
    return name_repairs(repaired.made, refused, error, words)


def keys_after(
    words: str, messages: History, parameters: Mapping[str, Any] | None = None, **more: Any
) -> tuple[RepairKey, ...]:
    """Return the names of the repairs of a request that OpenAI's profile sends, after a refusal with *words*."""
    return keys_of(plan_of(messages, parameters), refusal(words, **more))


def keys_of_case(case: Case) -> tuple[RepairKey, ...]:
    """Return the names of the repairs that *case* teaches."""
    return keys_of(plan_of_case(case), refusal(case.words, **case.more))


def learned(keys: Iterable[RepairKey], *due: RepairKey) -> list[LearnedRepair]:
    """Return the repairs named *keys* with enough evidence. Those of *due* are due for a probe."""
    return [LearnedRepair(key, 0.8, 5.0, 0.0, 1.0, False, key in due) for key in keys]


def after_refusal(plan: Plan, error: ProviderError) -> Plan:
    """Return *plan* as it is sent again after *error*."""
    repaired = repair_request(plan.messages, plan.parameters, plan.profile, error)
    assert repaired is not None
    return use_repaired(plan, repaired)


def sent(plan: Plan) -> tuple[Any, ...]:
    """Return what *plan* sends and reports."""
    return (
        list(plan.messages),
        dict(plan.parameters),
        plan.profile,
        plan.later_changes,
        dict(plan.signatures),
    )
