"""The pipeline: check, and only where something is wrong run the steps and check again."""

from __future__ import annotations

from collections.abc import Iterator
from operator import attrgetter

from sanitizers.changes import Change
from sanitizers.errors import Unrepairable
from sanitizers.invariants import Violation, find_violations
from sanitizers.marking import mark_entries
from sanitizers.messages import Entries, Entry, Messages, open_places
from sanitizers.outline import Outline
from sanitizers.profiles import Profile
from sanitizers.record import record
from sanitizers.steps import STEP_NAMES, STEPS
from sanitizers.validation import read_history
from sanitizers.work_limit import current_limit

_MESSAGE, _ORIGIN = attrgetter("message"), attrgetter("origin")


@record
class Sanitized:
    """The outcome for one history and one profile.

    *messages* is the input itself when it was legal. *found* is what was wrong with the input, *violations*
    what is still wrong with the output. *origins* are the places of the output's messages in the input, None where
    nothing was changed.
    """

    messages: Messages
    changes: tuple[Change, ...] = ()
    found: tuple[Violation, ...] = ()
    violations: tuple[Violation, ...] = ()
    origins: tuple[int, ...] | None = None


def sanitize(messages: Messages, profile: Profile, outline: Outline | None = None) -> Sanitized:
    """Make *messages* legal for *profile*; with their *outline* they are known to be validated.

    A legal history comes back as the same object: the steps do not even run, so nothing they do can touch it. In a
    damaged one they pass by what the check has shown to be whole (:mod:`sanitizers.marking`).
    Raises :class:`Unrepairable` for what cannot be read or sent (see :mod:`sanitizers.validation` and
    the ``shape`` step), and when nothing is left to send.
    """
    if outline is None:
        outline = read_history(messages)
    found = find_violations(messages, profile, outline=outline)
    if not found:
        return Sanitized(messages)
    repaired = _repair(messages, mark_entries(messages, found, outline), found, profile)
    if repaired.violations:  # then something was passed by that should not have been: nobody has seen it yet
        repaired = _repair(messages, _as_entries(messages), found, profile)
    return repaired


def _repair(messages: Messages, start: Entries, found: tuple[Violation, ...], profile: Profile) -> Sanitized:
    entries, changes = run_steps_on(start, profile)
    if entries is start:
        return Sanitized(messages, (), found, found)
    repaired = [*map(_MESSAGE, entries)]
    violations = find_violations(repaired, profile, places=open_places(entries))
    return Sanitized(repaired, changes, found, violations, tuple(map(_ORIGIN, entries)))


def run_steps(messages: Messages, profile: Profile) -> tuple[Messages, tuple[Change, ...]]:
    """Run every step over validated *messages*; return the history and all changes, in the steps' order.

    *messages* itself comes back when no step changed anything. Raises :class:`Unrepairable` when no message is
    left, since then there is nothing to send.
    """
    start = _as_entries(messages)
    entries, changes = run_steps_on(start, profile)
    return (messages, ()) if entries is start else ([entry.message for entry in entries], changes)


def run_steps_on(entries: Entries, profile: Profile) -> tuple[Entries, tuple[Change, ...]]:
    """Run every step over *entries*, as :func:`run_steps` does, and keep each message's origin.

    *entries* itself comes back when no step changed anything. Raises :class:`Unrepairable` when none is left.
    """
    changes: list[Change] = []
    limit = current_limit()
    for step in STEPS:
        if limit is not None:
            limit.spend(len(entries))
        entries, made = step(entries, profile)
        changes.extend(made)
    if not entries:
        raise Unrepairable(
            "There is nothing to send: every message is empty or is a tool result without its call.",
            rule="nothing_to_send",
            param="messages",
        )
    return entries, tuple(changes)


def walk_steps(messages: Messages, profile: Profile) -> Iterator[tuple[str, Entries, tuple[Change, ...]]]:
    """Yield each step that changes something in validated *messages*: its name, the history behind it, its changes.

    Together they make what :func:`run_steps` makes, for whoever wants to see it being made.
    """
    entries = _as_entries(messages)
    for name, step in zip(STEP_NAMES, STEPS, strict=True):
        entries, made = step(entries, profile)
        if made:
            yield name, entries, made


def _as_entries(messages: Messages) -> Entries:
    return tuple(Entry(message, index) for index, message in enumerate(messages))
