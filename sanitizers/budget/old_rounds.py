"""Drop whole units (:mod:`sanitizers.budget.units`), oldest first, except the messages that must be kept.

System messages, pinned messages and the user's first message (the goal) are kept. So are the last messages of the
user's newest turn at the time of a cut. The newest of the user's other messages are kept as long as their tokens fit a
small share of the low mark. The kept messages stay fixed until the next cut. Otherwise each new user message would
change the history before that message.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from sanitizers.budget.ledger import Ledger, Reason
from sanitizers.budget.markers import is_from_user, notice_message, noticed
from sanitizers.budget.marks import CutPolicy
from sanitizers.budget.old_results import OldResults
from sanitizers.budget.units import Unit
from sanitizers.messages import SYSTEM_ROLES

_LONGEST_TURN = 4
"""The most messages of the user's last turn that must stay.

If hundreds of messages in a row had to stay, the request could be refused.
"""


class OldRounds:
    """The units that the replay has read so far, and the cut, which only moves forward.

    *cut* is the number of the first unit after the cut. *place* is the value of *cut* after the last drop. The notice
    of the number of removed messages stands at *place*, and does not move over messages that stay.
    """

    def __init__(self, ledger: Ledger, units: Sequence[Unit], results: OldResults, policy: CutPolicy) -> None:
        self._ledger = ledger
        self._results = results
        self._policy = policy
        self._units = units
        self._anchor: int | None = None  # the first user message
        self._goal: int | None = None  # the first that is the user's own
        self._last: list[int] = []  # the newest turn that is the user's own, message by message
        self._newest: int | None = None  # the newest of all but notices, inserted by a step or the user's own
        self._pinned: list[Unit] = []  # units that were the user's last when the cut passed them
        self._words: deque[Unit] = deque()  # the user's other messages before the cut, oldest first
        self._words_tokens = 0
        self._notices: list[Unit] = []  # notices of another turnright in front
        self._notice_tokens = 0  # tokens of the notice that is due, or 0 while none is
        self._dropped_tokens = 0
        self._turns: deque[int] = deque()  # the units that begin turns
        self._removed = 0
        self.cut = 0
        self.place = 0

    def see(self, number: int) -> None:
        """Take in the next user message: *number* is the index of its unit."""
        unit = self._units[number]
        messages = self._ledger.messages
        if self._anchor is None:
            self._anchor = unit.start
        follows = number > 0 and self._units[number - 1].role == "user"
        if noticed(messages[unit.start]) is None:
            self._newest = unit.start
        if is_from_user(messages[unit.start]):
            if self._goal is None:
                self._goal = unit.start
            goes_on = follows and self._last[-1:] == [self._units[number - 1].start]
            self._last = [*self._last, unit.start][-_LONGEST_TURN:] if goes_on else [unit.start]
            if not follows:
                self._turns.append(number)

    @property
    def noticed(self) -> int:
        """The number of messages that the notice states, or 0 where none is due."""
        return self._removed if self._notice_tokens else 0

    def drop_until(self, low: int, newest: int) -> bool:
        """Drop units before *newest*, oldest first, until the total is at *low*, and tell whether any was dropped."""
        before = len(self._ledger.gone)
        self._unpin()
        if not self._notice_tokens:
            low -= self._size_of_notice()
        allowance = int(low * self._policy.kept_users)
        self._trim("round_dropped", allowance)
        while self._ledger.total > low and self.cut < newest:
            self._pass("round_dropped", allowance)
        while self._ledger.total > low and self._words:
            self._drop_words("round_dropped")
        return self._settle(before)

    def keep_turns(self, turns: int) -> bool:
        """Drop all but the newest *turns* and the goal, and tell whether any was dropped."""
        if len(self._turns) <= turns:
            return False
        before = len(self._ledger.gone)
        while len(self._turns) > turns:
            self._turns.popleft()
        oldest = self._units[self._turns[0]].start
        self._unpin()
        while self.cut < self._turns[0]:
            self._pass("last_turns", 0)
        while self._words and self._words[0].start < oldest:
            self._drop_words("last_turns")
        return self._settle(before)

    def must_stay(self) -> list[int]:
        """Return the user's messages that no cut may remove now, oldest first."""
        found = {at for at in (self._anchor, self._goal, self._newest, *self._last) if at is not None}
        return sorted(found)

    def _unpin(self) -> None:
        """Stop pinning messages that were the user's last at an earlier cut, if newer user messages came since."""
        pinned, self._pinned = self._pinned, []
        for unit in pinned:
            if self._is_last(unit):
                self._pinned.append(unit)
            else:
                self._keep_words(unit)

    def _is_last(self, unit: Unit) -> bool:
        return unit.start == self._newest or unit.start in self._last

    def _pass(self, reason: Reason, allowance: int) -> None:
        """Move the cut past the next unit, and drop that unit unless it has to stay."""
        unit = self._units[self.cut]
        self.cut += 1
        if unit.role in SYSTEM_ROLES or unit.start in (self._anchor, self._goal):
            return
        if unit.start in self._ledger.pinned:
            return
        if unit.role != "user":
            self._drop(unit, reason)
        elif noticed(self._ledger.messages[unit.start]) is not None:
            self._notices.append(unit)
        elif self._is_last(unit):
            self._pinned.append(unit)
        else:
            self._keep_words(unit)
            self._trim(reason, allowance)

    def _keep_words(self, unit: Unit) -> None:
        self._words.append(unit)
        self._words_tokens += self._tokens(unit)

    def _trim(self, reason: Reason, allowance: int) -> None:
        """Drop the user's other messages, oldest first, until they have at most *allowance* tokens."""
        while self._words and self._words_tokens > allowance:
            self._drop_words(reason)

    def _drop_words(self, reason: Reason) -> None:
        unit = self._words.popleft()
        self._words_tokens -= self._tokens(unit)
        self._drop(unit, reason)

    def _tokens(self, unit: Unit) -> int:
        return sum(self._ledger.now[unit.start : unit.end])

    def _drop(self, unit: Unit, reason: Reason) -> None:
        self._results.forget(unit)
        self._dropped_tokens += self._ledger.drop(unit.start, unit.end, reason)
        self._removed += unit.end - unit.start

    def _settle(self, before: int) -> bool:
        """Finish one cut, and tell whether anything was dropped.

        The numbers in notices that another turnright proxy wrote are added to the new notice.
        """
        if len(self._ledger.gone) == before:
            return False
        self.place = self.cut
        for unit in self._notices:
            self._removed += noticed(self._ledger.messages[unit.start]) or 0
            self._ledger.drop(unit.start, unit.end, "round_dropped")
        self._notices.clear()
        tokens = self._size_of_notice()
        if self._dropped_tokens >= tokens:  # else the notice would cost more than the dropped messages
            self._ledger.total += tokens - self._notice_tokens
            self._notice_tokens = tokens
        return True

    def _size_of_notice(self) -> int:
        return self._ledger.size(notice_message(self._removed)) if self._policy.notice else 0
