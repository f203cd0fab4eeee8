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
        self._refusals: dict[str, Remembered] = {}

    def __len__(self) -> int:
        return len(self._refusals)

    def remember(self, name: str, amount: int, until: float) -> None:
        """Remember that *name* refuses claims of *amount* and more until *until*."""
        if len(self._refusals) >= _MOST:
            self._refusals.clear()
        self._refusals[name] = Remembered(amount, until)

    def wait_for(self, name: str, amount: int, now: float) -> float:
        """Return the seconds from *now* for which *name* refuses a claim of *amount*. 0 means that nothing is known."""
        found = self._refusals.get(name)
        if found is None:
            return 0.0
        if found.until <= now:
            del self._refusals[name]
            return 0.0
        return found.until - now if amount >= found.amount else 0.0

    def forget(self, name: str) -> None:
        """Forget the refusal of *name*, since something was given back to it."""
        self._refusals.pop(name, None)

    def clear(self) -> None:
        """Forget everything, since the limits have changed."""
        self._refusals.clear()
