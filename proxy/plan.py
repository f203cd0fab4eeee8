"""What is going to be sent, decided before anything is: deployment, profile, history, parameters. Pure.

The four modes differ here and nowhere else:

    repair   the history is made legal; one that cannot be is refused (or sent, by ``on_violation``)
    observe  the history is sent as it is; what would have been changed is reported
    strict   a history that would have to be changed is refused, with the list
    off      nothing is looked at but what any request must be
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from proxy.budgets.fit_request import Facts, fit_request
from proxy.budgets.report import Report
from proxy.config import Deployment, Settings, model_names, resolve
from proxy.errors import ContextTooLong, ModelNotFound, UnrepairableHistory
from proxy.signatures.kept import Kept
from proxy.signatures.origins import origin_of
from proxy.signatures.restoring import leave_out_signatures, restore_signatures
from proxy.signatures.stand_ins import with_stand_ins
from proxy.wire import ChatRequest
from sanitizers import (
    Change,
    Messages,
    Profile,
    Sanitized,
    Unrepairable,
    Violation,
    find_violations,
    profile_for,
    sanitize,
)
from sanitizers.steps import STEP_NAMES
from sanitizers.tool_names import RenamedTools, rename_tools

REPLACED = "replaced"
"""What a signature is counted as that is required, lost, and stood in for."""

_NOTHING: Mapping[str, Kept] = MappingProxyType({})

_LISTED = 100
"""Entries of a list in an error's body, at most: the history may break a rule in every message."""

_FURTHER_STEPS = ("tools", "budget", "repair", "note", "answer_repair")
"""What may be changed behind the pipeline: :mod:`proxy.budgets`, :mod:`proxy.resilience.repairs`,
:mod:`proxy.corrections`, :mod:`proxy.tool_arguments`."""

Unsupported = Callable[[Deployment, Mapping[str, Any]], frozenset[str]]
"""Tells which parameters a deployment's provider does not take (:meth:`proxy.upstream.Upstream.unsupported`)."""


@dataclass(frozen=True, slots=True)
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
    further: tuple[Change, ...] = ()
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

    @property
    def changes(self) -> tuple[Change, ...]:
        """The changes made, or in mode ``observe`` those that would have been made."""
        made = self.outcome.changes if self.outcome else ()
        return (*made, *self.cuts, *self.further)


def plan_request(
    request: ChatRequest,
    settings: Settings,
    unsupported: Unsupported,
    deployment: Deployment,
    kept: Mapping[str, Kept] = _NOTHING,
    facts: Facts | None = None,
) -> Plan:
    """Return the plan for sending *request* to *deployment*; *kept* is what is known of the calls in its history.

    *facts* is what is known of the deployment's budget; without it none is kept. Signatures go to their places in every
    mode: the client was given ids instead of them. Raises :class:`UnrepairableHistory` for a history that cannot be
    made legal for it, or must not be, and :class:`proxy.errors.ContextTooLong` for one that cannot be made to fit.
    """
    profile = profile_of(deployment, settings)
    mode = settings.sanitize.mode
    outcome = None
    names_back: Mapping[str, str] = {}
    messages, signatures = settle_signatures(request.messages, deployment, profile, kept)
    parameters, extra_body, dropped = split_parameters(request, deployment, unsupported)
    if mode != "off" and (legal := _make_legal(messages, parameters, profile, settings)) is not None:
        outcome, renamed = legal
        if mode == "repair":
            messages, parameters, names_back = outcome.messages, renamed.parameters, renamed.back
    budget: Report | None = None
    cuts: tuple[Change, ...] = ()
    if facts is not None and mode != "off":
        origins = outcome.origins if outcome is not None and mode == "repair" else None
        fitted = None
        try:
            fitted = fit_request(messages, profile, parameters, facts.renamed(names_back), origins=origins)
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
        outcome,
        parameters,
        extra_body,
        dropped,
        signatures=signatures,
        budget=budget,
        cuts=cuts,
        names_back=names_back,
    )


def settle_signatures(
    messages: Messages, deployment: Deployment, profile: Profile, kept: Mapping[str, Kept] = _NOTHING
) -> tuple[Messages, Counter[str]]:
    """Return *messages* with the signatures that *deployment* made, and no others, and how many were what."""
    if profile.signs_calls:
        return restore_signatures(messages, kept, origin_of(deployment, profile))
    return leave_out_signatures(messages)


def choose_pool(model: str, settings: Settings) -> tuple[Deployment, ...]:
    """Return the deployments that answer for *model*; raises :class:`ModelNotFound` with the names that exist."""
    pool = resolve(settings, model)
    if pool:
        return pool
    names = ", ".join(model_names(settings))
    raise ModelNotFound(
        f"The model '{model[:200]}' is not configured. Configured models: {names}.", param="model"
    )


def profile_of(deployment: Deployment, settings: Settings) -> Profile:
    """Return the deployment's profile under the settings."""
    profile = profile_for(deployment.model)
    return profile.merging() if settings.sanitize.merge_same_role else profile


def make_legal(
    messages: Messages, parameters: Mapping[str, Any], profile: Profile
) -> tuple[Sanitized, RenamedTools]:
    """Return *messages* made legal for *profile*, with the tools of the whole request renamed before.

    What was wrong and what was changed is told of *messages* as they came, and of the *parameters* beside them. Raises
    :class:`Unrepairable` as :func:`sanitize` does.
    """
    renamed = rename_tools(messages, parameters, profile.tool_names)
    outcome = sanitize(renamed.messages, profile)
    if renamed.changes:
        found = outcome.found if renamed.messages is messages else find_violations(messages, profile)
        outcome = replace(outcome, found=found, changes=(*renamed.changes, *outcome.changes))
    return outcome, renamed


def _make_legal(
    messages: Messages, parameters: Mapping[str, Any], profile: Profile, settings: Settings
) -> tuple[Sanitized, RenamedTools] | None:
    mode = settings.sanitize.mode
    try:
        outcome, renamed = make_legal(messages, parameters, profile)
    except Unrepairable as error:
        if mode == "observe":
            return None
        raise UnrepairableHistory(error.message, param=error.param) from None
    if mode == "strict" and outcome.found:
        raise refusal("would have to be changed (mode 'strict')", outcome.found, outcome.changes)
    if mode == "strict" and outcome.changes:
        raise UnrepairableHistory(
            "The names of the request's tools would have to be changed (mode 'strict').",
            param="tools",
            changes=[change.as_dict() for change in outcome.changes[:_LISTED]],
        )
    if mode == "repair" and outcome.violations and settings.sanitize.on_violation == "refuse":
        raise refusal("could not be made legal", outcome.violations, outcome.changes)
    return outcome, renamed


def refusal(why: str, violations: tuple[Violation, ...], changes: tuple[Change, ...]) -> UnrepairableHistory:
    """Return the 400 that lists what is wrong: message index and rule, with the provider's words for the first."""
    first = violations[0]
    listed = "; ".join(f"messages[{violation.index}]: {violation.rule}" for violation in violations[:20])
    return UnrepairableHistory(
        f"The history {why}. {listed}. The provider would say: {first.words}",
        param=f"messages[{first.index}]",
        violations=[violation.as_dict() for violation in violations[:_LISTED]],
        changes=[change.as_dict() for change in changes[:_LISTED]],
    )


def split_parameters(
    request: ChatRequest, deployment: Deployment, unsupported: Unsupported
) -> tuple[Mapping[str, Any], Mapping[str, Any], tuple[str, ...]]:
    """Return the parameters that go upstream, those that go into its body by name, and the names that do not go."""
    allowed = deployment.allowed_openai_params
    extra_body = {name: value for name, value in request.unknown.items() if name in allowed}
    withheld = unsupported(deployment, request.parameters)
    dropped = (*(name for name in request.unknown if name not in allowed), *sorted(withheld))
    parameters = request.parameters
    if withheld:
        kept = {name: value for name, value in parameters.items() if name not in withheld}
        parameters = MappingProxyType(kept)
    return parameters, MappingProxyType(extra_body), dropped


def split_changes(changes: Iterable[Change]) -> tuple[list[Change], list[Change]]:
    """Return the changes of the history, and those of the answer, which are made in every mode."""
    history: list[Change] = []
    answer: list[Change] = []
    for change in changes:
        (answer if change.step == "answer_repair" else history).append(change)
    return history, answer


def format_changes(changes: Iterable[Change]) -> str:
    """Return changes as the header has them: ``orphan_drop=1,pairing=2``, in the order of the steps."""
    counts = dict.fromkeys((*STEP_NAMES, *_FURTHER_STEPS), 0)
    for change in changes:
        counts[change.step] += 1
    return ",".join(f"{step}={count}" for step, count in counts.items() if count)
