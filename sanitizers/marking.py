"""Mark the messages that the checker found intact, so that the repair steps read only the damaged messages.

Most of a damaged history is legal: a few results are missing among hundreds. A step skips an entry that is marked
``clean``, because the step would not change that entry anyway. Without marks, the steps make the same history and the
same changes, but read every entry.
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
    """Return *messages* as entries, each marked as clean or not by the violations *found* in them.

    An entry is not ``clean`` where a violation was found. An entry that the step ``shape`` may rewrite is not clean
    either: a refusal, or a call whose type is not ``function``. Results outside whole rounds (see below) are not clean
    either. Whether a step keeps such a result depends on other messages.

    A round is a message with calls, and the results after it. A round is whole if it has no violation, and shares no
    call id with messages outside whole rounds. An orphaned result with a round's id would be a second result of a call
    in that round.

    With an *outline*, the function reads only messages with violations, those in ``outline.odd``, and the results
    around them.
    """
    broken = {violation.index for violation in found}
    read = None
    if outline is not None and outline.describes(messages) and not outline.marked:
        read = _read_some(messages, broken, outline)
    clean = _read_all(messages, broken) if read is None else read
    # Entries are made from tuples, at a third of the cost of a call for each.
    marked = MarkedEntries(map(tuple.__new__, repeat(Entry), zip(messages, count(), clean, strict=False)))
    marked.open = [*compress(count(), map(not_, clean))]
    return marked


def _read_all(messages: Messages, broken: set[int]) -> list[bool]:
    """Return for each message whether it is clean."""
    clean, rounds, unpaired, _ = _read_rounds(messages, range(len(messages)), broken)
    for at, number in _sharing_ids(rounds, unpaired).items():
        clean[at : at + 1 + number] = [False] * (1 + number)
    return clean


def _read_some(messages: Messages, broken: set[int], outline: Outline) -> list[bool] | None:
    """Return the same as :func:`_read_all`, but read only damaged turns and those in ``outline.odd``.

    Return None where these turns do not suffice.

    All other turns are plain texts, or calls with one result each directly after them. The turns do not suffice where
    an id outside whole rounds carries a signature, or occurs in any other turn.
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
    """Return the sorted *places*, the results around each place, and the message before these results."""
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
    """Return whether each message is clean, the rounds without damage, and the ids and calls outside those rounds.

    A round is given as the index of its message with calls, and its call ids. A message with calls outside those rounds
    is given as its index and its number of calls.
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
    """Return the rounds that share an id with *unpaired*, directly or through other rounds.

    The result maps a round's index to its number of calls.

    Ids are compared without their signatures, as pairing compares them. Calling ``base_id()`` for hundreds of ids would
    cost as much as all else here. So ``base_id()`` is called only where a signature was seen.
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
