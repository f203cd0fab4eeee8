"""Insert notes for the model into the history, each after the result that caused it.

Each note is computed again in every request, from the history alone. So a note has the same position in all later
requests, and the provider's prompt cache keeps hitting.
"""

from __future__ import annotations

from collections.abc import Sequence

from sanitizers.changes import Change
from sanitizers.messages import Messages
from sanitizers.turns.find_loop import find_beginnings
from sanitizers.turns.gate_calls import STEP
from sanitizers.turns.notices import delegation_note, error_hint, loop_note, warning_note, with_notices
from sanitizers.turns.policy import TurnPolicy
from sanitizers.turns.rounds import Round, split_turns
from sanitizers.turns.tool_errors import find_failures

_Notes = dict[int, list[tuple[str, str]]]
"""The reason and text of each note, by the index of the result that it follows."""


def place_notes(
    messages: Messages, policy: TurnPolicy, *, multi_agent: bool
) -> tuple[Messages, list[Change]]:
    """Return *messages* with all notes that the limits call for, and a change for each.

    Returns *messages* itself without notes.

    *multi_agent* says that the request declares tools that delegate. The note of index ``i`` depends on
    ``messages[:i + 1]``, on the policy and on *multi_agent* alone.
    """
    if policy.changes_nothing:
        return messages, []
    notes: _Notes = {}
    for rounds in split_turns(messages):
        _note_counts(rounds, policy, notes, multi_agent=multi_agent)
        if policy.mode == "enforce" and policy.max_repeats:
            _note_loops(rounds, policy.max_repeats, notes)
        if policy.hint_after_errors:
            for failure in find_failures(rounds, policy.hint_after_errors):
                hint = error_hint(failure.name, failure.times, failure.quote)
                notes.setdefault(failure.result.place, []).append(("tool_error_hint", hint))
    if not notes:
        return messages, []
    changes = []
    noted = list(messages)
    for index in sorted(notes):
        for reason, words in notes[index]:
            before = noted[index]
            noted[index] = with_notices(before, [words])
            if noted[index] is not before:
                changes.append(Change(STEP, "inserted", index, reason))
    return (noted, changes) if changes else (messages, [])


def _note_counts(rounds: Sequence[Round], policy: TurnPolicy, notes: _Notes, *, multi_agent: bool) -> None:
    """Add the note for the first round that gets the warning, and for the round that used up the delegations."""
    working = delegations = 0
    warned = False
    for one in rounds:
        works, delegates = policy.counts_as(one.names)
        working += works
        delegations += delegates
        limit = policy.limit(multi_agent=multi_agent or delegations > 0)
        warning_from = policy.warning_from(limit)
        if policy.tell_model and not warned and warning_from and warning_from <= working < limit:
            warned = True
            _add(notes, one, "warning_note", warning_note(working, limit))
        if (
            policy.mode == "enforce"
            and delegates
            and policy.max_delegation_rounds
            and delegations == policy.max_delegation_rounds
        ):
            _add(notes, one, "delegation_note", delegation_note(delegations))


def _note_loops(rounds: Sequence[Round], repeats: int, notes: _Notes) -> None:
    for at, loop in find_beginnings(rounds, repeats):
        _add(notes, rounds[at], "loop_note", loop_note(loop.period, loop.times))


def _add(notes: _Notes, one: Round, reason: str, words: str) -> None:
    """Add a note after the last result of a round. A round without results gets no note in this request."""
    if one.results:
        notes.setdefault(one.results[-1].place, []).append((reason, words))
