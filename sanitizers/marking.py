"""What the check before the steps has shown of each message, so that the steps look at the damaged ones alone.

Most of a damaged history is legal: a few results are missing among hundreds. The marks let each step pass by what it
would leave alone anyway; they decide nothing, and entries without marks become the same history with the same changes.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain, compress, count, repeat
from operator import not_

from sanitizers.invariants import Violation
from sanitizers.messages import (
    RESULT_ROLES,
    SIGNATURE_MARKS,
    Entries,
    Entry,
    MarkedEntries,
    Messages,
    base_id,
)
from sanitizers.outline import Outline


def mark_entries(messages: Messages, found: Iterable[Violation], outline: Outline | None = None) -> Entries:
    """Return *messages* as entries, marked by what was *found* wrong with them under the profile at hand.

    Not ``clean`` are, beside those in *found*, what ``shape`` may write otherwise though no provider refuses it as it
    is (a call without a type, a refusal's words), and results outside whole rounds: what becomes of them depends on the
    message before. A round is whole if nothing is wrong with its messages and nothing outside of whole rounds has one
    of its ids: an orphan may mean a call that has a result already.

    With the *outline* of *messages* only what is wrong or odd is read, and the results around it.
    """
    broken = {violation.index for violation in found}
    read = None
    if outline is not None and outline.describes(messages) and not outline.marked:
        read = _read_some(messages, broken, outline)
    clean = _read_all(messages, broken) if read is None else read
    # Made from tuples: a third of what it costs to call Entry for each.
    marked = MarkedEntries(map(tuple.__new__, repeat(Entry), zip(messages, count(), clean, strict=False)))
    marked.open = [*compress(count(), map(not_, clean))]
    return marked


def _read_all(messages: Messages, broken: set[int]) -> list[bool]:
    """Tell of each message whether it is clean."""
    clean, rounds, unpaired, _ = _read_rounds(messages, range(len(messages)), broken)
    for at, number in _sharing_ids(rounds, unpaired).items():
        clean[at : at + 1 + number] = [False] * (1 + number)
    return clean


def _read_some(messages: Messages, broken: set[int], outline: Outline) -> list[bool] | None:
    """Tell the same from the turns in which something is broken or odd, None where that does not suffice.

    All others are plain texts, or calls each with its one result behind it. It does not suffice where an id outside of
    whole rounds is one of theirs, or has a signature.
    """
    places = _whole_turns(messages, sorted(broken.union(outline.odd)))
    clean, rounds, unpaired, unpaired_calls = _read_rounds(messages, places, broken)
    shared = set(unpaired)
    if any(mark in call_id for mark in SIGNATURE_MARKS for call_id in shared) or _sharing_ids(
        rounds, unpaired
    ):
        return None
    odd = frozenset(outline.odd)
    read = sum(number for at, number in unpaired_calls if at not in odd)
    return clean if sum(map(shared.__contains__, outline.call_ids)) == read else None


def _whole_turns(messages: Messages, places: list[int]) -> list[int]:
    """Return *places*, which are sorted, with the results around them and the message before those."""
    whole: list[int] = []
    behind = 0  # where the last turn ends
    for at in places:
        if at < behind:
            continue
        start, end = at, at + 1
        while start > behind and messages[start]["role"] == "tool":
            start -= 1
        while end < len(messages) and messages[end]["role"] == "tool":
            end += 1
        whole += range(start, end)
        behind = end
    return whole


def _read_rounds(
    messages: Messages, places: Iterable[int], broken: set[int]
) -> tuple[list[bool], list[tuple[int, list[str]]], list[str], list[tuple[int, int]]]:
    """Return what is clean by what stands at *places*, the whole rounds there, and the ids outside of those.

    Rounds are told as their places and ids; last come the places of the calls outside of them, with their number.
    """
    clean = [True] * len(messages)
    for at in broken:
        clean[at] = False
    rounds: list[tuple[int, list[str]]] = []
    unpaired: list[str] = []
    unpaired_calls: list[tuple[int, int]] = []
    behind = 0  # where the last round ends
    for at in places:
        if at < behind:
            continue
        message = messages[at]
        if message["role"] in RESULT_ROLES:  # also one that holds calls of its own, which nobody reads
            unpaired.append(message.get("tool_call_id") or "")
            clean[at] = False
        elif calls := message.get("tool_calls"):
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
                unpaired += ids
                unpaired_calls.append((at, len(ids)))
                clean[at] = False
        elif "refusal" in message:
            clean[at] = False
    return clean, rounds, unpaired, unpaired_calls


def _sharing_ids(rounds: list[tuple[int, list[str]]], unpaired: list[str]) -> dict[int, int]:
    """Map the places of *rounds* that share an id with what is *unpaired*, or with such a round, to their lengths.

    Ids are told apart by their base, as pairing does; base_id() of hundreds would cost as much as all else here.
    """
    shared = set(unpaired)
    every_id = "\n".join([*unpaired, *chain.from_iterable(ids for _, ids in rounds)])
    if any(mark in every_id for mark in SIGNATURE_MARKS):
        rounds = [(at, list(map(base_id, ids))) for at, ids in rounds]
        shared = set(map(base_id, unpaired)).union(*(ids for _, ids in rounds if len(set(ids)) < len(ids)))
    sharing: dict[int, int] = {}
    if all(shared.isdisjoint(ids) for _, ids in rounds):
        return sharing
    holders: dict[str, list[tuple[int, list[str]]]] = {}
    for held in rounds:
        for call_id in held[1]:
            holders.setdefault(call_id, []).append(held)
    waiting = list(shared)  # a chain of rounds, each with an id of the next, is walked once
    while waiting:
        for at, ids in holders.pop(waiting.pop(), ()):
            if at not in sharing:
                sharing[at] = len(ids)
                waiting += ids
    return sharing
