"""Turn a plan of cuts into the messages that are sent and the list of changes.

A message that the plan does not change is sent as the same object. Where rounds were dropped, one user message states
how many messages are missing. This notice follows those messages of the dropped rounds that were kept. Where a provider
refuses two user messages in a row, the notice is joined to the user messages next to it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from sanitizers.budget.ledger import Reason
from sanitizers.budget.markers import notice_message, without_notice
from sanitizers.budget.replay import CutPlan
from sanitizers.changes import Change
from sanitizers.merging import merge_runs
from sanitizers.messages import RESULT_ROLES, Entries, Entry, Message, Messages
from sanitizers.profiles import Profile
from sanitizers.work_limit import metered

NAME = "budget"
"""The step's name in the change list, headers and metrics."""


@dataclass(frozen=True, slots=True)
class Removed:
    """The cuts of one history for one reason: messages changed or dropped, results among them, and tokens saved."""

    messages: int = 0
    results: int = 0
    tokens: int = 0


def render_plan(
    messages: Messages, plan: CutPlan, profile: Profile, *, origins: Sequence[int] | None = None
) -> tuple[Entries, tuple[Change, ...]]:
    """Return the messages that are sent under *plan*, and every change, in the order of the messages.

    *origins* are the messages' indexes in the client's list, or None where sanitizing moved nothing. Where messages
    were dropped, neighbours of one role are joined as *profile* needs it. The caller checks all other rules.
    """
    places = range(len(messages)) if origins is None else origins
    entries: list[Entry] = []
    changes: list[Change] = []
    removed = plan.noticed
    inserted_at = 0
    for at, message in enumerate(metered(messages)):
        if at == plan.cut:
            inserted_at = len(entries)
        if (reason := plan.gone.get(at)) is not None:
            changes.append(Change(NAME, "dropped", places[at], reason, message["role"]))
            continue
        replacement = plan.replaced.get(at)
        if replacement is not None:
            detail = message.get("tool_call_id") or message["role"]
            changes.append(Change(NAME, "replaced", places[at], replacement.reason, detail))
            message = replacement.message
        if plan.noticed and at < plan.cut and message["role"] == "user" and at not in plan.pinned:
            message, earlier = without_notice(message)
            if earlier:  # another turnright stands in front: one notice states the sum of the numbers
                removed += earlier
                changes.append(Change(NAME, "replaced", places[at], "round_dropped", "notice"))
        entries.append(Entry(message, places[at]))
    if removed:
        first = min(plan.gone)
        entries.insert(inserted_at, Entry(notice_message(removed), places[first]))
        changes.append(Change(NAME, "inserted", places[first], plan.gone[first], "notice"))
    if not plan.gone:
        return tuple(entries), tuple(changes)
    joined, merged = merge_runs(tuple(entries), profile, NAME)
    return joined, (*changes, *merged)


def count_removed(messages: Messages, plan: CutPlan) -> Mapping[Reason, Removed]:
    """Return the cuts that *plan* made to *messages*, by reason. The result is empty when nothing was cut."""
    sums: dict[Reason, list[int]] = {}
    for at, reason in plan.gone.items():
        _add(sums, reason, messages[at], plan.sizes[at])
    for at, replacement in plan.replaced.items():
        if at not in plan.gone:
            _add(sums, replacement.reason, messages[at], plan.sizes[at] - replacement.tokens)
    return MappingProxyType({reason: Removed(*counts) for reason, counts in sorted(sums.items())})


def _add(sums: dict[Reason, list[int]], reason: Reason, message: Message, tokens: int) -> None:
    counts = sums.setdefault(reason, [0, 0, 0])
    counts[0] += 1
    counts[1] += message["role"] in RESULT_ROLES
    counts[2] += tokens
