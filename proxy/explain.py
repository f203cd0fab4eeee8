"""The dry run behind ``POST /v1/explain`` and ``turnright explain``: what would be sent, and why. Pure.

The answer holds the whole repaired request, so it is for whoever sent it; nothing of it is logged.
"""

from __future__ import annotations

from typing import Any

from proxy.budgets.fit_request import facts_of, fit_request
from proxy.budgets.knowledge import Knowledge
from proxy.config import Settings
from proxy.errors import ContextTooLong, InvalidRequest
from proxy.parameter_plan import Unsupported, plan_parameters
from proxy.plan import (
    choose_pool,
    format_changes,
    profile_of,
    settle_signatures,
)
from proxy.prepare_request import prepare_request
from proxy.turn_guard import guard_chat
from proxy.wire import ChatRequest
from sanitizers import Unrepairable
from sanitizers.turns import TurnPolicy


def explain_request(
    request: ChatRequest,
    settings: Settings,
    unsupported: Unsupported,
    knowledge: Knowledge,
    now: float,
    policy: TurnPolicy | None = None,
    asked: int | None = None,
) -> dict[str, Any]:
    """Return, as JSON-ready values, what turnright would make of *request*.

    Whatever the mode, the changes are those of ``repair``; ``mode`` and ``verdict`` say what would happen:
    ``unchanged``, ``repaired``, ``sent_as_is`` (observe, off), or ``refused`` with ``refusal``.
    ``budget`` says what it comes to in tokens; *knowledge* is what the deployments have taught by *now*. ``turns`` says
    what the turn guard finds by *policy*, None where it is off; *asked* is the client's own limit of rounds. Raises
    :class:`proxy.errors.ModelNotFound`.
    """
    request, guarded = guard_chat(request, policy, asked, mode=settings.sanitize.mode)
    deployment = choose_pool(request.model, settings)[0]
    profile = profile_of(deployment, settings)
    mode = settings.sanitize.mode
    planned = plan_parameters(request, request.parameters, deployment, unsupported, request.messages, "off")
    answer: dict[str, Any] = {
        "object": "turnright.explanation",
        "model": request.model,
        "deployment": deployment.model,
        "profile": profile.name,
        "mode": mode,
        "verdict": "unchanged",
        "changes": [],
        "summary": "",
        "found": [],
        "violations": [],
        "dropped_parameters": list(planned.dropped),
        "refusal": None,
        "budget": None,
        "turns": guarded.turn.as_dict() if guarded is not None else None,
        "body": None,
    }
    refuses = mode in ("repair", "strict")
    try:
        messages, _ = settle_signatures(request.messages, deployment, profile)
        prepared = prepare_request(messages, request, deployment, profile, unsupported)
    except (InvalidRequest, Unrepairable) as error:
        rule = error.rule if isinstance(error, Unrepairable) else error.code
        answer["verdict"] = "refused" if refuses else "sent_as_is"
        answer["refusal"] = {"message": error.message, "rule": rule, "param": error.param}
        return answer
    outcome, changes = prepared.outcome, (*prepared.changes, *(guarded.changes if guarded else ()))
    answer["dropped_parameters"] = list(prepared.dropped)
    answer["changes"] = [change.as_dict() for change in changes]
    answer["summary"] = format_changes(changes)
    answer["found"] = [violation.as_dict() for violation in outcome.found]
    answer["violations"] = [violation.as_dict() for violation in outcome.violations]
    if outcome.found or outcome.changes or prepared.declared:
        refused = mode == "strict" or (
            mode == "repair" and outcome.violations and settings.sanitize.on_violation == "refuse"
        )
        answer["verdict"] = "refused" if refused else "repaired" if mode == "repair" else "sent_as_is"
    elif changes:
        answer["verdict"] = "repaired" if refuses or (guarded and guarded.changes) else "sent_as_is"
    messages, origins, parameters = prepared.messages, outcome.origins, prepared.parameters
    facts = facts_of(deployment, settings, knowledge.look(deployment, now)).renamed(prepared.names_back)
    try:
        fitted = fit_request(messages, profile, parameters, facts, origins=origins, count=True)
    except ContextTooLong as error:
        answer["verdict"] = "refused" if refuses else "sent_as_is"
        answer["refusal"] = {"message": error.message, "rule": error.code, "param": error.param}
        return answer
    answer["budget"] = fitted.report.as_dict()
    if fitted.changes:
        answer["verdict"] = {"repair": "repaired", "strict": "refused"}.get(mode, "sent_as_is")
        changes = (*changes, *fitted.changes)
        answer["changes"] = [change.as_dict() for change in changes]
        answer["summary"] = format_changes(changes)
        messages, parameters = fitted.messages, fitted.parameters
    answer["body"] = {
        "model": request.model,
        "messages": list(messages),
        **parameters,
        **prepared.extra_body,
        "stream": request.stream,
    }
    return answer
