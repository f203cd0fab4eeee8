"""What the check before the steps has shown of each message, so that the steps look at the damaged ones alone.

Most of a damaged history is legal: a few results are missing among hundreds. The marks let each step pass by what it
would leave alone anyway; they decide nothing, and entries without marks become the same history with the same changes.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain, count, repeat

from sanitizers.invariants import Violation
from sanitizers.messages import RESULT_ROLES, SIGNATURE_MARKS, Entries, Entry, Messages, base_id


def mark_entries(messages: Messages, found: Iterable[Violation]) -> Entries:
    """Return *messages* as entries, marked by what was *found* wrong with them under the profile at hand.

    Not ``clean`` are, beside those in *found*, what ``shape`` may write otherwise though no provider refuses it as it
    is (a call without a type, a refusal's words), and results outside whole rounds: what becomes of them depends on the
    message before. A round is whole if nothing is wrong with its messages and nothing outside of whole rounds has one
    of its ids: an orphan may mean a call that has a result already.
    """
    clean = [True] * len(messages)
    for violation in found:
        clean[violation.index] = False
    rounds: list[tuple[int, list[str]]] = []
    loose: list[str] = []  # ids outside of whole rounds
    behind = 0  # where the last round ends
    for at, message in enumerate(messages):
        if at < behind:
            continue
        if calls := message.get("tool_calls"):
            usual = "refusal" not in message
            ids = []
            for call in calls:
                ids.append(call.get("id") or "")
                if call.get("type") != "function" or "custom" in call:
                    usual = False
            end = at + 1 + len(ids)
            if usual and all(clean[at:end]):
                rounds.append((at, ids))
                behind = end
            else:
                loose += ids
                clean[at] = False
        elif message["role"] in RESULT_ROLES:
            loose.append(message.get("tool_call_id") or "")
            clean[at] = False
        elif "refusal" in message:
            clean[at] = False
    for at, number in _entangled(rounds, loose).items():
        clean[at : at + 1 + number] = [False] * (1 + number)
    # Made from tuples: a third of what it costs to call Entry for each.
    return tuple(map(tuple.__new__, repeat(Entry), zip(messages, count(), clean, strict=False)))


def _entangled(rounds: list[tuple[int, list[str]]], loose: list[str]) -> dict[int, int]:
    """Map the places of those *rounds* that share an id with what is *loose*, or with a round that does, to the length.

    Ids are told apart by their base, as pairing does; base_id() of hundreds would cost as much as all else here.
    """
    shared = set(loose)
    every_id = "\n".join([*loose, *chain.from_iterable(ids for _, ids in rounds)])
    if any(mark in every_id for mark in SIGNATURE_MARKS):
        rounds = [(at, list(map(base_id, ids))) for at, ids in rounds]
        shared = set(map(base_id, loose)).union(*(ids for _, ids in rounds if len(set(ids)) < len(ids)))
    entangled: dict[int, int] = {}
    if all(shared.isdisjoint(ids) for _, ids in rounds):
        return entangled
    holders: dict[str, list[tuple[int, list[str]]]] = {}
    for held in rounds:
        for call_id in held[1]:
            holders.setdefault(call_id, []).append(held)
    waiting = list(shared)  # a chain of rounds, each with an id of the next, is walked once
    while waiting:
        for at, ids in holders.pop(waiting.pop(), ()):
            if at not in entangled:
                entangled[at] = len(ids)
                waiting += ids
    return entangled
