"""Finds the history after each step that changes something, in the order of the steps.

A plan holds only the result of all steps. This module runs the same functions step by step, so that each result can be
shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from proxy.core.errors import InvalidRequest
from proxy.core.instructions import Instructions
from proxy.inspector.align_messages import Positioned, align_entries, align_messages, with_positions
from proxy.planning.add_instructions import STEP as INSTRUCTIONS
from proxy.planning.add_instructions import add_instructions, describe_instructions
from proxy.planning.compact.applied_memory import STEP as COMPACTION
from proxy.planning.compact.applied_memory import AppliedMemory
from proxy.planning.compact.client_indexes import changes_for_client
from proxy.planning.dry_run import DryRun
from proxy.planning.native_requests import changes_of_body
from proxy.planning.plan import REPAIR, Plan, restore_or_remove_signatures
from proxy.planning.prepare_request import prepare_request, profile_for_request
from proxy.planning.signatures.stand_ins import with_stand_ins
from proxy.planning.texts_beside_calls import with_texts_beside_calls
from proxy.upstream.dialects import STEP as PARAMETERS
from sanitizers import Change, Message, Messages, Profile, Unrepairable
from sanitizers.pipeline import walk_steps
from sanitizers.tool_names import rename_tools

SIGNATURES = "signatures"
"""The name under which changes of signatures are shown. These changes are counted apart from the steps."""


class Stage(NamedTuple):
    """A step that changed something, and the history after it."""

    step: str
    changes: Sequence[Change]
    history: Positioned


def find_stages(came: Messages, run: DryRun) -> Iterator[Stage]:
    """Yield each step's result for *came*, the history of the request in *run*.

    Where a history or a parameter is refused, the steps before the refusal are yielded.
    """
    request, plan = run.request, run.shown
    history = with_positions(came)
    mended = request.mended
    if mended and plan is not None:
        mended = changes_of_body(plan.request, plan.deployment, plan.messages, plan.parameters)
    for step in dict.fromkeys(change.step for change in mended):
        yield Stage(step, [change for change in mended if change.step == step], history)
    if run.guarded is not None and run.guarded.changes:
        history = align_messages(history, request.messages)
        yield Stage("turns", run.guarded.changes, history)
    messages, memory = request.messages, run.memory
    if memory is not None:
        messages, history = memory.apply_to(messages), _compacted(history, memory)
        yield Stage(COMPACTION, (memory.change,), history)

    def indexed(changes: Sequence[Change]) -> Sequence[Change]:
        return changes if memory is None else changes_for_client(changes, memory)

    settled, _ = restore_or_remove_signatures(messages, run.deployment, run.profile, run.kept)
    profile = profile_for_request(run.profile, request, run.deployment)
    history, changes = _placed(history, settled, SIGNATURES, "signature_settled")
    if changes:
        yield Stage(SIGNATURES, changes, history)
    renamed = rename_tools(settled, request.parameters, profile.tool_names)
    if renamed.changes:
        history = align_messages(history, renamed.messages)
        yield Stage("tools", indexed(renamed.changes), history)
    base = history
    try:
        if plan is None or run.found:
            for step, entries, made in walk_steps(renamed.messages, profile):
                history = align_entries(base, entries, history)
                yield Stage(step, indexed(made), history)
        prepared = prepare_request(settled, request, run.deployment, run.profile, run.target.unsupported)
    except (InvalidRequest, Unrepairable):
        if run.instructions is not None:  # the mode sends the history as it is
            yield _instructed(history, run.instructions, run.profile)
        return
    history = align_messages(history, prepared.messages)
    if prepared.fitted:
        yield Stage(PARAMETERS, prepared.fitted, history)
    if prepared.declared:
        yield Stage("tools", prepared.declared, history)
    if plan is not None:
        yield from _find_last_stages(plan, history, run.profile)


def _find_last_stages(plan: Plan, history: Positioned, profile: Profile) -> Iterator[Stage]:
    """Yield the result of each step behind sanitizing. *history* is the sanitized history of *plan*."""
    if plan.instructions is not None:
        stage = _instructed(history, plan.instructions, profile)
        yield stage
        history = stage.history
    signed, _ = with_stand_ins([message for _, message in history], profile)
    history, changes = _placed(history, signed, SIGNATURES, "signature_stand_in")
    if changes:
        yield Stage(SIGNATURES, changes, history)
    written = with_texts_beside_calls(signed, profile, plan.mode)
    history, changes = _placed(history, written, "dialect", "null_beside_calls")
    if changes:
        yield Stage("dialect", changes, history)
    plain = plan if plan.advance is None else plan.advance.plain
    if plan.cuts:
        history = align_messages(history, plain.messages)
        yield Stage("budget", plan.cuts, history)
    if plan is not plain:
        yield Stage(REPAIR, _repairs(plan, history), align_messages(history, plan.messages))


def _instructed(history: Positioned, instructions: Instructions, profile: Profile) -> Stage:
    """Return the step that puts *instructions* before *history*."""
    messages = add_instructions([message for _, message in history], instructions, profile).messages
    return Stage(INSTRUCTIONS, (describe_instructions(instructions),), align_messages(history, messages))


def _repairs(plan: Plan, history: Positioned) -> Sequence[Change]:
    """Return the changes of the learned repairs in *plan*, with the positions in the client's history.

    The plan has the positions in *history*, which is sent without them. A message that is not the client's has the
    position of the next one that is.
    """
    places = [*(at for at, _ in history), None]

    def position(index: int) -> int:
        return next((at for at in places[index:] if at is not None), index)

    return [replace(change, index=position(change.index)) for change in plan.later_changes]


def _compacted(history: Positioned, memory: AppliedMemory) -> Positioned:
    """Return *history* with *memory*, which is a new message and has no original position."""
    pinned = [history[at] for at in memory.pinned]
    return [*history[: memory.start], (None, memory.message), *pinned, *history[memory.end :]]


def _placed(
    history: Positioned, messages: Messages, step: str, reason: str
) -> tuple[Positioned, list[Change]]:
    """Return *history* with *messages* at its positions, and a change of *step* for each message that differs.

    A list of another length is aligned with *history*, without changes.
    """
    if len(history) != len(messages):
        return align_messages(history, messages), []
    placed: list[tuple[int | None, Message]] = []
    changes: list[Change] = []
    for (at, before), after in zip(history, messages, strict=True):
        same = before is after or before == after
        placed.append((at, before if same else after))
        if not same:
            changes.append(Change(step, "replaced", at if at is not None else 0, reason))
    return placed, changes
