"""Describes a dry run as JSON-ready values: the answer of ``POST /v1/explain``, which the inspector shows as well."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from proxy.core.deployment import Deployment
from proxy.core.errors import InvalidRequest, UnrepairableHistory
from proxy.core.hidden_text import hide
from proxy.core.instructions import Instructions
from proxy.planning.compact.applied_memory import AppliedMemory
from proxy.planning.dry_run import DryRun
from proxy.planning.plan import Plan, format_changes
from proxy.state.deployment_identity import identity_of
from proxy.state.repairs.repair_key import LearnedRepair


def describe_dry_run(run: DryRun) -> dict[str, Any]:
    """Return a dry run as JSON-ready values.

    In every mode, ``changes`` and ``budget`` are those of mode ``repair``. ``refusal`` is the error of the configured
    mode, else that of mode ``repair``, else None. ``mode`` and ``verdict`` are those of the configured mode. ``body``
    is the request as it would be sent, with the stored signatures. ``body`` is None for a refused request. ``turns``
    holds the turn guard's findings, None where the guard is off. ``memory`` is the memory in place of older messages,
    with its text and the first and last index that it replaces. ``learned`` holds the repairs that would be made in
    advance. ``instructions`` are the operator's. Each of these three keys is missing where there is nothing to show.
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
        **({} if run.instructions is None else {"instructions": _instructions_as_dict(run.instructions)}),
        "body": None if run.sent is None else _body(run.sent),
    }


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


def _instructions_as_dict(instructions: Instructions) -> dict[str, Any]:
    levels = [{"level": part.level, "bytes": part.bytes, "whole": part.whole} for part in instructions.parts]
    return {
        "bytes": instructions.bytes,
        "digest": instructions.digest,
        "levels": levels,
        "text": instructions.text,
    }


def _body(sent: Plan) -> dict[str, Any]:
    return {
        "model": sent.request.model,
        "messages": list(sent.messages),
        **sent.parameters,
        **hide(sent.extra_body),
        "stream": sent.request.stream,
    }
