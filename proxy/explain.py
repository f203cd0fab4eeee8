"""The dry run behind ``POST /v1/explain`` and ``turnright explain``: what would be sent, and why. Pure.

The answer holds the whole request as it would be sent, so it is for whoever sent it; nothing of it is logged.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from proxy.budgets.fit_request import Facts, facts_of
from proxy.budgets.knowledge import Knowledge
from proxy.config import Settings
from proxy.errors import ContextTooLong, InvalidRequest, UnrepairableHistory
from proxy.parameter_plan import Unsupported
from proxy.plan import Plan, choose_pool, format_changes, plan_request, profile_of, split_changes
from proxy.signatures.kept import Kept
from proxy.turn_guard import guard_chat
from proxy.wire import ChatRequest
from sanitizers import Change, Violation
from sanitizers.turns import TurnPolicy

_NOTHING: Mapping[str, Kept] = MappingProxyType({})


def explain_request(
    request: ChatRequest,
    settings: Settings,
    unsupported: Unsupported,
    knowledge: Knowledge,
    now: float,
    policy: TurnPolicy | None = None,
    asked: int | None = None,
    kept: Mapping[str, Kept] = _NOTHING,
) -> dict[str, Any]:
    """Return, as JSON-ready values, what turnright would make of *request*.

    Whatever the mode, the changes are those of ``repair``, ``refusal`` says why there are none, and ``budget`` what
    that comes to in tokens; *knowledge* is what the deployments have taught by *now*. ``mode`` and ``verdict`` say what
    would happen: ``unchanged``, ``repaired``, ``sent_as_is`` (observe, off), or ``refused`` with ``refusal``. ``body``
    is what would be sent, with the signatures that are *kept*; None where it would be refused. ``turns`` says what the
    turn guard finds by *policy*, None where it is off; *asked* is the client's own limit of rounds. Raises
    :class:`proxy.errors.ModelNotFound`.
    """
    mode = settings.sanitize.mode
    request, guarded = guard_chat(request, policy, asked, mode=mode)
    deployment = choose_pool(request.model, settings)[0]
    facts = facts_of(deployment, settings, knowledge.look(deployment, now))

    def plan(settings: Settings, facts: Facts | None = facts) -> Plan:
        return plan_request(request, settings, unsupported, deployment, kept, facts, count=True)

    repairing = _repairing(settings)
    repaired, refusal = _planned(lambda: plan(repairing))
    shown = repaired
    if isinstance(refusal, ContextTooLong):
        shown, _ = _planned(lambda: plan(repairing, None))
    outcome = shown.outcome if shown is not None else None
    found, violations = (outcome.found, outcome.violations) if outcome is not None else ((), ())
    sent = repaired
    if mode != "repair" or violations:
        sent, refused = _planned(lambda: plan(settings))
        refusal = refused or refusal
    changes = (
        *(shown.changes if shown is not None else request.mended),
        *(guarded.changes if guarded is not None else ()),
    )
    return {
        "object": "turnright.explanation",
        "model": request.model,
        "deployment": deployment.model,
        "profile": profile_of(deployment, settings).name,
        "mode": mode,
        "verdict": _verdict(mode, sent, found, changes, refusal),
        "changes": [change.as_dict() for change in changes],
        "summary": format_changes(changes),
        "found": [violation.as_dict() for violation in found],
        "violations": [violation.as_dict() for violation in violations],
        "dropped_parameters": list(sent.dropped) if sent is not None else [],
        "refusal": None if refusal is None else _told(refusal),
        "budget": repaired.budget.as_dict() if repaired is not None and repaired.budget is not None else None,
        "turns": guarded.turn.as_dict() if guarded is not None else None,
        "body": None if sent is None else _body(sent),
    }


def _repairing(settings: Settings) -> Settings:
    """Return *settings* under which everything is repaired that can be, and sent."""
    section = settings.sanitize.model_copy(update={"mode": "repair", "on_violation": "send"})
    return settings.model_copy(update={"sanitize": section})


def _planned(plan: Callable[[], Plan]) -> tuple[Plan | None, InvalidRequest | None]:
    """Return what *plan* returns, or why it refuses."""
    try:
        return plan(), None
    except InvalidRequest as error:
        return None, error


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


def _told(refusal: InvalidRequest) -> dict[str, Any]:
    rule = refusal.rule if isinstance(refusal, UnrepairableHistory) else refusal.code
    return {"message": refusal.message, "rule": rule, "param": refusal.param}


def _body(sent: Plan) -> dict[str, Any]:
    return {
        "model": sent.request.model,
        "messages": list(sent.messages),
        **sent.parameters,
        **sent.extra_body,
        "stream": sent.request.stream,
    }
