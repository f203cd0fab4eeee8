"""Match results with calls, so that a call and its results carry the same unambiguous id.

There are three passes over the history. The first pass pairs by id: each result belongs to the nearest earlier turn
that has a call with the id. Where calls of one turn share an id, the result belongs to the call of the tool that it
names. Otherwise the result belongs to the first unanswered call. Further results with the same id belong to the same
call. This holds even where an earlier turn's call with the id is unanswered, since the client meant the later call.

The second pass pairs the remaining results by tool name and by position. The third pass
(:mod:`sanitizers.steps.shape.call_ids`) gives new ids to calls without a usable id. It writes each call's id into the
results.

A later turn may use an id again after the id's result. That is legal, and such ids stay unless the profile requires
unique ids. A single map from id to call would find the wrong call (autogen).
"""

from __future__ import annotations

from collections import defaultdict, deque

from sanitizers.changes import Change
from sanitizers.messages import SYSTEM_ROLES, Entries, base_id, function_of, open_places, tool_calls_of
from sanitizers.profiles import Profile
from sanitizers.steps.shape.call_ids import PairedCall, write_ids


class _OpenCalls:
    """The calls of one turn that have no result yet, found by their function's name or in order."""

    def __init__(self, *calls: PairedCall) -> None:
        self.calls: list[PairedCall] = []
        self._next = 0
        self._named: dict[str, deque[PairedCall]] = defaultdict(deque)
        for call in calls:
            self.add(call)

    @property
    def run(self) -> int:
        """The number of the turn that the newest call belongs to."""
        return self.calls[-1].run

    def add(self, call: PairedCall) -> None:
        self.calls.append(call)
        self._named[call.name].append(call)

    def take(self, name: str | None) -> PairedCall | None:
        """Return the first open call of the function *name*, or None."""
        waiting = self._named.get(name or "")
        while waiting and waiting[0].results:
            waiting.popleft()
        return waiting[0] if waiting else None

    def first(self) -> PairedCall | None:
        """Return the first open call, or None."""
        while self._next < len(self.calls) and self.calls[self._next].results:
            self._next += 1
        return self.calls[self._next] if self._next < len(self.calls) else None


def settle_identities(entries: Entries, profile: Profile) -> tuple[Entries, tuple[Change, ...]]:
    """Return the history with a usable id on every call, or *entries* itself when nothing was changed."""
    calls, unmatched = _pair_by_id(entries)
    if unmatched:
        _pair_by_place(entries, calls, unmatched)
    return write_ids(entries, calls, profile)


def _pair_by_id(entries: Entries) -> tuple[list[PairedCall], list[int]]:
    calls: list[PairedCall] = []
    latest: dict[
        str, PairedCall | _OpenCalls
    ] = {}  # what the latest turn calls by an id: nearly always one call
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
                call = PairedCall(at, number, run, raw.get("id") or "", function_of(raw).get("name") or "")
                calls.append(call)
                if call.id:
                    key = base_id(call.id)
                    held = latest.get(key)
                    if held is None or held.run != run:
                        latest[key] = call
                    elif isinstance(held, PairedCall):
                        latest[key] = _OpenCalls(held, call)
                    else:
                        held.add(call)
        elif role == "tool":
            held = latest.get(base_id(message.get("tool_call_id") or ""))
            if held is None:
                unmatched.append(at)
                continue
            if not isinstance(held, PairedCall):
                held = held.take(message.get("name")) or held.first() or held.calls[-1]
            held.results.append(at)
            run += 1
        elif role == "user" or role in SYSTEM_ROLES:
            run += 1
    return calls, unmatched


def _pair_by_place(entries: Entries, calls: list[PairedCall], unmatched: list[int]) -> None:
    """Pair results without a known id with the calls of the turn before them, then late results by tool name.

    Results pair by tool name first, then by position. A result with an unknown id pairs by position only when such
    results are as many as the open calls. Otherwise the pairing would be a guess, and a swapped result is a wrong
    answer without an error. Results without any id pair in order, since the order is their only information.

    A late result with a tool name and without an id answers the earlier open call of that tool. There must be only one
    such call.
    """
    waiting = set(unmatched)
    calls_of: dict[int, list[PairedCall]] = defaultdict(list)
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


def _pair_late_by_name(entries: Entries, calls: list[PairedCall], unmatched: list[int]) -> None:
    answered = {at for call in calls for at in call.results}
    named: dict[str, list[PairedCall]] = defaultdict(list)
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
