"""The verdicts on one history for every target: one row for each dry run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from proxy.core.errors import InvalidRequest
from proxy.inspector.steps import SIGNATURES, find_stages
from proxy.planning.dry_run import DryRun


def verdict_row(run: DryRun, target: Mapping[str, Any]) -> dict[str, Any]:
    """Return the JSON-ready row of *run* for *target*: the verdict, the changes by step, and the tokens.

    Changes of signatures are counted as the steps of :mod:`proxy.inspector.steps` show them.
    """
    report = run.repaired.budget if run.repaired is not None else None
    return {
        "target": dict(target),
        "deployment": run.deployment.model,
        "position": run.deployment.position,
        "profile": run.profile.name,
        "verdict": run.verdict,
        "changes": {**Counter(change.step for change in run.changes), **_signature_changes(run)},
        "refusal": run.refusal.code if run.refusal is not None else None,
        "message": run.refusal.message if run.refusal is not None else None,
        "estimate": report.estimate if report is not None else None,
        "sent": report.sent if report is not None else None,
        "limit": report.limit.tokens if report is not None else None,
    }


def _signature_changes(run: DryRun) -> dict[str, int]:
    # The steps take as long as a plan, so they are found only where a signature may have changed.
    if run.shown is None or not any(run.shown.signatures.values()):
        return {}
    stages = find_stages(run.request.messages, run)
    changed = sum(len(stage.changes) for stage in stages if stage.step == SIGNATURES)
    return {SIGNATURES: changed} if changed else {}


def unreadable_row(target: Mapping[str, Any], error: InvalidRequest) -> dict[str, Any]:
    """Return the row of a *target* for which no dry run of the request is possible."""
    unknown = ("deployment", "position", "profile", "estimate", "sent", "limit")
    return {
        **dict.fromkeys(unknown),
        "target": dict(target),
        "verdict": "refused",
        "changes": {},
        "refusal": error.code,
        "message": error.message,
    }
