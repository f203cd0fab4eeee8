"""Keeps requests away from a store that fails. Only a background ping closes the circuit again.

The circuit opens after three failures in a row, or when more than half of at least five operations failed in the last
ten seconds. The circuits around deployments have the same thresholds, but count over 30 seconds. Callers pass the time.

Operations that were under way together count as one failure, since a process that was busy may find many replies late.
"""

from __future__ import annotations

from proxy.resilience.sliding_count import SlidingCount

_IN_A_ROW = 3
_FEWEST = 5
_RECORD_S = 10.0


class StoreCircuit:
    """The circuit around one store. It is open at first, until the store has answered once."""

    __slots__ = ("_failed_at", "_failures", "_in_a_row", "_operations", "is_open")

    def __init__(self) -> None:
        self.is_open = True
        self._in_a_row = 0
        self._failed_at = float("-inf")
        self._operations = SlidingCount(_RECORD_S)
        self._failures = SlidingCount(_RECORD_S)

    @property
    def is_doubtful(self) -> bool:
        """True where the circuit is open, or the newest operation failed.

        A request then does not wait for its writes.
        """
        return self.is_open or self._in_a_row > 0

    def succeed(self, now: float) -> None:
        """Count an operation that the store answered."""
        self._operations.add(now)
        self._in_a_row = 0

    def fail(self, now: float, began: float) -> bool:
        """Count an operation that *began* at a time and failed. Return True where the circuit opens because of it.

        An operation that was under way when another one failed does not count. *began* is the moment at which the
        operation began.
        """
        if self.is_open or began < self._failed_at:
            return False
        self._failed_at = now
        self._operations.add(now)
        self._failures.add(now)
        self._in_a_row += 1
        operations = self._operations.total(now)
        half = operations >= _FEWEST and self._failures.total(now) * 2 > operations
        self.is_open = half or self._in_a_row >= _IN_A_ROW
        return self.is_open

    def close(self) -> None:
        """Close the circuit, since the store has answered a ping. The counts begin anew."""
        self.is_open = False
        self._in_a_row = 0
        self._operations.clear()
        self._failures.clear()
