"""The dry run behind ``POST /v1/explain``, ``turnright explain`` and the inspector: a plan that is not sent.

The result holds the whole request as it would be sent. Therefore only the client that asks gets the result, and nothing
of the request is logged. A client's key gets :meth:`DryRun.for_client`, which hides the text of the instructions.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace

from proxy.core.chat_request import ChatRequest
from proxy.core.deployment import Deployment
from proxy.core.errors import ContextTooLong, InvalidRequest
from proxy.core.instructions import Instructions
from proxy.planning.add_instructions import describe_instructions, hide_instructions, placeholder_for
from proxy.planning.budgets.budget_facts import BudgetFacts
from proxy.planning.compact.applied_memory import AppliedMemory
from proxy.planning.guard_turns import guard_chat
from proxy.planning.learned.repair_in_advance import repair_in_advance
from proxy.planning.native_requests import with_items
from proxy.planning.plan import Plan, plan_request, split_changes
from proxy.planning.plan_target import PlanTarget
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
    repairs that are made in advance for the target. *instructions* are the operator's, for the target and the sender.
    """

    request: ChatRequest
    target: PlanTarget
    facts: BudgetFacts
    kept: Mapping[str, StoredSignature] = field(default_factory=dict)
    policy: TurnPolicy | None = None
    max_rounds: int | None = None
    memory: AppliedMemory | None = None
    learned: tuple[LearnedRepair, ...] = ()
    instructions: Instructions | None = None


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
        if self.shown is not None:
            made = self.shown.changes
        elif self.instructions is not None:  # the history cannot be repaired, and the mode sends it as it is
            made = (*self.request.mended, describe_instructions(self.instructions))
        else:
            made = self.request.mended
        return (*made, *(self.guarded.changes if self.guarded is not None else ()))

    @property
    def read_changes(self) -> tuple[Change, ...]:
        """The first ones of :attr:`changes`: those that the request's reading made."""
        return self.request.mended if self.shown is None else self.shown.read_changes

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
    def instructions(self) -> Instructions | None:
        """The operator's instructions before the history, or None where there are none, or no plan could be made."""
        plan = self.sent or self.shown
        return None if plan is None else plan.instructions

    def for_client(self) -> DryRun:
        """Return this dry run for a reader without the master key: a placeholder stands for the instructions' text.

        The same plan stays the same object in each of its places.
        """
        plans = {id(plan): _without_text(plan) for plan in (self.repaired, self.shown, self.sent)}
        repaired, shown, sent = (plans[id(plan)] for plan in (self.repaired, self.shown, self.sent))
        return replace(self, repaired=repaired, shown=shown, sent=sent)

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
            made = plan_request(
                request,
                target,
                given.kept,
                facts,
                memory=given.memory,
                instructions=given.instructions,
                count=True,
            )
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


def _without_text(plan: Plan | None) -> Plan | None:
    """Return *plan* with a placeholder for the text of its instructions, in each history that it holds."""
    if plan is None or plan.instructions is None:
        return plan
    instructions, advance, budget = plan.instructions, plan.advance, plan.budget
    if advance is not None:
        plain = _without_text(advance.plain)
        assert plain is not None
        advance = replace(advance, plain=plain)
    if budget is not None and budget.fitted is not None:
        fitted = budget.fitted
        fitted = replace(fitted, messages=hide_instructions(fitted.messages, instructions))
        budget = replace(budget, fitted=fitted)
    messages = hide_instructions(plan.messages, instructions)
    items = with_items(plan.request, plan.deployment, messages, plan.parameters, plan.mode)
    return replace(
        plan,
        request=items.request,
        messages=messages,
        instructions=placeholder_for(instructions),
        budget=budget,
        advance=advance,
    )
