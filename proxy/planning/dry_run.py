"""The dry run behind ``POST /v1/explain`` and ``turnright explain``: what would be sent, and why. Pure.

The answer holds the whole request as it would be sent, so it is for whoever sent it; nothing of it is logged.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from proxy.config import Settings
from proxy.config.pools import choose_pool
from proxy.core.chat_request import ChatRequest
from proxy.core.deployment import Deployment
from proxy.core.errors import ContextTooLong, InvalidRequest, UnrepairableHistory
from proxy.planning.budgets.fit_request import Facts, facts_of
from proxy.planning.guard_turns import guard_chat
from proxy.planning.plan import Plan, format_changes, plan_request, profile_of, split_changes
from proxy.planning.plan_parameters import Unsupported
from proxy.state.kept_signatures import Kept
from proxy.state.learned_windows import LearnedWindows
from sanitizers import Change, Profile, Violation
from sanitizers.record import record
from sanitizers.turns import Guarded, TurnPolicy

_NOTHING: Mapping[str, Kept] = MappingProxyType({})


@record
class DryRun:
    """What would become of one request.

    *request* is as the turn guard leaves it, *kept* what is known of the signatures of its calls. *repaired* is the
    plan under which everything is repaired that can be; *shown* the same where it is too long to be sent, without a
    budget; *sent* what goes out in the mode that is set. *refusal* says why there is none of them.
    """

    request: ChatRequest
    deployment: Deployment
    profile: Profile
    mode: str
    kept: Mapping[str, Kept]
    guarded: Guarded | None
    repaired: Plan | None
    shown: Plan | None
    sent: Plan | None
    refusal: InvalidRequest | None

    @property
    def found(self) -> tuple[Violation, ...]:
        """What is wrong with the history as it came."""
        return self.shown.outcome.found if self.shown is not None and self.shown.outcome is not None else ()

    @property
    def violations(self) -> tuple[Violation, ...]:
        """What would still be wrong after repairing."""
        return (
            self.shown.outcome.violations if self.shown is not None and self.shown.outcome is not None else ()
        )

    @property
    def changes(self) -> tuple[Change, ...]:
        """What repairing changes, and the turn guard."""
        made = self.shown.changes if self.shown is not None else self.request.mended
        return (*made, *(self.guarded.changes if self.guarded is not None else ()))

    @property
    def verdict(self) -> str:
        """What would happen: ``unchanged``, ``repaired``, ``sent_as_is`` (observe, off), or ``refused``."""
        return _verdict(self.mode, self.sent, self.found, self.changes, self.refusal)


def run_dry(
    request: ChatRequest,
    settings: Settings,
    unsupported: Unsupported,
    learned_windows: LearnedWindows,
    now: float,
    policy: TurnPolicy | None = None,
    asked: int | None = None,
    kept: Mapping[str, Kept] = _NOTHING,
    deployment: Deployment | None = None,
    tenant: str = "",
) -> DryRun:
    """Return what would become of *request* at *deployment*, by default the first that answers for its model.

    *knowledge* is what the deployments have taught *tenant* by *now*, *policy* that of the turn guard, None where it is
    off; *asked* is the client's own limit of rounds. Raises :class:`proxy.core.errors.ModelNotFound`.
    """
    mode = settings.sanitize.mode
    request, guarded = guard_chat(request, policy, asked, mode=mode)
    target = choose_pool(request.model, settings)[0] if deployment is None else deployment
    facts = facts_of(target, settings, learned_windows.look(target, now, tenant))

    def plan(settings: Settings, facts: Facts | None = facts) -> Plan:
        return plan_request(request, settings, unsupported, target, kept, facts, count=True)

    repairing = _repairing(settings)
    repaired, refusal = _planned(lambda: plan(repairing))
    shown = repaired
    if isinstance(refusal, ContextTooLong):
        shown, _ = _planned(lambda: plan(repairing, None))
    outcome = shown.outcome if shown is not None else None
    sent = repaired
    if mode != "repair" or (outcome is not None and outcome.violations):
        sent, refused = _planned(lambda: plan(settings))
        refusal = refused or refusal
    profile = profile_of(target, settings)
    return DryRun(request, target, profile, mode, kept, guarded, repaired, shown, sent, refusal)


def tell_run(run: DryRun) -> dict[str, Any]:
    """Return a dry run as JSON-ready values.

    Whatever the mode, the changes are those of ``repair``, ``refusal`` says why there are none, and ``budget`` what
    that comes to in tokens. ``mode`` and ``verdict`` say what would happen. ``body`` is what would be sent, with the
    signatures that are kept; None where it would be refused. ``turns`` says what the turn guard finds, None where it is
    off.
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
        "summary": format_changes(changes),
        "found": [violation.as_dict() for violation in run.found],
        "violations": [violation.as_dict() for violation in run.violations],
        "dropped_parameters": list(run.sent.dropped) if run.sent is not None else [],
        "refusal": None if run.refusal is None else _told(run.refusal),
        "budget": repaired.budget.as_dict() if repaired is not None and repaired.budget is not None else None,
        "turns": run.guarded.turn.as_dict() if run.guarded is not None else None,
        "body": None if run.sent is None else _body(run.sent),
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
