"""The exact bucket: the generic cell rate algorithm on a list of arrivals, without a store or a clock.

It is written apart from the gateway, with fractions in the place of the gateway's whole microseconds. So the two can be
compared.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction


@dataclass
class ExactBucket:
    """One bucket that refills at *per_minute*, and holds *burst* minutes of it.

    It begins full. The theoretical arrival time (``tat``) is the moment at which it would be full again.
    """

    per_minute: int
    burst: Fraction = Fraction(1)
    _tat: Fraction = field(default=Fraction(0), init=False)

    @property
    def capacity(self) -> Fraction:
        """The most that the bucket holds, and that can be taken at once."""
        return max(Fraction(1), self.per_minute * self.burst)

    def take(self, now: float, amount: int = 1) -> float:
        """Take *amount* at the moment *now*. Return 0 where it was granted, else the seconds to wait for it."""
        at = Fraction(now)
        each = Fraction(60, self.per_minute)
        tat = max(at, self._tat) + amount * each
        if (wait := tat - at - self.capacity * each) > 0:
            return float(wait)
        self._tat = tat
        return 0.0


def count_granted(arrivals: Iterable[float], per_minute: int, burst: Fraction = Fraction(1)) -> int:
    """Return the number of *arrivals* (seconds) that one bucket grants, each of them for one unit."""
    bucket = ExactBucket(per_minute, burst)
    return sum(bucket.take(at) == 0 for at in sorted(arrivals))


def most_granted(seconds: float, per_minute: int, burst: Fraction = Fraction(1)) -> float:
    """Return the amount that a bucket gives in *seconds* where more is asked for all the time."""
    return float(max(Fraction(1), per_minute * burst)) + per_minute * seconds / 60
