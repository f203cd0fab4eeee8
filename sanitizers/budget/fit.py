"""Fit a legal history into a budget: plan, render, check, and repair what cutting may have broken.

A cut can leave what a provider refuses, and a repair adds tokens. So a cut history is checked by the same rules as any
history, repaired by the same steps, and counted again. If the repair brought it over the hard mark, the original
history is cut once more, with marks lowered by the excess.

This ends. A further round begins only while each result is smaller than the one before, and there are at most
:data:`ROUNDS` rounds. The smallest result is returned, so that a further round never makes it worse.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from sanitizers.budget.ledger import Reason, Size
from sanitizers.budget.marks import NOTHING, CutPolicy, Marks
from sanitizers.budget.parts import Parts, measure_parts
from sanitizers.budget.render import Removed, count_removed, render_plan
from sanitizers.budget.replay import CutPlan, Event, plan_cuts
from sanitizers.budget.units import count_leading_system
from sanitizers.changes import Change
from sanitizers.invariants import find_violations
from sanitizers.messages import Messages
from sanitizers.pipeline import run_steps_on
from sanitizers.profiles import Profile

ROUNDS = 3
"""Rounds of cutting and repairing, at most."""

Verdict = Literal["fits", "over_hard"]
"""``over_hard`` means that even what must be kept is above the hard mark, so that nothing may be sent."""


@dataclass(frozen=True, slots=True)
class Fitted:
    """The outcome for one history.

    *messages* is the input itself when nothing was cut. Tokens are those of the whole request, with system messages and
    tools. *parts* lists the tokens of the request by part when the verdict is ``over_hard``.
    """

    messages: Messages
    tokens_before: int
    tokens_after: int
    changes: tuple[Change, ...] = ()
    events: tuple[Event, ...] = ()
    removed: Mapping[Reason, Removed] = field(default_factory=dict)
    verdict: Verdict = "fits"
    parts: Parts | None = None
    last: int = -1
    """The index of the last message that came in: an event at this index is this request's own."""


class CutInput(NamedTuple):
    """A history that is to be cut: *messages* are legal for *profile*, and *size* counts a message's tokens.

    *origins* are the messages' places in what the client sent, for the changes, where sanitizing moved them.
    """

    messages: Messages
    profile: Profile
    size: Size
    origins: Sequence[int] | None = None


def fit(history: CutInput, marks: Marks, policy: CutPolicy) -> Fitted:
    """Return *history* cut to *marks* as *policy* allows.

    The input is never mutated. Raises :class:`sanitizers.errors.Unrepairable` only for a history that was not
    sanitized before.
    """
    messages = history.messages
    if marks.hard is not None and marks.hard <= 0:
        # System messages and tools alone are over the hard mark: no cut can help, so nothing is cut.
        best = _cut(history, Marks(), NOTHING)
    else:
        best = _cut_until_it_fits(history, marks, policy)
    over = marks.hard is not None and best.turns > marks.hard
    return Fitted(
        best.messages,
        marks.fixed + sum(best.plan.sizes[count_leading_system(messages) :]),
        marks.fixed + best.turns,
        best.changes,
        best.plan.events,
        count_removed(messages, best.plan),
        "over_hard" if over else "fits",
        measure_parts(best.messages, history.size, marks, origins=best.origins) if over else None,
        len(messages) - 1,
    )


@dataclass(frozen=True, slots=True)
class _Cut:
    """The result of one round: what would be sent, and its tokens without the fixed part."""

    messages: Messages
    turns: int
    plan: CutPlan
    changes: tuple[Change, ...]
    origins: Sequence[int] | None


def _cut_until_it_fits(history: CutInput, marks: Marks, policy: CutPolicy) -> _Cut:
    """Return the first of :data:`ROUNDS` results that is not over the hard mark, else the smallest."""
    best = _cut(history, marks, policy)
    limits = marks
    for _ in range(ROUNDS - 1):
        if marks.hard is None or not best.plan.total <= marks.hard < best.turns:
            break  # it fits, or the plan has cut all that may be cut
        limits = limits.lowered(best.turns - marks.hard)
        found = _cut(history, limits, policy)
        if found.turns >= best.turns:
            break
        best = found
    return best


def _cut(history: CutInput, marks: Marks, policy: CutPolicy) -> _Cut:
    """Cut *history* once, repair what that broke, and count what is left."""
    messages, profile, size, origins = history
    plan = plan_cuts(messages, size, marks, policy)
    if not plan.gone and not plan.replaced:
        return _Cut(messages, plan.total, plan, (), origins)
    entries, changes = render_plan(messages, plan, profile, origins=origins)
    sent = [entry.message for entry in entries]
    tokens = dict(zip(map(id, messages), plan.sizes, strict=True))
    made = [at for at, known in enumerate(map(id, sent)) if known not in tokens]
    if find_violations(sent, profile, places=made):
        entries, repairs = run_steps_on(entries, profile)
        changes = (*changes, *repairs)
        sent = [entry.message for entry in entries]
    # The leading system messages are those of `messages`: dropping may let a later system message lead `sent`.
    turns = sum(tokens.get(id(message)) or size(message) for message in sent)
    turns -= sum(plan.sizes[: count_leading_system(messages)])
    return _Cut(sent, turns, plan, changes, [entry.origin for entry in entries])
