"""The pipeline: check a history, run the repair steps only if it breaks a rule, and check the result."""

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

    *messages* is the input itself when it was legal. *found* are the violations of the input, and *violations* are the
    violations of the output. *origins* are the indexes of the output's messages in the input, or None where nothing was
    changed.
    """

    messages: Messages
    changes: tuple[Change, ...] = ()
    found: tuple[Violation, ...] = ()
    violations: tuple[Violation, ...] = ()
    origins: tuple[int, ...] | None = None


def sanitize(messages: Messages, profile: Profile, outline: Outline | None = None) -> Sanitized:
    """Make *messages* legal for *profile*. If their *outline* is given, *messages* must have been validated before.

    A legal history comes back as the same object, and no step runs. In a damaged history, the steps skip the messages
    that the check found intact (:mod:`sanitizers.marking`).

    Raises :class:`Unrepairable` for what cannot be read or sent (see :mod:`sanitizers.validation` and the ``shape``
    step), and when nothing is left to send.
    """
    if outline is None:
        outline = read_history(messages)
    found = find_violations(messages, profile, outline=outline)
    if not found:
        return Sanitized(messages)
    repaired = _repair(messages, mark_entries(messages, found, outline), found, profile)
    if repaired.violations:  # a mark may have hidden a damaged message, so run the steps without marks
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
    """Run every step over validated *messages*, and return the history and all changes, in the steps' order.

    Returns *messages* itself when no step changed anything. Raises :class:`Unrepairable` when no message is left.
    """
    start = _as_entries(messages)
    entries, changes = run_steps_on(start, profile)
    return (messages, ()) if entries is start else ([entry.message for entry in entries], changes)


def run_steps_on(entries: Entries, profile: Profile) -> tuple[Entries, tuple[Change, ...]]:
    """Run every step over *entries*, as :func:`run_steps` does, and keep each message's origin.

    Returns *entries* itself when no step changed anything. Raises :class:`Unrepairable` when no message is left.
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
    """Yield the name, the resulting history and the changes of each step that changes validated *messages*.

    The last history is the result of :func:`run_steps`.
    """
    entries = _as_entries(messages)
    for name, step in zip(STEP_NAMES, STEPS, strict=True):
        entries, made = step(entries, profile)
        if made:
            yield name, entries, made


def _as_entries(messages: Messages) -> Entries:
    return tuple(Entry(message, index) for index, message in enumerate(messages))
