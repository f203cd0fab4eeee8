"""Decide the cuts of a history by replaying it from its first message, without stored state.

A client sends its conversation with every request, a little longer each time. The replay walks through the conversation
from its start, and cuts wherever the size exceeds the high mark. So all requests with the same beginning get the same
cuts in it, in any process. Between two cuts, each request begins with the text of the request before, and the
provider's prompt cache hits. A cut invalidates the cache once.

One cut takes these actions in order, until the low mark is reached:

1. Old tool results are capped to head and tail, oldest first.
2. Old tool results are cleared, in one batch, if that is worth it.
3. If that saved less than half of the way from the high to the low mark, the newest results except the current round's
   are capped. Then whole rounds are dropped, oldest first. A current round that exceeds the hard mark by itself is
   first cut as in step 4, since dropping other rounds would not help.
4. If what must be kept is still above the hard mark, the middle of its largest texts is cut. Results are cut down to
   halfway, and the user's texts as little as possible.

System messages, the user's first and last messages, pinned messages and the newest unit (the current round) must be
kept. If these messages do not fit either, the total of the result is above the hard mark, and nothing is raised.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from sanitizers.budget.ledger import Ledger, Reason, Replacement, Size
from sanitizers.budget.marks import CutPolicy, Marks
from sanitizers.budget.middle_cut import cut_middles
from sanitizers.budget.old_results import OldResults
from sanitizers.budget.old_rounds import OldRounds
from sanitizers.budget.units import Unit, count_leading_system, split_units
from sanitizers.messages import RESULT_ROLES, Messages
from sanitizers.work_limit import metered, spend


@dataclass(frozen=True, slots=True)
class Event:
    """One cut: the *index* of the message that triggered it, the actions, and the tokens *before* and *after* it."""

    index: int
    done: tuple[Reason, ...]
    before: int
    after: int


@dataclass(frozen=True, slots=True)
class CutPlan:
    """The cuts of one history.

    *sizes* holds the tokens of every message before the cuts. *total* counts the tokens after the cuts, without the
    leading system messages. *gone* maps the index of each removed message to the reason, and *replaced* maps an index
    to the replacement. *cut* is the index of the first message after the dropped rounds. *noticed* is the number of
    messages that a notice has to state, or 0 where none is due. *pinned* holds the indexes of the pinned messages.
    """

    sizes: list[int]
    total: int
    cut: int = 0
    noticed: int = 0
    gone: Mapping[int, Reason] = field(default_factory=dict)
    replaced: Mapping[int, Replacement] = field(default_factory=dict)
    events: tuple[Event, ...] = ()
    pinned: frozenset[int] = frozenset()


def plan_cuts(
    messages: Messages, size: Size, marks: Marks, policy: CutPolicy, pinned: Messages = ()
) -> CutPlan:
    """Return the cuts of *messages*, a legal history, under *marks* and *policy*.

    *size* is called once for each message, and once for each text that replaces one. Where nothing must be cut, the
    function only adds the sizes. *pinned* are objects in *messages* that are neither dropped nor shortened.
    """
    ledger = Ledger(messages, size, pinned)
    start = count_leading_system(messages)
    whole = sum(ledger.before[start:])
    ceiling = _ceiling(marks)
    if policy.ingest is None and not policy.last_turns and (ceiling is None or whole <= ceiling):
        return CutPlan(ledger.before, whole)
    units = split_units(messages, start)
    replay = _Replay(ledger, units, marks, policy, ceiling)
    for number in metered(range(len(units))):
        replay.take_in(number)
    replay.close()
    cut = units[replay.rounds.place].start if replay.rounds.place else start
    return CutPlan(
        ledger.before,
        ledger.total,
        cut,
        replay.rounds.noticed,
        ledger.gone,
        ledger.replaced,
        tuple(replay.events),
        ledger.pinned,
    )


def _ceiling(marks: Marks) -> int | None:
    """Return the tokens above which something must be cut."""
    if marks.high is None or marks.hard is None:
        return marks.high
    return min(marks.high, marks.hard)


class _Replay:
    """One walk through a history."""

    def __init__(
        self, ledger: Ledger, units: Sequence[Unit], marks: Marks, policy: CutPolicy, ceiling: int | None
    ) -> None:
        self._ledger = ledger
        self._units = units
        self._policy = policy
        self._high = ceiling
        self._low = min(marks.low or 0, ceiling or 0)
        self._hard = ceiling if marks.hard is None else marks.hard
        self._results = OldResults(ledger, policy)
        self.rounds = OldRounds(ledger, units, self._results, policy)
        self.events: list[Event] = []

    def take_in(self, number: int) -> None:
        """Take in the next unit, and cut if a request may end here and the history is too large."""
        unit = self._units[number]
        ledger = self._ledger
        ledger.take_in(unit.start, unit.end)
        if unit.end - unit.start > 1 or unit.role in RESULT_ROLES:
            self._results.see(unit)
        if unit.role == "user":
            self.rounds.see(number)
            if self._policy.last_turns:
                self._keep_turns(unit)
        if self._high is not None and ledger.total > self._high and unit.may_end_request(ledger.messages):
            self._cut(number, self._high)

    def close(self) -> None:
        """End the walk.

        A history that ends with an assistant message (prefill) is cut only if it cannot be sent otherwise.
        """
        if not self._units or self._high is None or self._hard is None:
            return
        may_end_request = self._units[-1].may_end_request(self._ledger.messages)
        if self._ledger.total > max(self._hard, self._high) and not may_end_request:
            self._cut(len(self._units) - 1, self._high)

    def _keep_turns(self, unit: Unit) -> None:
        before = self._ledger.total
        if self.rounds.keep_turns(self._policy.last_turns):
            self.events.append(Event(unit.end - 1, ("last_turns",), before, self._ledger.total))

    def _cut(self, number: int, high: int) -> None:
        unit = self._units[number]
        spend(unit.end - unit.start)
        before = self._ledger.total
        done: list[Reason] = []
        if self._results.cap(self._low):
            done.append("tool_result_capped")
        if self._results.clear(self._low, (high - self._low) // 2):
            done.append("tool_result_cleared")
        halfway = (high + self._low) // 2
        current = sum(self._ledger.now[unit.start : unit.end])
        must_be_cut = self._policy.middle and self._hard is not None and current > self._hard
        if must_be_cut and cut_middles(self._ledger, self._results.changeable(unit), halfway):
            done.append("middle_cut")
        if self._policy.drop and self._ledger.total > halfway:
            if self._results.cap_recent(self._low, unit):
                done.append("tool_result_capped")
            if self._ledger.total > halfway and self.rounds.drop_until(self._low, number):
                done.append("round_dropped")
        still_over = self._hard is not None and self._ledger.total > self._hard
        if self._policy.middle and still_over and self._cut_middles(unit, halfway, high):
            done.append("middle_cut")
        if done:
            self.events.append(Event(unit.end - 1, tuple(dict.fromkeys(done)), before, self._ledger.total))

    def _cut_middles(self, unit: Unit, halfway: int, high: int) -> bool:
        results = self._results.changeable(unit)
        ledger = self._ledger
        words = [at for at in self.rounds.must_stay() if at not in ledger.gone and at not in ledger.pinned]
        cut = cut_middles(self._ledger, results, halfway)
        return cut_middles(self._ledger, words, high) or cut
