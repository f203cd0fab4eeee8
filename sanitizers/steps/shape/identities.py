"""Which result answers which call: ids present, unambiguous, and the same on both sides.

Three walks. The first pairs by id, each result with the nearest call before it that carries the id; of calls
that share an id within one turn the first unanswered one. The second pairs what is left inside one block of
results, by name and then by place. The third gives new ids where there are none, or where two open calls share
one, and writes each call's id into its results.

Ids that are used again by a later turn, after their result, are legal and stay as they are: a walk tells them
apart (autogen, g55 of the public reports: one flat map gives the wrong function's name).
"""

from __future__ import annotations

import base64
import binascii
from collections import defaultdict
from dataclasses import dataclass, field

from sanitizers.changes import Change
from sanitizers.messages import SYSTEM_ROLES, Entries, Entry, base_id, function_of, tool_calls_of
from sanitizers.profiles import Profile
from sanitizers.steps.shape.notes import NAME
from sanitizers.synthetic import derive_id


@dataclass(slots=True)
class _Call:
    """One call in its place: *run* counts the turns, so that equal runs are one turn."""

    at: int
    number: int
    run: int
    id: str
    name: str
    results: list[int] = field(default_factory=list)


def settle_identities(entries: Entries, profile: Profile) -> tuple[Entries, tuple[Change, ...]]:
    """Return the history with every call identified; *entries* itself when it was so already."""
    calls, unmatched = _pair_by_id(entries)
    _pair_by_place(entries, calls, unmatched)
    return _write_ids(entries, calls, profile)


def _pair_by_id(entries: Entries) -> tuple[list[_Call], list[int]]:
    calls: list[_Call] = []
    by_key: dict[str, list[_Call]] = defaultdict(list)
    unmatched: list[int] = []
    run = 0
    for at, (message, _) in enumerate(entries):
        role = message["role"]
        if role == "assistant":
            for number, raw in enumerate(tool_calls_of(message)):
                name = function_of(raw).get("name") or ""
                call = _Call(at, number, run, raw.get("id") or "", name)
                calls.append(call)
                if call.id:
                    by_key[base_id(call.id)].append(call)
        elif role == "tool":
            candidates = by_key.get(base_id(message.get("tool_call_id") or ""))
            if not candidates:
                unmatched.append(at)
                continue
            turn = [call for call in candidates if call.run == candidates[-1].run]
            next((call for call in turn if not call.results), turn[-1]).results.append(at)
            run += 1
        elif role == "user" or role in SYSTEM_ROLES:
            run += 1
    return calls, unmatched


def _pair_by_place(entries: Entries, calls: list[_Call], unmatched: list[int]) -> None:
    """Pair results without a usable id inside the block directly behind their turn.

    By name first. Then by place: a result with an unknown id only when there are as many such results as open
    calls, since otherwise nobody can tell which call it answers, and a swapped result is a wrong answer that
    no error shows; a result with no id at all in order, since its order is all that it says.
    """
    unmatched_set = set(unmatched)
    calls_of: dict[int, list[_Call]] = defaultdict(list)
    for call in calls:
        calls_of[call.at].append(call)
    done = -1
    for first in unmatched:
        if first <= done:
            continue  # its block was seen to with an earlier result
        start = end = first
        while start and entries[start - 1].message["role"] == "tool":
            start -= 1
        while end + 1 < len(entries) and entries[end + 1].message["role"] == "tool":
            end += 1
        done = end
        turn_start = start
        while turn_start and entries[turn_start - 1].message["role"] == "assistant":
            turn_start -= 1
        turn = [call for at in range(turn_start, start) for call in calls_of.get(at, ())]
        block = [at for at in range(start, end + 1) if at in unmatched_set]
        _pair_block(entries, block, [call for call in turn if not call.results])


def _pair_block(entries: Entries, block: list[int], open_calls: list[_Call]) -> None:
    nameless = []
    for at in block:
        name = entries[at].message.get("name")
        call = next((call for call in open_calls if call.name == name), None)
        if call is not None:
            call.results.append(at)
            open_calls.remove(call)
        elif not name:
            nameless.append(at)
    without_id = all(not entries[at].message.get("tool_call_id") for at in nameless)
    if len(nameless) == len(open_calls) or (without_id and len(nameless) < len(open_calls)):
        for at, call in zip(nameless, open_calls, strict=False):
            call.results.append(at)


def _write_ids(entries: Entries, calls: list[_Call], profile: Profile) -> tuple[Entries, tuple[Change, ...]]:
    taken = {call.id for call in calls}
    earlier: dict[str, _Call] = {}
    new_ids: dict[tuple[int, int], str] = {}
    result_ids: dict[int, str] = {}
    changes: list[Change] = []
    for call in calls:
        reason = _why_not(call, earlier.get(call.id), profile)
        if reason:
            original = call.id
            call.id = derive_id(entries[call.at].origin, call.number, original, taken)
            taken.add(call.id)
            new_ids[call.at, call.number] = call.id
            changes.append(Change(NAME, "replaced", entries[call.at].origin, reason, call.id))
        earlier[call.id] = call
        for at in call.results:
            if entries[at].message.get("tool_call_id") != call.id:
                result_ids[at] = call.id
                changes.append(Change(NAME, "replaced", entries[at].origin, "result_id", call.id))
    if not changes:
        return entries, ()
    renamed_at = {at for at, _ in new_ids}
    written = []
    for at, entry in enumerate(entries):
        message = entry.message
        if at in result_ids:
            entry = Entry({**message, "tool_call_id": result_ids[at]}, entry.origin)
        elif at in renamed_at:
            renamed = [
                {**raw, "id": new_ids[at, number]} if (at, number) in new_ids else raw
                for number, raw in enumerate(tool_calls_of(message))
            ]
            entry = Entry({**message, "tool_calls": renamed}, entry.origin)
        written.append(entry)
    return tuple(written), tuple(sorted(changes, key=lambda change: change.index))


def _why_not(call: _Call, same: _Call | None, profile: Profile) -> str | None:
    """Return why a call cannot keep its id, or None. *same* is the last call before it with that id."""
    if not call.id:
        return "call_id_missing"
    if profile.max_call_id_length is not None and len(call.id) > profile.max_call_id_length:
        return "call_id_too_long"
    if not profile.custom_calls and not _signature_readable(call.id):
        return "signature_unreadable"
    if same is not None and (not same.results or min(same.results) > call.at or same.run == call.run):
        return "call_id_repeated"
    return None


def _signature_readable(call_id: str) -> bool:
    """Tell whether an id's ``__thought__`` suffix, if it has one, decodes: litellm sends it on as it is."""
    _, mark, signature = call_id.partition("__thought__")
    if not mark:
        return True
    try:
        return bool(base64.b64decode(signature.replace("-", "+").replace("_", "/"), validate=True))
    except (binascii.Error, ValueError):
        return False
