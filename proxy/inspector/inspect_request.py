"""Describes one request for one target: the original history, each step's changes, the sent body, and its tokens.

The answer holds the whole history many times. Only the page's user gets the answer, and nothing of the answer is
logged.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil
from typing import Any

from proxy.core.chat_request import ChatRequest
from proxy.inspector.align_messages import Positioned, align_messages, with_positions
from proxy.inspector.facts_in_words import facts_in_words
from proxy.inspector.rule_texts import PROVIDERS, STEPS, provider_words, rule_of, why
from proxy.inspector.steps import SIGNATURES, Stage, find_stages
from proxy.inspector.wire_body import describe_wire
from proxy.planning.describe_dry_run import describe_dry_run
from proxy.planning.dry_run import DryRun
from proxy.planning.plan import MADE_IN_EVERY_MODE, Plan
from sanitizers import Change
from sanitizers.budget.estimate import Estimator
from sanitizers.budget.find_family import family_of

_UNCHANGED = [
    "deployment",
    "profile",
    "mode",
    "verdict",
    "summary",
    "found",
    "violations",
    "body",
    "changes",
    "turns",
]
"""The values of a dry run's description that are shown unchanged."""

_WHERE_ANY = ("memory", "learned", "instructions")
"""The values that are shown unchanged where the description has them."""


def inspect_request(
    came: ChatRequest,
    run: DryRun,
    target: Mapping[str, Any],
    *,
    compact: bool = False,
    for_operator: bool = False,
) -> dict[str, Any]:
    """Return, as JSON-ready values, the steps of *run*, a dry run of *came* for *target*.

    ``after`` is the history that is sent. For a refused request ``after`` is the history at the refusal. ``would`` is
    the history that mode ``repair`` would send, or None where no such history exists or it equals ``after``. The steps
    are those of mode ``repair``. ``made`` is True for the steps that the configured mode makes. With *compact*, an
    unchanged message is shown by its position alone. ``providers`` names, for each rule of ``found``, the provider
    whose error message is shown. ``wire`` is the sent request in the provider's format (:func:`describe_wire`).

    Without *for_operator*, a placeholder stands for the text of the operator's instructions. The tokens are still those
    of the text.
    """
    real, run = run, run if for_operator else run.for_client()
    described = describe_dry_run(run)
    before = with_positions(came.messages)
    stages = list(find_stages(came.messages, run))
    last = stages[-1].history if stages else before
    repaired = align_messages(last, run.shown.messages) if run.shown is not None else last
    after, would = repaired, None
    if run.sent is not None and run.sent is not run.repaired:
        after = align_messages(before, run.sent.messages)
    if run.mode != "repair" and run.repaired is not None and not _is_same_history(run.sent, run.repaired):
        would = repaired
    untouched = {id(message) for message in came.messages} if compact else set()

    def shown(history: Positioned) -> list[dict[str, Any]]:
        return [
            {"origin": origin} if id(message) in untouched else {"origin": origin, "message": message}
            for origin, message in history
        ]

    return {
        **{name: described[name] for name in _UNCHANGED},
        **{name: described[name] for name in _WHERE_ANY if name in described},
        "target": dict(target),
        "refusal": _describe_refusal(run, described["refusal"]),
        "providers": {one.rule: PROVIDERS[one.rule] for one in run.found if one.rule in PROVIDERS},
        "wire": describe_wire(run),
        "before": [{"index": index, "message": message} for index, message in before],
        "steps": [
            {**_describe_stage(stage, run, described), "after": shown(stage.history)} for stage in stages
        ],
        "after": shown(after),
        "would": shown(would) if would is not None else None,
        "parameters_dropped": described["dropped_parameters"],
        "budget": _describe_budget(real, described["budget"], before, repaired),
    }


def _describe_stage(stage: Stage, run: DryRun, described: Mapping[str, Any]) -> dict[str, Any]:
    """Return a repair step with its changes, without its history. *described* is the description of *run*."""
    return {
        "step": stage.step,
        "what": f"{STEPS.get(stage.step, '')} {facts_in_words(stage.step, described)}".rstrip(),
        "made": _is_made(stage.step, run),
        "changes": [describe_change(change) for change in stage.changes],
    }


def describe_change(change: Change) -> dict[str, Any]:
    """Return a change with its reason, its rule, and the error that ``provider`` gives without the change."""
    return {
        "kind": change.kind,
        "index": change.index,
        "reason": change.reason,
        "detail": change.detail,
        "why": why(change),
        "rule": rule_of(change),
        "words": provider_words(change),
        "provider": PROVIDERS.get(rule_of(change) or ""),
    }


def _describe_refusal(run: DryRun, described: dict[str, Any] | None) -> dict[str, Any] | None:
    """Return the refusal *described* of *run*, with its code and every broken rule."""
    if described is None or run.refusal is None:
        return None
    return {**described, "code": run.refusal.code, "violations": getattr(run.refusal, "violations", [])}


def _is_made(step: str, run: DryRun) -> bool:
    """Return True where the configured mode makes the changes of a repair *step*."""
    if run.mode == "repair":
        return True
    return run.sent is not None and (run.mode == "strict" or step in (*MADE_IN_EVERY_MODE, SIGNATURES))


def _is_same_history(sent: Plan | None, repaired: Plan) -> bool:
    return sent is not None and list(sent.messages) == list(repaired.messages)


def _describe_budget(
    run: DryRun, described: dict[str, Any] | None, before: Positioned, after: Positioned
) -> dict[str, Any] | None:
    """Return the budget with its margin, and the tokens of every message before and after the repair.

    *after* may hold a placeholder for the instructions. Their tokens are counted in *run*, the dry run with the text.
    ``would`` is True where the budget's cut is not sent: the mode repairs nothing, or the request is refused.
    """
    report = run.repaired.budget if run.repaired is not None else None
    if described is None or report is None or run.repaired is None:
        return None
    counted = [(at, message) for (at, _), message in zip(after, run.repaired.messages, strict=True)]
    family = family_of(run.deployment.model)
    estimator, scale = Estimator(family), report.factor or 1.0

    def sizes(history: Positioned, place: str) -> list[dict[str, Any]]:
        return [
            {
                place: at,
                "role": message["role"],
                "tokens": ceil(estimator.message_tokens(message) * scale),
            }
            for at, message in history
        ]

    parts = described.get("parts", {"before": {}, "after": {}})
    available, limit = described.get("available"), described["limit"]
    fixed = described.get("tools", 0) + described.get("system", 0)
    kept_free = max(0, limit - fixed - available) if limit is not None and available is not None else None
    return {
        **described,
        "would": run.mode in ("observe", "off") or run.sent is None,
        "margin": kept_free,
        "marks": {name: described.get(name) for name in ("available", "high", "low", "hard")},
        "fixed": fixed,
        "parts": {
            "before": {**parts["before"], "turns": sizes(before, "index")},
            "after": {**parts["after"], "turns": sizes(counted, "origin")},
        },
    }
