"""Place system messages within a user's turn, for models that take them at its end alone."""

from __future__ import annotations

from collections.abc import Sequence

from sanitizers.changes import Change
from sanitizers.merging import join_contents, join_messages
from sanitizers.messages import SYSTEM_ROLES, Entry
from sanitizers.synthetic import as_reminder


def with_systems_last(turn: Sequence[Entry], changes: list[Change], step: str) -> Sequence[Entry]:
    """Return *turn*, the entries between two messages of the model, with its system messages joined at its end.

    System messages alone become one user message, each as a reminder. The changes, as those of *step*, are added to
    *changes*.
    """
    systems = [entry for entry in turn if entry.message["role"] in SYSTEM_ROLES]
    if not systems:
        return turn
    others = [entry for entry in turn if entry.message["role"] not in SYSTEM_ROLES]
    if not others:
        content = join_contents([as_reminder(entry.message.get("content")) for entry in systems])
        changes += [Change(step, "replaced", entry.origin, "system_after_start") for entry in systems]
        return [Entry({"role": "user", "content": content}, systems[0].origin)]
    moved = sum(entry is not after for entry, after in zip(turn, [*others, *systems], strict=True))
    if moved:
        changes += [Change(step, "moved", entry.origin, "system_misplaced") for entry in systems]
    if len(systems) == 1:
        return [*others, *systems] if moved else turn
    joined, lost = join_messages([entry.message for entry in systems])
    changes += [
        Change(step, "merged", entry.origin, "system_run", ",".join(names))
        for entry, names in zip(systems[1:], lost, strict=True)
    ]
    return [*others, Entry(joined, systems[0].origin)]
