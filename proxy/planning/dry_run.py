"""The dry run behind ``POST /v1/explain``, ``turnright explain`` and the inspector: a plan that is not sent.

The result holds the whole request as it would be sent. Therefore only the client that asks gets the result, and nothing
of the request is logged.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from datetime import UTC, datetime
from typing import Any

from proxy.core.chat_request import ChatRequest
from proxy.core.deployment import Deployment
from proxy.core.errors import ContextTooLong, InvalidRequest, UnrepairableHistory
from proxy.core.hidden_text import hide
from proxy.planning.budgets.budget_facts import BudgetFacts
from proxy.planning.compact.applied_memory import AppliedMemory
from proxy.planning.guard_turns import guard_chat
from proxy.planning.learned.repair_in_advance import repair_in_advance
from proxy.planning.plan import Plan, format_changes, plan_request, split_changes
from proxy.planning.plan_target import PlanTarget
from proxy.state.deployment_identity import identity_of
from proxy.state.kept_signatures import StoredSignature
from proxy.state.repairs.repair_key import LearnedRepair
from sanitizers import Change, Profile, Violation
from sanitizers.record import record
from sanitizers.turns import Guarded, TurnPolicy


@record
class DryRunInput:
    """One request as a client sends it, and everything that its plan depends on.

    *facts* is what is known of the target's budget. *kept* holds the signatures that are stored for the request's
    calls. *policy* is the turn guard's policy, or None where the guard is off. *max_rounds* is the client's own limit
    on rounds of tool calls. *memory* is the stored memory of the conversation, if there is one. *learned* holds the
    repairs that are made in advance for the target.
    """

    request: ChatRequest
    target: PlanTarget
    facts: BudgetFacts
    kept: Mapping[str, StoredSignature] = field(default_factory=dict)
    policy: TurnPolicy | None = None
    max_rounds: int | None = None
    memory: AppliedMemory | None = None
    learned: tuple[LearnedRepair, ...] = ()


@record
class DryRun:
    """The result of a dry run.

    *request* is the request after the turn guard. *kept* holds the signatures that are stored for its calls. *repaired*
    is the plan in mode ``repair``. *shown* is *repaired*, or a plan without a budget where the history is too long.
    *sent* is the plan in the configured mode. *refusal* is the error of the configured mode, else that of mode
    ``repair``, else None.
    """

    request: ChatRequest
    target: PlanTarget
    kept: Mapping[str, StoredSignature]
    guarded: Guarded | None
    repaired: Plan | None
    shown: Plan | None
    sent: Plan | None
    refusal: InvalidRequest | None

    @property
    def deployment(self) -> Deployment:
        """The deployment that the request would be sent to."""
        return self.target.deployment

    @property
    def profile(self) -> Profile:
        """The deployment's rules for histories."""
        return self.target.profile

    @property
    def mode(self) -> str:
        """The configured mode of sanitizing."""
        return self.target.sanitize.mode

    @property
    def found(self) -> tuple[Violation, ...]:
        """The rules that the history breaks as the client sent it."""
        return self.shown.outcome.found if self.shown is not None and self.shown.outcome is not None else ()

    @property
    def violations(self) -> tuple[Violation, ...]:
        """The rules that the history still breaks after repairing."""
        return (
            self.shown.outcome.violations if self.shown is not None and self.shown.outcome is not None else ()
        )

    @property
    def changes(self) -> tuple[Change, ...]:
        """The changes of mode ``repair``, and those of the turn guard."""
        made = self.shown.changes if self.shown is not None else self.request.mended
        return (*made, *(self.guarded.changes if self.guarded is not None else ()))

    @property
    def memory(self) -> AppliedMemory | None:
        """The memory in place of older messages, or None where the history is planned without one."""
        return self.shown.memory if self.shown is not None else None

    @property
    def learned(self) -> tuple[LearnedRepair, ...]:
        """The repairs that would be made in advance."""
        shown = self.shown
        return shown.advance.made if shown is not None and shown.advance is not None else ()

    @property
    def verdict(self) -> str:
        """The outcome: ``unchanged``, ``repaired``, ``sent_as_is`` (modes observe and off), or ``refused``."""
        return _verdict(self.mode, self.sent, self.found, self.changes, self.refusal)


def run_dry(given: DryRunInput) -> DryRun:
    """Return the dry run of a request. Nothing is sent. A refusal is returned and not raised.

    Where the configured mode cannot use the memory, no plan uses it.
    """
    target, mode = given.target, given.target.sanitize.mode
    request, guarded = guard_chat(given.request, given.policy, given.max_rounds, mode=mode)

    learned = tuple(replace(repair, probe_due=False) for repair in given.learned)

    def plan(target: PlanTarget, facts: BudgetFacts | None) -> tuple[Plan | None, InvalidRequest | None]:
        try:
            made = plan_request(request, target, given.kept, facts, memory=given.memory, count=True)
        except InvalidRequest as error:
            return None, error
        return repair_in_advance(made, learned), None

    repairing = _with_repair_mode(target)
    repaired, refusal = plan(repairing, given.facts)
    shown = repaired
    if isinstance(refusal, ContextTooLong):
        shown, _ = plan(repairing, None)
    outcome = shown.outcome if shown is not None else None
    sent = repaired
    if mode != "repair" or (outcome is not None and outcome.violations):
        sent, refused = plan(target, given.facts)
        refusal = refused or refusal
    if shown is not None and shown.memory is not None and (sent is None or sent.memory is None):
        return run_dry(replace(given, memory=None))
    return DryRun(request, target, given.kept, guarded, repaired, shown, sent, refusal)


def describe_dry_run(run: DryRun) -> dict[str, Any]:
    """Return a dry run as JSON-ready values.

    In every mode, ``changes`` and ``budget`` are those of mode ``repair``. ``refusal`` is the error of the configured
    mode, else that of mode ``repair``, else None. ``mode`` and ``verdict`` are those of the configured mode. ``body``
    is the request as it would be sent, with the stored signatures. ``body`` is None for a refused request. ``turns``
    holds the turn guard's findings, None where the guard is off. ``memory`` is the memory in place of older messages,
    with its text and the first and last index that it replaces. ``learned`` holds the repairs that would be made in
    advance. Without a memory or a learned repair the key is missing.
    """
    changes, repaired = run.changes, run.repaired
    return {
        "object": "turnright.explanation",
        "model": run.request.model,
        "deployment": run.deployment.model,
        "profile": run.profile.name,
        "mode": run.mode,
        "verdict": run.verdict,
        "changes": [change.as_dict() for change in changes],
        "summary": format_changes(changes, learned=bool(run.learned)),
        "found": [violation.as_dict() for violation in run.found],
        "violations": [violation.as_dict() for violation in run.violations],
        "dropped_parameters": list(run.sent.dropped) if run.sent is not None else [],
        "refusal": None if run.refusal is None else _refusal_as_dict(run.refusal),
        "budget": repaired.budget.as_dict() if repaired is not None and repaired.budget is not None else None,
        "turns": run.guarded.turn.as_dict() if run.guarded is not None else None,
        **({} if run.memory is None else {"memory": _memory_as_dict(run.memory)}),
        **(
            {"learned": [_learned_as_dict(each, run.deployment) for each in run.learned]}
            if run.learned
            else {}
        ),
        "body": None if run.sent is None else _body(run.sent),
    }


def _with_repair_mode(target: PlanTarget) -> PlanTarget:
    """Return *target* with a mode that repairs everything that can be repaired, and sends the rest as it is."""
    section = target.sanitize.model_copy(update={"mode": "repair", "on_violation": "send"})
    return replace(target, sanitize=section)


def _verdict(
    mode: str,
    sent: Plan | None,
    found: tuple[Violation, ...],
    changes: tuple[Change, ...],
    refusal: InvalidRequest | None,
) -> str:
    if sent is None:
        return "refused"
    by_mode, in_any_mode = split_changes(changes)
    if by_mode or found or refusal is not None:
        return "repaired" if mode in ("repair", "strict") else "sent_as_is"
    return "repaired" if in_any_mode else "unchanged"


def _refusal_as_dict(refusal: InvalidRequest) -> dict[str, Any]:
    rule = refusal.rule if isinstance(refusal, UnrepairableHistory) else refusal.code
    return {"message": refusal.message, "rule": rule, "param": refusal.param}


def _memory_as_dict(memory: AppliedMemory) -> dict[str, Any]:
    created = datetime.fromtimestamp(memory.created, UTC)
    return {
        "replaced": [memory.start, memory.end - 1],
        "pinned": list(memory.pinned),
        "tokens": memory.tokens,
        "reflections": memory.reflections,
        "created": created.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "model": memory.model,
        "text": memory.message["content"],
    }


def _learned_as_dict(repair: LearnedRepair, deployment: Deployment) -> dict[str, Any]:
    since = datetime.fromtimestamp(repair.since, UTC)
    return {
        "id": repair.key.id_at(identity_of(deployment)),
        "fault": repair.key.fault,
        "feature": repair.key.feature,
        "confidence": round(repair.confidence, 2),
        "confirmed": round(repair.confirmed, 1),
        "contradicted": round(repair.contradicted, 1),
        "since": since.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "scope": "conversation" if repair.of_conversation else "deployment",
    }


def _body(sent: Plan) -> dict[str, Any]:
    return {
        "model": sent.request.model,
        "messages": list(sent.messages),
        **sent.parameters,
        **hide(sent.extra_body),
        "stream": sent.request.stream,
    }
