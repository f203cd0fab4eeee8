"""Limits the work of checking all tool calls of one answer.

The check of an answer's tool calls runs on the event loop, and schema and arguments may both be hostile. Steps are
counted instead of time, so the same answer always has the same result.
"""

from __future__ import annotations

from dataclasses import dataclass

MAX_STEPS = 7_000
"""Steps for one answer. A step takes about 5 µs. The worst measured time of a hostile answer is 50 ms."""


class WorkLimitExceeded(Exception):
    """Raised when an answer has used all of its steps."""


@dataclass(slots=True)
class WorkLimit:
    """The steps that remain for the check of one answer."""

    left: int = MAX_STEPS

    def spend(self, steps: int) -> None:
        """Subtract *steps* from the remaining steps, and one more for this call.

        Raises :class:`WorkLimitExceeded` where too few are left, and on every later call.
        """
        self.left -= steps + 1
        if self.left < 0:
            raise WorkLimitExceeded
