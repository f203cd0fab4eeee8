"""Plans one attempt before anything is sent: history, parameters, tools and budget for one deployment.

The mode of sanitizing decides about a history:

    repair   makes the history legal, and refuses one that cannot be made legal (or sends it, by ``on_violation``)
    observe  sends the history as it is, and reports the changes that it would need
    strict   refuses a history that would have to be changed, with the list of changes
    off      sends the history as it is, without checks for the model and without a token budget
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import field, replace
from functools import partial
from itertools import compress
from operator import attrgetter, not_
from types import MappingProxyType
from typing import Any

from proxy.core.chat_request import ChatRequest
from proxy.core.deployment import Deployment
from proxy.core.errors import InvalidRequest
from proxy.core.instructions import Instructions
from proxy.core.source import GEMINI_NATIVE
from proxy.planning.add_instructions import STEP as INSTRUCTIONS
from proxy.planning.add_instructions import Instructed, add_instructions, describe_instructions
from proxy.planning.apply_defaults import with_defaults
from proxy.planning.budgets.budget_facts import BudgetFacts
from proxy.planning.budgets.fit_by_mode import fit_by_mode
from proxy.planning.budgets.fit_request import FitInput, FittedRequest
from proxy.planning.budgets.report import Report
from proxy.planning.claude_fields import without_claude_fields
from proxy.planning.clean_tools import cleaning_weight, target_of
from proxy.planning.compact.applied_memory import STEP as COMPACTION
from proxy.planning.compact.applied_memory import AppliedMemory
from proxy.planning.compact.client_indexes import (
    changes_for_client,
    compacted_request,
    find_pinned,
    report_for_client,
    sanitized_for_client,
)
from proxy.planning.native_formats import spoken_format
from proxy.planning.native_requests import (
    ITEM_REPAIR,
    changes_of_body,
    fields_left_out,
    sends_items,
    with_items,
)
from proxy.planning.plan_parameters import ParameterPlan, parameters_as_given, plan_parameters
from proxy.planning.plan_target import PlanTarget, target_for_request
from proxy.planning.prepare_request import Prepared, prepare_by_mode
from proxy.planning.provider_needs import find_lost, find_unable, sends_partial_history
from proxy.planning.signatures.origins import origin_of
from proxy.planning.signatures.restoring import WITHHELD, remove_signatures, restore_signatures
from proxy.planning.signatures.stand_ins import with_stand_ins
from proxy.planning.signatures.thoughts import leave_out_thoughts, restore_thoughts
from proxy.planning.texts_beside_calls import with_texts_beside_calls
from proxy.state.kept_signatures import StoredSignature
from proxy.state.repairs.repair_key import LearnedRepair
from proxy.upstream.dialects import STEP as PARAMETERS
from proxy.upstream.dialects import may_ask_with_tools
from sanitizers import Change, Messages, Profile, Sanitized
from sanitizers.outline import Outline
from sanitizers.record import record
from sanitizers.steps import STEP_NAMES

REPLACED = "replaced"
"""The key in :attr:`Plan.signatures` for required signatures that were lost, and that stand-ins replaced."""

_COUNTER_FROM = 1_000
"""Above this number of changes, a Counter is faster than a loop.

A history may have 100,000 changes, and counting blocks the event loop.
"""

_STEP = attrgetter("step")

_NO_SIGNATURES: Mapping[str, StoredSignature] = MappingProxyType({})

REPAIR = "repair"
"""The step's name of repairs, in advance or after a refusal."""

SESSION = "session"
"""The step's name for turns of a stored conversation that are left out."""

ITEMS = "items"
"""The step's name for items and tools of a Responses request that a chat cannot have."""

_FURTHER_STEPS = ("tools", PARAMETERS, "budget", ITEM_REPAIR, REPAIR, "note", "turns", "answer_repair")
"""Steps after the pipeline: :mod:`proxy.upstream.dialects`, :mod:`proxy.planning.budgets`,
:mod:`proxy.planning.repairs`, :mod:`proxy.planning.corrective_note`, :mod:`sanitizers.turns`,
:mod:`proxy.answers.tool_calls`."""

_STEPS = tuple(
    dict.fromkeys((INSTRUCTIONS, SESSION, ITEMS, COMPACTION, *STEP_NAMES, *_FURTHER_STEPS))
)  # "tools" may be a step of both

LEARNED = ";learned"
"""Follows the count of repairs in the header's summary where some of them were made in advance."""

MADE_IN_EVERY_MODE = (INSTRUCTIONS, SESSION, ITEMS, "turns", "answer_repair")
"""Steps that make their changes in every mode of sanitizing."""


@record
class Advance:
    """The learned repairs of one plan.

    *made* were made before the request is sent. *withheld* would have changed the request, but a probe or the setting
    ``learn: observe`` left them out. *plain* is the plan without any learned repair.
    """

    made: tuple[LearnedRepair, ...]
    withheld: tuple[LearnedRepair, ...]
    plain: Plan


@record
class Plan:
    """One request, ready to be sent.

    *messages* is the history that goes upstream. *outcome* is the result of sanitizing. *outcome* is None in mode
    ``off``, and where mode ``observe`` could not sanitize. *dropped* names the parameters that do not go upstream.
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
    """Changes that :func:`plan_request` does not make: fetched media, the turn guard's, and a retry's note and repairs.
    """

    signatures: Mapping[str, int] = field(default_factory=dict)
    """Counts of thought signatures: ``restored``, ``carried`` by the client, ``withheld``, ``replaced``."""

    budget: Report | None = None
    """The request's tokens. None where they were not estimated."""

    cuts: tuple[Change, ...] = ()
    """The cuts that the budget required."""

    ask_usage: bool = True
    """True where the proxy asks the provider for a stream's usage."""

    client_tool_names: Mapping[str, str] = field(default_factory=dict)
    """The client's name of each renamed tool, by the name that goes upstream."""

    parameter_changes: tuple[Change, ...] = ()
    """Changes outside the history: in the parameters, and in the schemas of the tools."""

    memory: AppliedMemory | None = None
    """The memory in the history. *request* has the client's whole history."""

    instructions: Instructions | None = None
    """The operator's instructions in the history."""

    advance: Advance | None = None
    """The repairs that were made in advance, or withheld. None where no learned repair concerns the request."""

    item_changes: tuple[Change, ...] = ()
    """The changes that items alone needed, for a request that goes out with the items of its client."""

    @property
    def is_repaired_in_advance(self) -> bool:
        """True where a learned repair was made before the request is sent."""
        return self.advance is not None and bool(self.advance.made)

    @property
    def changes(self) -> tuple[Change, ...]:
        """The changes made, or in mode ``observe`` those that would have been made."""
        made = self.outcome.changes if self.outcome else ()
        if self.memory is not None:
            made = (self.memory.change, *made)
        if self.instructions is not None:
            made = (describe_instructions(self.instructions), *made)
        mended = self.request.mended
        if mended:
            mended = self.read_changes
        later = self.later_changes
        if self.item_changes:
            later = (*self.item_changes, *later)
        return (*mended, *made, *self.parameter_changes, *self.cuts, *later)

    @property
    def read_changes(self) -> tuple[Change, ...]:
        """The changes that the request's reading made, without those that only a chat needs."""
        return changes_of_body(self.request, self.deployment, self.messages, self.parameters)


def plan_request(
    request: ChatRequest,
    target: PlanTarget,
    kept: Mapping[str, StoredSignature] = _NO_SIGNATURES,
    facts: BudgetFacts | None = None,
    *,
    memory: AppliedMemory | None = None,
    instructions: Instructions | None = None,
    count: bool = False,
) -> Plan:
    """Return the plan for sending *request* to *target*.

    *kept* holds the signatures that are stored for the calls of the history. *facts* is what is known of the
    deployment's budget. Without facts no budget is enforced. With *count* the tokens are always counted.

    In mode ``repair``, *memory* stands in place of older messages. A history that is refused with the memory is planned
    as the client sent it. The indexes in a plan are always those of the client's messages. In every mode,
    *instructions* stand before the history.

    A request of another format is planned by the rules for that format where the provider speaks it. Where the plan
    changes a tool, the request is planned once more, as a chat.

    Signatures are restored in every mode, since a client may hold only ids for them. Raises
    :class:`UnrepairableHistory` for a history that cannot be made legal, or must not be changed. Raises
    :class:`proxy.core.errors.ContextTooLong` for a history that cannot be made to fit. Raises
    :class:`proxy.core.errors.InvalidRequest` for a parameter or a tool that can neither be sent nor left out, and for a
    need that the deployment cannot serve (:mod:`proxy.planning.provider_needs`). Where the provider holds a part of the
    history, the rest is sent as in mode ``off``.
    """
    if may_ask_with_tools(target.deployment):
        target = target_for_request(target, request)
    deployment, profile, mode = target.deployment, target.profile, target.sanitize.mode
    if request.needs:
        if (refusal := find_unable(request, deployment)) is not None:
            raise refusal
        if sends_partial_history(request):
            mode = "off"
    is_native = request.source is not None and request.source.native is not None
    spoken = spoken_format(request, deployment) if is_native else None
    is_of_items = spoken is not None
    if spoken is not None and not (profile.items or profile.blocks or profile.contents):
        by_items = replace(target, profile=spoken.profile_of(profile))
        made = plan_request(
            request, by_items, kept, facts, memory=memory, instructions=instructions, count=count
        )
        if sends_items(made.request, deployment, made.messages, made.parameters):
            return made
    if memory is not None and mode == "repair":
        plan = partial(
            plan_request, target=target, kept=kept, facts=facts, instructions=instructions, count=count
        )
        if (planned := _plan_with_memory(request, memory, plan)) is not None:
            return planned
    request = with_defaults(request, deployment)
    if (
        request.source is not None
        and request.source.native is not None
        and not (profile.blocks or profile.contents)
    ):
        request = without_claude_fields(request, profile)
    settled, signatures = restore_or_remove_signatures(
        request.messages, deployment, profile, kept, request.outline
    )
    if target.thoughts is not None and profile.keeps_thoughts:
        are_ours = request.source is not None and request.source.format == GEMINI_NATIVE
        origin = origin_of(deployment, profile)
        settled, thoughts = restore_thoughts(settled, target.thoughts, origin, are_ours=are_ours)
        for outcome, number in thoughts.items():
            signatures[outcome] += number
    prepared = None if mode == "off" else prepare_by_mode(settled, request, target)
    taken: Prepared | ParameterPlan
    if prepared is not None and mode != "observe":
        messages, taken = prepared.messages, prepared
    else:
        messages = settled
        if profile.blocks or profile.contents:
            taken = parameters_as_given(request, deployment, mode)
        else:
            taken = plan_parameters(request, deployment, target.unsupported, messages, mode)
    repaired = prepared if mode == "repair" else None
    client_tool_names = {} if repaired is None else repaired.client_tool_names
    origins: Sequence[int] | None = None if repaired is None else repaired.outcome.origins
    parameters = taken.parameters
    pinned = find_pinned(request, repaired.outcome, messages) if request.pinned and repaired else ()
    instructed: Instructed | None = None
    if instructions is not None:
        instructed = add_instructions(messages, instructions, profile)
        messages, pinned = instructed.messages, (*pinned, instructed.holder)
        origins = instructed.origins(origins)
    fitted: FittedRequest | None = None
    if facts is not None and mode != "off":
        changed = _changed_messages(settled, messages)
        facts = facts.renamed(client_tool_names) if client_tool_names else facts
        outline, most_bytes = request.known_outline, request.body_bytes
        given = FitInput(messages, profile, parameters, origins, outline, most_bytes, changed, pinned)
        fitted = fit_by_mode(given, facts, mode, count=count)
    if fitted is not None:
        messages, parameters = fitted.messages, fitted.parameters
    report = None if fitted is None else fitted.report
    if instructed is not None and report is not None:
        report = instructed.client_report(report)
    messages, signatures[REPLACED] = with_stand_ins(messages, profile)
    if not profile.null_content:
        messages = with_texts_beside_calls(messages, profile, mode)
    item_changes: tuple[Change, ...] = ()
    if is_of_items:
        items = with_items(request, deployment, messages, parameters, mode)
        request, item_changes = items.request, items.changes
    dropped = taken.dropped
    if dropped:
        dropped = fields_left_out(dropped, request, deployment, messages, parameters)
    made = Plan(
        request,
        deployment,
        profile,
        mode,
        messages,
        None if prepared is None else prepared.outcome,
        parameters,
        taken.extra_body,
        dropped,
        signatures=signatures,
        budget=report,
        cuts=() if fitted is None else fitted.changes,
        client_tool_names=client_tool_names,
        parameter_changes=() if prepared is None else (*prepared.fitted, *prepared.declared),
        instructions=instructions,
        item_changes=item_changes,
    )
    if request.needs and (refusal := find_lost(made)) is not None:
        raise refusal
    return made


def _plan_with_memory(
    request: ChatRequest, memory: AppliedMemory, plan: Callable[[ChatRequest], Plan]
) -> Plan | None:
    """Return the plan of *request* with *memory*, or None where such a request would be refused.

    *plan* returns the plan of a request. The result has the client's request, and indexes of the client's messages.
    """
    try:
        made = plan(compacted_request(request, memory))
    except InvalidRequest:
        return None
    sanitized, budget = made.outcome, made.budget
    assert sanitized is not None  # mode "repair" always sanitizes
    sanitized = sanitized_for_client(sanitized, memory)
    return replace(
        made,
        request=replace(made.request, messages=request.messages, outline=request.outline, pinned=()),
        outcome=sanitized,
        cuts=changes_for_client(made.cuts, memory),
        budget=None if budget is None else report_for_client(budget, memory, sanitized),
        memory=memory,
    )


def _changed_messages(before: Messages, after: Messages) -> Messages:
    """Return the messages of *after* that are not in *before*, by identity."""
    if after is before:
        return ()
    same = set(map(id, before))
    return [*compress(after, map(not_, map(same.__contains__, map(id, after))))]


def restore_or_remove_signatures(
    messages: Messages,
    deployment: Deployment,
    profile: Profile,
    kept: Mapping[str, StoredSignature] = _NO_SIGNATURES,
    outline: Outline | None = None,
) -> tuple[Messages, defaultdict[str, int]]:
    """Return *messages* with only the signatures that *deployment* made or may have made, and counts by outcome.

    *outline* is the parser's summary of a history. The summary is ignored where it describes other messages.
    """
    if profile.signs_calls:
        return restore_signatures(messages, kept, origin_of(deployment, profile), outline)
    bare, counts = remove_signatures(messages, outline)
    if not profile.keeps_thoughts and (outline is None or outline.odd or bare is not messages):
        bare, left_out = leave_out_thoughts(bare, outline)
        if left_out:
            counts[WITHHELD] += left_out
    return bare, counts


def planning_weight(request: ChatRequest, target: PlanTarget) -> int:
    """Return the cost of planning *request* for *target*, in bytes of a usual body.

    One byte of a tool's schema costs as much as 256 bytes of history. Schemas that were cleaned before cost
    nothing.
    """
    if not (request.parameters.get("tools") or request.parameters.get("functions")):
        return request.weight
    cleaned_for = target_of(target.deployment, target.profile)
    return max(request.weight, cleaning_weight(request.known_tools, request.body_bytes, cleaned_for))


def split_changes(changes: Iterable[Change]) -> tuple[list[Change], list[Change]]:
    """Return the changes that the mode of sanitizing decides about, and those that every mode makes."""
    by_mode: list[Change] = []
    in_any: list[Change] = []
    for change in changes:
        (in_any if change.step in MADE_IN_EVERY_MODE else by_mode).append(change)
    return by_mode, in_any


def format_changes(changes: Collection[Change], *, learned: bool = False) -> str:
    """Return the header's summary of *changes*: ``orphan_drop=1,pairing=2``, in the order of the steps.

    With *learned*, a mark tells that some repairs were made in advance: ``repair=1;learned``.
    """
    counts: dict[str, int] = {}  # making a Counter takes 2 us, and most requests have no change
    if len(changes) > _COUNTER_FROM:
        counts = Counter(map(_STEP, changes))
    else:
        for change in changes:
            counts[change.step] = counts.get(change.step, 0) + 1
    if learned and REPAIR in counts:
        marks = {REPAIR: LEARNED}
        return ",".join(f"{step}={counts[step]}{marks.get(step, '')}" for step in _STEPS if step in counts)
    return ",".join(f"{step}={counts[step]}" for step in _STEPS if step in counts) if counts else ""
