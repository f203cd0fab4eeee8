"""The refusals that this replica remembers until their waits are over.

Under overload the store then sees one call a wait, not one a request. A refusal of some amount holds for requests that
claim at least that amount.
"""

from __future__ import annotations

from sanitizers.record import record

_MOST = 4_096


@record
class Remembered:
    """A refusal of *amount* or more, until a time on the steady clock."""

    amount: int
    until: float


class RememberedRefusals:
    """The refusals that still hold, by the name of the bucket or account that refused."""

    def __init__(self) -> None:
        self.refusals: dict[str, Remembered] = {}

    def remember(self, name: str, amount: int, until: float) -> None:
        """Remember that *name* refuses claims of *amount* and more until *until*."""
        if len(self.refusals) >= _MOST:
            self.refusals.clear()
        self.refusals[name] = Remembered(amount, until)

    def wait_for(self, name: str, amount: int, now: float) -> float:
        """Return the seconds from *now* for which *name* refuses a claim of *amount*. 0 means that nothing is known."""
        found = self.refusals.get(name)
        if found is None:
            return 0.0
        if found.until <= now:
            del self.refusals[name]
            return 0.0
        return found.until - now if amount >= found.amount else 0.0

    def forget(self, name: str) -> None:
        """Forget the refusal of *name*, since something was given back to it."""
        self.refusals.pop(name, None)

    def clear(self) -> None:
        """Forget everything, since the limits have changed."""
        self.refusals.clear()
