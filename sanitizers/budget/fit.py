"""Fit a legal history into a budget: plan, render, check, and repair what cutting may have broken.

A cut can leave a history that a provider refuses, and a repair can add tokens. So a cut history is checked by the same
rules as any history, repaired by the same steps, and counted again. If the repair raises the tokens above the hard mark
(the limit for sending), the original history is cut again. The high mark is then lowered by the excess.

There are at most :data:`ROUNDS` rounds. No further round follows a result that is not smaller than the one before. The
smallest result is returned, so that a further round never makes the outcome worse.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from sanitizers.budget.ledger import Reason, Size
from sanitizers.budget.marks import CUT_NOTHING, CutPolicy, Marks
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
"""``over_hard`` means that the request is above the hard mark after all allowed cuts, and must not be sent."""


@dataclass(frozen=True, slots=True)
class Fitted:
    """The outcome of :func:`fit` for one history.

    *messages* is the input itself when nothing was cut. *tokens_before* and *tokens_after* count the whole request,
    with system messages and tools. *parts* lists the tokens of the request by part when the verdict is ``over_hard``.
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
    """The index of the last input message.

    An event at this index is a cut that this request caused. Events at other indexes are older cuts.
    """


class CutInput(NamedTuple):
    """A history that is to be cut: *messages* are legal for *profile*, and *size* counts a message's tokens.

    *origins* are the messages' indexes in the client's list, which the changes state. None means that sanitizing moved
    nothing. *pinned* are objects in *messages* that no cut may drop or shorten. They are found by identity, so that no
    text that a client writes is pinned.
    """

    messages: Messages
    profile: Profile
    size: Size
    origins: Sequence[int] | None = None
    pinned: Messages = ()


def fit(history: CutInput, marks: Marks, policy: CutPolicy) -> Fitted:
    """Return *history* cut to *marks* as *policy* allows.

    The input is never mutated. Raises :class:`sanitizers.errors.Unrepairable` only for a history that was not
    sanitized before.
    """
    messages = history.messages
    if marks.hard is not None and marks.hard <= 0:
        # System messages and tools alone are over the hard mark: no cut can help, so nothing is cut.
        best = _cut(history, Marks(), CUT_NOTHING)
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
    """The result of one round: what would be sent.

    *turns* counts its tokens without the leading system messages and tools.
    """

    messages: Messages
    turns: int
    plan: CutPlan
    changes: tuple[Change, ...]
    origins: Sequence[int] | None


def _cut_until_it_fits(history: CutInput, marks: Marks, policy: CutPolicy) -> _Cut:
    """Return the first of :data:`ROUNDS` results that is not over the hard mark, or else the smallest result."""
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
    """Cut *history* once, repair what the cut broke, and count the tokens that are left."""
    messages, profile, size, origins, pinned = history
    plan = plan_cuts(messages, size, marks, policy, pinned)
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
