"""Match results with calls, so that ids are present, unambiguous and equal on both sides.

There are three walks. The first pairs by id: each result goes to the nearest turn before it that carries the id. Where
calls of one turn share an id, the result goes to the call that it names, else to the first unanswered one. Further
results of an id supersede the first. They do so even where an earlier turn's call of that id is open, since the client
meant the later call.

The second walk pairs the remaining results by name and by place. The third gives new ids to calls without one, or where
two open calls share one. It writes each call's id into its results.

A later turn may use an id again after the id's result. That is legal, and such ids stay: one flat map of ids would find
the wrong call (autogen).
"""

from __future__ import annotations

import base64
import binascii
import string
from collections import defaultdict, deque
from collections.abc import Iterator
from dataclasses import dataclass, field

from sanitizers.changes import Change
from sanitizers.messages import SYSTEM_ROLES, Entries, Entry, base_id, function_of, open_places, tool_calls_of
from sanitizers.profiles import Profile
from sanitizers.steps.shape.notes import NAME
from sanitizers.synthetic import DerivedIds


@dataclass(slots=True)
class _Call:
    """One call in its place. *run* is the number of its turn."""

    at: int
    number: int
    run: int
    id: str
    name: str
    results: list[int] = field(default_factory=list)


class _OpenCalls:
    """Calls of one turn that wait for a result, found by their function's name or in order."""

    def __init__(self, *calls: _Call) -> None:
        self.calls: list[_Call] = []
        self._next = 0
        self._named: dict[str, deque[_Call]] = defaultdict(deque)
        for call in calls:
            self.add(call)

    @property
    def run(self) -> int:
        """The number of the turn that the newest call belongs to."""
        return self.calls[-1].run

    def add(self, call: _Call) -> None:
        self.calls.append(call)
        self._named[call.name].append(call)

    def take(self, name: str | None) -> _Call | None:
        """Return the first open call of the function *name*, or None."""
        waiting = self._named.get(name or "")
        while waiting and waiting[0].results:
            waiting.popleft()
        return waiting[0] if waiting else None

    def first(self) -> _Call | None:
        """Return the first open call, or None."""
        while self._next < len(self.calls) and self.calls[self._next].results:
            self._next += 1
        return self.calls[self._next] if self._next < len(self.calls) else None


def settle_identities(entries: Entries, profile: Profile) -> tuple[Entries, tuple[Change, ...]]:
    """Return the history with every call identified, or *entries* itself when every call was."""
    calls, unmatched = _pair_by_id(entries)
    if unmatched:
        _pair_by_place(entries, calls, unmatched)
    return _write_ids(entries, calls, profile)


def _pair_by_id(entries: Entries) -> tuple[list[_Call], list[int]]:
    calls: list[_Call] = []
    latest: dict[str, _Call | _OpenCalls] = {}  # what the latest turn calls by an id: nearly always one call
    unmatched: list[int] = []
    run = 0
    behind = 0
    for at in open_places(entries):
        while behind < at:  # whole rounds and texts: the first or the second is no assistant's
            if entries[behind].message["role"] != "assistant":
                run += 1
                break
            behind += 1
        behind = at + 1
        message = entries[at].message
        role = message["role"]
        if role == "assistant":
            for number, raw in enumerate(tool_calls_of(message)):
                call = _Call(at, number, run, raw.get("id") or "", function_of(raw).get("name") or "")
                calls.append(call)
                if call.id:
                    key = base_id(call.id)
                    held = latest.get(key)
                    if held is None or held.run != run:
                        latest[key] = call
                    elif isinstance(held, _Call):
                        latest[key] = _OpenCalls(held, call)
                    else:
                        held.add(call)
        elif role == "tool":
            held = latest.get(base_id(message.get("tool_call_id") or ""))
            if held is None:
                unmatched.append(at)
                continue
            if not isinstance(held, _Call):
                held = held.take(message.get("name")) or held.first() or held.calls[-1]
            held.results.append(at)
            run += 1
        elif role == "user" or role in SYSTEM_ROLES:
            run += 1
    return calls, unmatched


def _pair_by_place(entries: Entries, calls: list[_Call], unmatched: list[int]) -> None:
    """Pair results without a usable id with the calls of the turn before their block, then late results by name.

    Results pair by name first, then by place. A result with an unknown id is paired by place only when there are as
    many such results as open calls. Otherwise the pairing would be a guess, and a swapped result is a wrong answer
    without an error. Results without any id pair in order, which is all that they tell.

    A late result with a name and without an id answers the only open call of that name before it.
    """
    waiting = set(unmatched)
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
        turn = _OpenCalls()
        for at in range(turn_start, start):
            for call in calls_of.get(at, ()):
                if not call.results:
                    turn.add(call)
        if not turn.calls:
            continue  # most orphans stand behind a turn that has its results
        _pair_block(entries, [at for at in range(start, end + 1) if at in waiting], turn)
    _pair_late_by_name(entries, calls, unmatched)


def _pair_block(entries: Entries, block: list[int], turn: _OpenCalls) -> None:
    nameless = []
    for at in block:
        name = entries[at].message.get("name")
        call = turn.take(name) if name else None
        if call is not None:
            call.results.append(at)
        elif not name:
            nameless.append(at)
    still_open = [call for call in turn.calls if not call.results]
    without_id = all(not entries[at].message.get("tool_call_id") for at in nameless)
    if len(nameless) == len(still_open) or (without_id and len(nameless) < len(still_open)):
        for at, call in zip(nameless, still_open, strict=False):
            call.results.append(at)


def _pair_late_by_name(entries: Entries, calls: list[_Call], unmatched: list[int]) -> None:
    answered = {at for call in calls for at in call.results}
    named: dict[str, list[_Call]] = defaultdict(list)
    for call in calls:
        if not call.results:
            named[call.name].append(call)
    for at in unmatched:
        message = entries[at].message
        name = message.get("name")
        if at in answered or not name or message.get("tool_call_id"):
            continue
        open_calls = named.get(name, [])
        if len(open_calls) == 1 and open_calls[0].at < at and not open_calls[0].results:
            open_calls[0].results.append(at)


def _write_ids(entries: Entries, calls: list[_Call], profile: Profile) -> tuple[Entries, tuple[Change, ...]]:
    identity = base_id if profile.signs_calls else str
    derived: DerivedIds | None = None
    earlier: dict[str, _Call] = {}
    new_ids: dict[tuple[int, int], str] = {}
    result_ids: dict[int, str] = {}
    changes: list[Change] = []
    for call in calls:
        reason = _why_not(call, earlier.get(identity(call.id)), profile)
        if reason:
            original = call.id
            if derived is None:
                taken = {identity(i) for i in _ids_in(entries)}
                derived = DerivedIds(taken, nine=profile.call_id_form == "nine")
            # An id with a wrong form is replaced by a digest of itself, not of its place. So the new id stays the
            # same when a client cuts the front of the history.
            misspelled = reason in ("call_id_illegal", "call_id_too_long")
            place = (0, 0) if misspelled else (entries[call.at].origin, call.number)
            call.id = derived.derive(*place, original)
            new_ids[call.at, call.number] = call.id
            changes.append(Change(NAME, "replaced", entries[call.at].origin, reason, call.id))
        earlier[identity(call.id)] = call
        for at in call.results:
            if entries[at].message.get("tool_call_id") != call.id:
                result_ids[at] = call.id
                changes.append(Change(NAME, "replaced", entries[at].origin, "result_id", call.id))
    if not changes:
        return entries, ()
    written = list(entries)
    for at, result_id in result_ids.items():
        written[at] = Entry({**entries[at].message, "tool_call_id": result_id}, entries[at].origin)
    for at in dict.fromkeys(at for at, _ in new_ids):
        message = entries[at].message
        renamed = [
            {**raw, "id": new_ids[at, number]} if (at, number) in new_ids else raw
            for number, raw in enumerate(tool_calls_of(message))
        ]
        written[at] = Entry({**message, "tool_calls": renamed}, entries[at].origin)
    return tuple(written), tuple(sorted(changes, key=lambda change: change.index))


def _ids_in(entries: Entries) -> Iterator[str]:
    for entry in entries:
        if entry.message["role"] == "assistant":
            yield from (call.get("id") or "" for call in tool_calls_of(entry.message))


def _why_not(call: _Call, same: _Call | None, profile: Profile) -> str | None:
    """Return why a call cannot keep its id, or None. *same* is the last call before it with that id."""
    if not call.id:
        return "call_id_missing"
    if profile.max_call_id_length is not None and len(call.id) > profile.max_call_id_length:
        return "call_id_too_long"
    if profile.signs_calls and not _signature_readable(call.id):
        return "signature_unreadable"
    if not _is_spelled(call.id, profile):
        return "call_id_illegal"
    if same is not None and profile.unique_call_ids:
        return "call_id_repeated"
    if same is not None and (not same.results or min(same.results) > call.at or same.run == call.run):
        return "call_id_repeated"
    return None


_TOKEN = frozenset(string.ascii_letters + string.digits + "_-")
_LETTERS = frozenset(string.ascii_letters + string.digits)


def _is_spelled(call_id: str, profile: Profile) -> bool:
    """Tell whether an id has the form that the profile requires."""
    if profile.call_id_form == "nine":
        return len(call_id) == 9 and _LETTERS.issuperset(call_id)
    return profile.call_id_form == "any" or _TOKEN.issuperset(call_id)


def _signature_readable(call_id: str) -> bool:
    """Tell whether an id's ``__thought__`` suffix, if it has one, can be decoded. litellm passes it on as it is."""
    _, mark, signature = call_id.partition("__thought__")
    if not mark:
        return True
    try:
        return bool(base64.b64decode(signature.replace("-", "+").replace("_", "/"), validate=True))
    except (binascii.Error, ValueError):
        return False
