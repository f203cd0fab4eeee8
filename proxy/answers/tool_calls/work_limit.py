"""How much work one answer's calls may make, all of them together. Pure.

The event loop waits for the check, and schema and arguments may both be hostile. Steps are counted and not time, so
that the same answer always comes to the same.
"""

from __future__ import annotations

from dataclasses import dataclass

MOST_STEPS = 7_000
"""Steps for one answer, of some 5 µs: the most that was measured for an answer made for it is 50 ms."""


class TooMuchError(Exception):
    """An answer has taken all of its steps."""


@dataclass(slots=True)
class Budget:
    """The steps that are left."""

    left: int = MOST_STEPS

    def take(self, steps: int) -> None:
        """Take *steps*; raises :class:`TooMuchError` where there are not as many, and from then on."""
        self.left -= steps + 1
        if self.left < 0:
            raise TooMuchError
