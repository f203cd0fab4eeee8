"""Plans one attempt before anything is sent: history, parameters, tools and budget for one deployment.

The mode of sanitizing decides what is done with a history:

    repair   the history is made legal; one that cannot be is refused (or sent, by ``on_violation``)
    observe  the history is sent as it is; what would have been changed is reported
    strict   a history that would have to be changed is refused, with the list
    off      only the rules for any request are checked
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import field, replace
from itertools import compress
from operator import attrgetter, not_
from types import MappingProxyType
from typing import Any

from proxy.core.chat_request import ChatRequest
from proxy.core.deployment import Deployment
from proxy.core.errors import ContextTooLong, InvalidRequest, UnrepairableHistory
from proxy.planning.budgets.fit_request import Budgeted, Facts, FitInput, fit_request
from proxy.planning.budgets.report import Report
from proxy.planning.clean_tools import cleaning_weight, refuse_tools, target_of
from proxy.planning.plan_parameters import ParameterPlan, plan_parameters
from proxy.planning.plan_target import PlanTarget
from proxy.planning.prepare_request import Prepared, prepare_request
from proxy.planning.signatures.origins import origin_of
from proxy.planning.signatures.restoring import leave_out_signatures, restore_signatures
from proxy.planning.signatures.stand_ins import with_stand_ins
from proxy.state.kept_signatures import Kept
from proxy.upstream.dialects import STEP as PARAMETERS
from sanitizers import (
    Change,
    Messages,
    Profile,
    Sanitized,
    Unrepairable,
    Violation,
)
from sanitizers.outline import Outline
from sanitizers.record import record
from sanitizers.steps import STEP_NAMES

REPLACED = "replaced"
"""What a signature is counted as that is required, lost, and stood in for."""

_MANY = 1_000
"""Changes from which on a Counter counts them faster: there may be 100,000, and the event loop waits."""

_STEP = attrgetter("step")

_NOTHING: Mapping[str, Kept] = MappingProxyType({})

_LISTED = 100
"""Entries of a list in an error's body, at most: the history may break a rule in every message."""

_FURTHER_STEPS = ("tools", PARAMETERS, "budget", "repair", "note", "turns", "answer_repair")
"""What may be changed behind the pipeline: :mod:`proxy.upstream.dialects`, :mod:`proxy.planning.budgets`,
:mod:`proxy.planning.repairs`, :mod:`proxy.planning.corrective_note`, :mod:`sanitizers.turns`,
:mod:`proxy.answers.tool_calls`."""

_STEPS = tuple(dict.fromkeys((*STEP_NAMES, *_FURTHER_STEPS)))  # a step of either may be called "tools"

MADE_IN_EVERY_MODE = ("turns", "answer_repair")
"""Steps that have settings of their own: what they change is changed whatever the mode of sanitizing."""


@record
class Plan:
    """One request, ready to be sent.

    *messages* is what goes upstream. *outcome* is what sanitizing said (None in mode ``off``, and where nothing
    could be said). *dropped* names the parameters that do not go upstream.
    """

    request: ChatRequest
    deployment: Deployment
    profile: Profile
    mode: str
    messages: Messages
    outcome: Sanitized | None
    parameters: Mapping[str, Any]
    extra_body: Mapping[str, Any]
    dropped: tuple[str, ...]
    later_changes: tuple[Change, ...] = ()
    """What was changed after sanitizing: for a further attempt (repairs, the note to the model), and in the answer."""

    signatures: Mapping[str, int] = field(default_factory=dict)
    """How many thought signatures were ``restored``, ``carried`` by the client, ``withheld``, ``replaced``."""

    budget: Report | None = None
    """What it comes to in tokens; None where nobody looked."""

    cuts: tuple[Change, ...] = ()
    """What was cut for the budget."""

    ask_usage: bool = True
    """Whether a stream is asked for its usage."""

    names_back: Mapping[str, str] = field(default_factory=dict)
    """The client's name of each tool that goes by another one upstream."""

    parameter_changes: tuple[Change, ...] = ()
    """What was changed beside the history: in the parameters, and in the schemas of the tools."""

    @property
    def changes(self) -> tuple[Change, ...]:
        """The changes made, or in mode ``observe`` those that would have been made."""
        made = self.outcome.changes if self.outcome else ()
        return (*self.request.mended, *made, *self.parameter_changes, *self.cuts, *self.later_changes)


def plan_request(
    request: ChatRequest,
    target: PlanTarget,
    kept: Mapping[str, Kept] = _NOTHING,
    facts: Facts | None = None,
    *,
    count: bool = False,
) -> Plan:
    """Return the plan for sending *request* to *target*; *kept* is what is known of the calls in its history.

    *facts* is what is known of the deployment's budget. Without it no budget is kept. With *count* the tokens are
    counted in any case. Signatures go to their places in every mode, since the client was given ids in their place.
    Raises :class:`UnrepairableHistory` for a history that cannot be made legal, or must not be, and
    :class:`proxy.core.errors.ContextTooLong` for a history that cannot be made to fit.
    """
    deployment, profile, mode = target.deployment, target.profile, target.sanitize.mode
    settled, signatures = settle_signatures(request.messages, deployment, profile, kept, request.outline)
    prepared = None if mode == "off" else _prepared(settled, request, target)
    taken: Prepared | ParameterPlan
    if prepared is not None and mode != "observe":
        messages, taken = prepared.messages, prepared
    else:
        messages = settled
        taken = plan_parameters(request, deployment, target.unsupported, messages, mode)
    names_back: Mapping[str, str] = {}
    origins = None
    if prepared is not None and mode == "repair":
        names_back, origins = prepared.names_back, prepared.outcome.origins
    parameters = taken.parameters
    fitted: Budgeted | None = None
    if facts is not None and mode != "off":
        changed = _changed(settled, messages)
        given = FitInput(
            messages, profile, parameters, origins, request.known_outline, request.body_bytes, changed
        )
        fitted = _fit(given, facts.renamed(names_back) if names_back else facts, mode, count=count)
    if fitted is not None:
        messages, parameters = fitted.messages, fitted.parameters
    messages, signatures[REPLACED] = with_stand_ins(messages, profile)
    return Plan(
        request,
        deployment,
        profile,
        mode,
        messages,
        None if prepared is None else prepared.outcome,
        parameters,
        taken.extra_body,
        taken.dropped,
        signatures=signatures,
        budget=None if fitted is None else fitted.report,
        cuts=() if fitted is None else fitted.changes,
        names_back=names_back,
        parameter_changes=() if prepared is None else (*prepared.fitted, *prepared.declared),
    )


def _fit(given: FitInput, facts: Facts, mode: str, *, count: bool) -> Budgeted | None:
    """Return *given* as *mode* fits it to its budget.

    Only ``repair`` cuts. ``observe`` reports what would be cut, and returns None for a request that cannot be made to
    fit. Raises :class:`ContextTooLong` in the other modes for such a request, and in ``strict`` for one to be cut.
    """
    try:
        fitted = fit_request(given, facts, count=count)
    except ContextTooLong:
        if mode == "observe":
            return None
        raise
    if mode == "repair":
        return fitted
    report, cuts = fitted.report, fitted.changes
    if mode == "observe":
        report = replace(report, sent=report.estimate)
    elif cuts:
        shortened = cuts[-1].detail if not report.removed else ""
        what = f"to ask for less output ({shortened})" if shortened else "to be cut"
        raise ContextTooLong(
            f"The request comes to about {report.estimate} tokens and would have {what} (mode 'strict').",
            param=shortened.partition(" ")[0] or "messages",
        )
    return Budgeted(given.messages, given.parameters, cuts, report)


def _changed(before: Messages, after: Messages) -> Messages:
    """Return the messages of *after* that are none of *before*."""
    if after is before:
        return ()
    same = set(map(id, before))
    return [*compress(after, map(not_, map(same.__contains__, map(id, after))))]


def settle_signatures(
    messages: Messages,
    deployment: Deployment,
    profile: Profile,
    kept: Mapping[str, Kept] = _NOTHING,
    outline: Outline | None = None,
) -> tuple[Messages, defaultdict[str, int]]:
    """Return *messages* with the signatures that *deployment* made, and no others, and how many were what.

    *outline* is one of *messages*, or of others and then of no use.
    """
    if profile.signs_calls:
        return restore_signatures(messages, kept, origin_of(deployment, profile), outline)
    return leave_out_signatures(messages, outline)


def planning_weight(request: ChatRequest, target: PlanTarget) -> int:
    """Return the cost of planning *request* for *target*, as the bytes of a usual body: tools count for more."""
    if not (request.parameters.get("tools") or request.parameters.get("functions")):
        return request.weight
    cleaned_for = target_of(target.deployment, target.profile)
    return max(request.weight, cleaning_weight(request.known_tools, request.body_bytes, cleaned_for))


def _prepared(messages: Messages, request: ChatRequest, target: PlanTarget) -> Prepared | None:
    """Return *request*, whose history is *messages*, as it is or would be sent.

    Returns None where mode ``observe`` cannot prepare it. Raises :class:`InvalidRequest` for what the mode refuses.
    """
    mode = target.sanitize.mode
    try:
        prepared = prepare_request(messages, request, target.deployment, target.profile, target.unsupported)
    except Unrepairable as error:
        if mode == "observe":
            return None
        raise UnrepairableHistory(error.message, param=error.param, rule=error.rule) from None
    except InvalidRequest:
        if mode == "observe":
            return None
        raise
    outcome = prepared.outcome
    if mode == "strict" and outcome.found:
        raise refusal("would have to be changed (mode 'strict')", outcome.found, outcome.changes)
    if mode == "strict" and outcome.changes:
        raise UnrepairableHistory(
            "The names of the request's tools would have to be changed (mode 'strict').",
            param="tools",
            changes=[change.as_dict() for change in outcome.changes[:_LISTED]],
        )
    if mode == "strict" and prepared.declared:
        raise refuse_tools(prepared.declared)
    if mode == "repair" and outcome.violations and target.sanitize.on_violation == "refuse":
        raise refusal("could not be made legal", outcome.violations, outcome.changes)
    return prepared


def refusal(why: str, violations: tuple[Violation, ...], changes: tuple[Change, ...]) -> UnrepairableHistory:
    """Return the 400 that lists what is wrong: message index and rule, with the provider's words for the first."""
    first = violations[0]
    listed = "; ".join(f"messages[{violation.index}]: {violation.rule}" for violation in violations[:20])
    return UnrepairableHistory(
        f"The history {why}. {listed}. The provider would say: {first.words}",
        param=f"messages[{first.index}]",
        rule=first.rule,
        violations=[violation.as_dict() for violation in violations[:_LISTED]],
        changes=[change.as_dict() for change in changes[:_LISTED]],
    )


def split_changes(changes: Iterable[Change]) -> tuple[list[Change], list[Change]]:
    """Return the changes that the mode of sanitizing decides on, and those that are made in every mode."""
    by_mode: list[Change] = []
    in_any: list[Change] = []
    for change in changes:
        (in_any if change.step in MADE_IN_EVERY_MODE else by_mode).append(change)
    return by_mode, in_any


def format_changes(changes: Collection[Change]) -> str:
    """Return changes as the header has them: ``orphan_drop=1,pairing=2``, in the order of the steps."""
    counts: dict[str, int] = {}  # a Counter takes 2 us to be made, and most requests have no change
    if len(changes) > _MANY:
        counts = Counter(map(_STEP, changes))
    else:
        for change in changes:
            counts[change.step] = counts.get(change.step, 0) + 1
    return ",".join(f"{step}={counts[step]}" for step in _STEPS if step in counts) if counts else ""
