"""Whether a deployment is to be left alone for now, by what its last calls came to. Pure: the clock is an argument.

Sources: M. Nygard, "Release It!" (circuit breaker); the numbers are LiteLLM's router's (3 fails, more than half of at
least 5, 5 seconds). Who is asked when all are open is :mod:`proxy.resilience.balancer`'s to decide: a circuit says
what is known, and refuses nothing.
"""

from __future__ import annotations

from enum import IntEnum

from proxy.resilience.sliding_count import SlidingCount

_IN_A_ROW = 3
_FEWEST_CALLS = 5
_RECORD_S = 30.0
_LONGEST_COOLDOWN_S = 60.0
_PARK_S = 60.0
_LONGEST_S = 3_600.0
"""A provider that names a longer delay is asked once an hour all the same: quotas are raised and keys replaced."""


class State(IntEnum):
    """What a circuit does with requests. The values are a gauge's."""

    CLOSED = 0
    HALF_OPEN = 1
    """Its time is over; one probe at a time shows whether it works again."""

    OPEN = 2


class Ticket:
    """One call's place in a circuit's history: what it says later counts only if nothing has opened it since."""

    __slots__ = ("openings_before",)

    def __init__(self, openings_before: int) -> None:
        self.openings_before = openings_before


class Circuit:
    """The circuit of one deployment; *cooldown_s* of 0 switches it off.

    Every call takes a ticket with :meth:`enter`, says what it came to, and gives the ticket back with :meth:`leave`,
    however it ended. A verdict from before the last opening is no news and is dropped: an answer that began before
    the rate limit was hit does not lift it, and twenty calls that die together open the circuit once, not five times
    for ever longer. That a provider wants to be left alone counts whoever was told.
    """

    __slots__ = (
        "_calls",
        "_cooldown_s",
        "_doublings",
        "_in_a_row",
        "_open_until",
        "_openings",
        "_probe",
        "_strikes",
    )

    def __init__(self, cooldown_s: float) -> None:
        self._cooldown_s = cooldown_s
        self._open_until: float | None = None
        self._openings = 0
        self._doublings = 0
        self._in_a_row = 0
        self._calls = SlidingCount(_RECORD_S)
        self._strikes = SlidingCount(_RECORD_S)
        self._probe: Ticket | None = None

    def change_cooldown(self, cooldown_s: float) -> None:
        """Go by another cooldown from the next opening on; with 0, which switches it off, it closes now."""
        self._cooldown_s = cooldown_s
        if cooldown_s <= 0:
            self._open_until = self._probe = None

    def state(self, now: float) -> State:
        """Return the state at *now*."""
        if self._open_until is None:
            return State.CLOSED
        return State.OPEN if now < self._open_until else State.HALF_OPEN

    def takes(self, now: float) -> bool:
        """Tell whether a request is welcome: the circuit is closed, or half open with no probe under way."""
        state = self.state(now)
        return state is State.CLOSED or (state is State.HALF_OPEN and self._probe is None)

    @property
    def due(self) -> float:
        """The moment at which it may be asked again: past or to come, and minus infinity when closed."""
        return float("-inf") if self._open_until is None else self._open_until

    def enter(self, now: float) -> Ticket:
        """Return the ticket of a call that begins; it is the probe if the circuit waits for one."""
        ticket = Ticket(self._openings)
        if self._open_until is not None and self.state(now) is State.HALF_OPEN and self._probe is None:
            self._probe = ticket
        return ticket

    def leave(self, ticket: Ticket) -> None:
        """Take a ticket back: a probe that was cancelled makes room for the next. Giving it back twice is harmless."""
        if self._probe is ticket:
            self._probe = None

    def is_probe(self, ticket: Ticket) -> bool:
        """Tell whether *ticket* holds the probe's place."""
        return self._probe is ticket

    def answering(self, ticket: Ticket) -> None:
        """Close the circuit: the call's answer has begun. How long the answer takes is no concern of the others."""
        self.leave(ticket)
        if self._is_news(ticket):
            self._open_until = None

    def succeed(self, ticket: Ticket, now: float) -> None:
        """Close the circuit, and count an answer that came to its end; the next cooldown is a short one again."""
        self.leave(ticket)
        if self._is_news(ticket):
            self._open_until = None
            self._calls.add(now)
            self._in_a_row = 0
            self._doublings = 0

    def strike(self, ticket: Ticket, now: float) -> None:
        """Count a failure.

        Three in a row, or more than half of at least five calls in the last 30 seconds, open a closed circuit; any
        failure opens a half-open one again, for twice as long, 60 seconds at most. One that is open stays open no
        longer for it: the call was made for want of anything better.
        """
        self.leave(ticket)
        if not self._is_news(ticket) or self.state(now) is State.OPEN:
            return
        self._calls.add(now)
        self._strikes.add(now)
        self._in_a_row += 1
        if self._open_until is not None or self._is_failing(now):
            longest = max(_LONGEST_COOLDOWN_S, self._cooldown_s)
            # 1030 doublings overflow a float; long before that the bound holds
            self._open(now + min(longest, self._cooldown_s * 2.0 ** min(self._doublings, 64)))
            self._doublings += 1

    def cool(self, ticket: Ticket, asked_s: float | None, now: float) -> None:
        """Open it until the moment that the provider asked for, at most an hour; the cooldown when it named none."""
        self.leave(ticket)
        self._open(now + _bounded(self._cooldown_s if asked_s is None else asked_s))

    def park(self, ticket: Ticket, asked_s: float | None, now: float) -> None:
        """Open it for a minute, or as long as the provider asked for if that is longer, at most an hour.

        Never for less: Gemini names some 45 seconds with a daily quota that is used up (continue#9570).
        """
        self.leave(ticket)
        self._open(now + max(_PARK_S, _bounded(asked_s or 0.0)))

    def _is_news(self, ticket: Ticket) -> bool:
        return ticket.openings_before == self._openings

    def _is_failing(self, now: float) -> bool:
        calls = self._calls.total(now)
        half = calls >= _FEWEST_CALLS and self._strikes.total(now) * 2 > calls
        return half or self._in_a_row >= _IN_A_ROW

    def _open(self, until: float) -> None:
        if self._cooldown_s <= 0:
            return
        self._openings += 1
        self._open_until = max(self.due, until)
        # What it closes with is a clean record: one failure after the recovery is one, whatever was before.
        self._in_a_row = 0
        self._calls.clear()
        self._strikes.clear()


def _bounded(seconds: float) -> float:
    return min(max(0.0, seconds), _LONGEST_S)  # in this order nan becomes 0
