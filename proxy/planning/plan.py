"""What is going to be sent, decided before anything is: deployment, profile, history, parameters. Pure.

The four modes differ here and nowhere else:

    repair   the history is made legal; one that cannot be is refused (or sent, by ``on_violation``)
    observe  the history is sent as it is; what would have been changed is reported
    strict   a history that would have to be changed is refused, with the list
    off      nothing is looked at but what any request must be
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import field, replace
from itertools import compress
from operator import attrgetter, not_
from types import MappingProxyType
from typing import Any

from proxy.config import Settings
from proxy.core.chat_request import ChatRequest
from proxy.core.deployment import Deployment
from proxy.core.errors import ContextTooLong, InvalidRequest, UnrepairableHistory
from proxy.planning.budgets.fit_request import Facts, fit_request
from proxy.planning.budgets.report import Report
from proxy.planning.clean_tools import cleaning_weight, refuse_tools, target_of
from proxy.planning.plan_parameters import ParameterPlan, Unsupported, plan_parameters
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
    profile_for,
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
    settings: Settings,
    unsupported: Unsupported,
    deployment: Deployment,
    kept: Mapping[str, Kept] = _NOTHING,
    facts: Facts | None = None,
    *,
    count: bool = False,
) -> Plan:
    """Return the plan for sending *request* to *deployment*; *kept* is what is known of the calls in its history.

    *facts* is what is known of the deployment's budget; without it none is kept, and with *count* it is counted in any
    case. Signatures go to their places in every mode: the client was given ids instead of them. Raises
    :class:`UnrepairableHistory` for a history that cannot be made legal for it, or must not be, and
    :class:`proxy.core.errors.ContextTooLong` for one that cannot be made to fit.
    """
    profile = profile_of(deployment, settings)
    mode = settings.sanitize.mode
    settled, signatures = settle_signatures(request.messages, deployment, profile, kept, request.outline)
    messages = settled
    prepared = (
        None if mode == "off" else _prepared(messages, request, deployment, profile, unsupported, settings)
    )
    taken: Prepared | ParameterPlan
    if prepared is not None and mode != "observe":
        messages, taken = prepared.messages, prepared
    else:
        taken = plan_parameters(request, request.parameters, deployment, unsupported, messages, mode)
    parameters = taken.parameters
    names_back: Mapping[str, str] = {}
    origins = None
    if prepared is not None and mode == "repair":
        names_back, origins = prepared.names_back, prepared.outcome.origins
    budget: Report | None = None
    cuts: tuple[Change, ...] = ()
    if facts is not None and mode != "off":
        fitted = None
        try:
            fitted = fit_request(
                messages,
                profile,
                parameters,
                facts.renamed(names_back) if names_back else facts,
                origins=origins,
                count=count,
                outline=request.known_outline,
                most_bytes=request.body_bytes,
                changed=_changed(settled, messages),
            )
        except ContextTooLong:
            if mode != "observe":
                raise
        if fitted is not None:
            budget, cuts = fitted.report, fitted.changes
        if fitted is not None and mode == "repair":
            messages, parameters = fitted.messages, fitted.parameters
        elif budget is not None and mode == "observe":
            budget = replace(budget, sent=budget.estimate)
        elif budget is not None and cuts:
            shortened = cuts[-1].detail if not budget.removed else ""
            what = f"to ask for less output ({shortened})" if shortened else "to be cut"
            raise ContextTooLong(
                f"The request comes to about {budget.estimate} tokens and would have {what} (mode 'strict').",
                param=shortened.partition(" ")[0] or "messages",
            )
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
        budget=budget,
        cuts=cuts,
        names_back=names_back,
        parameter_changes=() if prepared is None else (*prepared.fitted, *prepared.declared),
    )


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


def profile_of(deployment: Deployment, settings: Settings) -> Profile:
    """Return the deployment's profile under the settings."""
    profile = profile_for(deployment.model, deployment.profile)
    return profile.merging() if settings.sanitize.merge_same_role else profile


def planning_weight(request: ChatRequest, deployment: Deployment, settings: Settings) -> int:
    """Return what it takes to plan *request* for *deployment*, as the bytes of a usual body: tools count for more."""
    if not (request.parameters.get("tools") or request.parameters.get("functions")):
        return request.weight
    target = target_of(deployment, profile_of(deployment, settings))
    return max(request.weight, cleaning_weight(request.known_tools, request.body_bytes, target))


def _prepared(
    messages: Messages,
    request: ChatRequest,
    deployment: Deployment,
    profile: Profile,
    unsupported: Unsupported,
    settings: Settings,
) -> Prepared | None:
    """Return the request as it is, or would be, sent; None where ``observe`` has nothing to say of it."""
    mode = settings.sanitize.mode
    try:
        prepared = prepare_request(messages, request, deployment, profile, unsupported)
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
    if mode == "repair" and outcome.violations and settings.sanitize.on_violation == "refuse":
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
