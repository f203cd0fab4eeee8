"""Cap, then clear tool results that are no longer among the newest. This loses the least: calls and texts stay.

Capping and clearing each start with the oldest result and stop when enough is saved. Clearing happens in one batch or
not at all. Each cut invalidates the provider's cached prefix. So a cut that saves few tokens is not worth its cost
(Anthropic's ``clear_at_least``, gemini-cli, opencode).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from sanitizers.budget.cap_text import Cap, cap_content
from sanitizers.budget.ledger import Ledger
from sanitizers.budget.markers import CLEARED
from sanitizers.budget.marks import CutPolicy
from sanitizers.budget.units import Unit, tool_name_of, tool_names_of

_SAMPLE = {"role": "tool", "tool_call_id": "call_0123456789abcdef", "content": CLEARED}


class OldResults:
    """The tool results that may be capped or cleared, in the messages that the replay has read so far."""

    def __init__(self, ledger: Ledger, policy: CutPolicy) -> None:
        self._ledger = ledger
        self._policy = policy
        self._newest: deque[Unit] = deque()
        self._to_cap: deque[int] = deque()
        self._to_clear: deque[int] = deque()
        self._gains: dict[int, int] = {}  # the tokens that clearing a result saves, by its index
        self._gain = 0  # their sum
        self._cleared_tokens = ledger.size(_SAMPLE) if policy.clear else 0

    def see(self, unit: Unit) -> None:
        """Take in the next unit with results.

        The unit's results are capped at once if the policy has a cap for new results. An earlier unit may then become
        old, so that its results may be capped or cleared when room is needed.
        """
        if self._policy.ingest is not None:
            for at in self.changeable(unit):
                self._cap(at, self._policy.ingest, always=True)
        self._newest.append(unit)
        if len(self._newest) > self._policy.recent:
            self._age(self._newest.popleft())

    def forget(self, unit: Unit) -> None:
        """Stop counting the tokens that clearing the results of *unit* would save, since the unit is dropped."""
        for at in unit.results():
            self._gain -= self._gains.pop(at, 0)

    def cap(self, low: int) -> bool:
        """Cap old results, oldest first, until the total is at *low*, and tell whether any was capped."""
        aged = self._policy.aged
        capped = False
        while aged is not None and self._to_cap and self._ledger.total > low:
            at = self._to_cap.popleft()
            before = self._ledger.now[at]
            if at not in self._ledger.gone and self._cap(at, aged):
                capped = True
                if at in self._gains:
                    gain = max(0, self._gains[at] - before + self._ledger.now[at])
                    self._gain += gain - self._gains[at]
                    self._gains[at] = gain
        return capped

    def cap_recent(self, low: int, current: Unit) -> bool:
        """Cap the results of the newest rounds except the *current* one, oldest first, and tell whether any was capped.

        Dropping a round because of one large result would lose more than cutting the middle of that result.
        """
        aged = self._policy.aged
        capped = False
        for unit in self._newest:
            if aged is None or self._ledger.total <= low:
                break
            if unit is current or unit.start in self._ledger.gone:
                continue
            for at in self.changeable(unit):
                if self._ledger.now[at] > self._policy.least_capped and self._cap(at, aged):
                    capped = True
        return capped

    def clear(self, low: int, least: int) -> bool:
        """Clear old results, oldest first, until the total is at *low*, and tell whether any was cleared.

        Results are cleared only if all of them together save *least* tokens, or enough to reach *low*.
        """
        if self._gain < least and self._ledger.total - self._gain > low:
            return False
        cleared = False
        while self._to_clear and self._ledger.total > low:
            at = self._to_clear.popleft()
            gain = self._gains.pop(at, 0)
            self._gain -= gain
            if gain and self._ledger.replace(at, CLEARED, "tool_result_cleared"):
                cleared = True
        return cleared

    def _age(self, unit: Unit) -> None:
        if unit.start in self._ledger.gone:
            return
        policy, now = self._policy, self._ledger.now
        for at in self.changeable(unit):
            tokens = now[at]
            if tokens > policy.least_capped:
                self._to_cap.append(at)
            if policy.clear and tokens > policy.least_cleared and tokens > self._cleared_tokens:
                self._to_clear.append(at)
                self._gains[at] = tokens - self._cleared_tokens
                self._gain += tokens - self._cleared_tokens

    def changeable(self, unit: Unit) -> Sequence[int]:
        """Return the unit's results that the policy allows to change."""
        results = unit.results()
        if not self._policy.excluded_tools:
            return results
        messages = self._ledger.messages
        names = tool_names_of(messages[unit.start])
        excluded = self._policy.excluded_tools
        return [at for at in results if tool_name_of(messages[at], names) not in excluded]

    def _cap(self, at: int, cap: Cap, *, always: bool = False) -> bool:
        """Cap one result, always from the client's original, so that the marker's numbers count from that."""
        message = self._ledger.messages[at]
        content = message.get("content")
        capped = cap_content(content, cap, is_error=message.get("is_error") is True)
        return capped is not content and self._ledger.replace(at, capped, "tool_result_capped", always=always)
