"""What the check before the steps has shown of each message, so that the steps look at the damaged ones alone.

Most of a damaged history is legal: a few results are missing among hundreds. The marks let each step pass by what it
would leave alone anyway; they decide nothing, and entries without marks become the same history with the same changes.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import count, repeat

from sanitizers.invariants import Violation
from sanitizers.messages import RESULT_ROLES, SIGNATURE_MARKS, Entries, Entry, Messages, base_id


def mark_entries(messages: Messages, found: Iterable[Violation]) -> Entries:
    """Return *messages* as entries, marked by what was *found* wrong with them under the profile at hand.

    Not ``clean`` are, beside those in *found*, what ``shape`` may write otherwise though no provider refuses it as it
    is (a call without a type, a refusal's words), and results outside whole rounds: what becomes of them depends on the
    message before. A round is whole if nothing is wrong with its messages and nothing outside of whole rounds has one
    of its ids: an orphan may mean a call that has a result already.
    """
    damaged = {violation.index for violation in found}
    clean = [True] * len(messages)
    answered = [0] * len(messages)
    rounds: list[tuple[int, list[str]]] = []
    loose: list[str] = []  # ids outside of whole rounds
    behind = 0  # where the last round ends
    for at, message in enumerate(messages):
        if at < behind:
            continue
        usual = at not in damaged and "refusal" not in message
        if calls := message.get("tool_calls"):
            ids = []
            for call in calls:
                ids.append(call.get("id") or "")
                usual = usual and call.get("type") == "function" and "custom" not in call
            end = at + 1 + len(ids)
            if usual and damaged.isdisjoint(range(at, end)):
                rounds.append((at, ids))
                behind = end
            else:
                loose += ids
                clean[at] = False
        elif message["role"] in RESULT_ROLES:
            loose.append(message.get("tool_call_id") or "")
            clean[at] = False
        elif not usual:
            clean[at] = False
    for at, ids in _apart(rounds, loose):
        answered[at] = len(ids)
    for at, ids in rounds:
        if not answered[at]:
            clean[at : at + 1 + len(ids)] = [False] * (1 + len(ids))
    # Made from tuples: a third of what it costs to call Entry for each.
    fields = zip(messages, count(), clean, answered, strict=False)
    return tuple(map(tuple.__new__, repeat(Entry), fields))


def _apart(rounds: list[tuple[int, list[str]]], loose: list[str]) -> list[tuple[int, list[str]]]:
    """Return those *rounds* that share no id with what is *loose*, nor with a round that does."""
    every_id = "\n".join([*loose, *(call_id for _, ids in rounds for call_id in ids)])
    if any(
        mark in every_id for mark in SIGNATURE_MARKS
    ):  # rare, and base_id() of hundreds costs as much as the rest
        rounds = [(at, list(map(base_id, ids))) for at, ids in rounds]
        rounds = [(at, ids) for at, ids in rounds if len(set(ids)) == len(ids)]
        loose = list(map(base_id, loose))
    taken = set(loose)
    while True:
        apart = [(at, ids) for at, ids in rounds if taken.isdisjoint(ids)]
        if len(apart) == len(rounds):
            return apart
        taken.update(call_id for _, ids in rounds for call_id in ids if not taken.isdisjoint(ids))
        rounds = apart
