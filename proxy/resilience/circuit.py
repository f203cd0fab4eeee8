"""Whether a deployment is to be left alone for now, by what its last calls came to. Pure: the clock is an argument.

Each tenant has a circuit of its own for each deployment, and all of them have a part in common. A failure that a client
may have provoked by what it wrote opens the circuit of its tenant. The common part is open while the circuits of two
tenants are. What the provider says of the account, and calls that could not even be sent, open both at once. With
a single tenant the common part says nothing that its own circuit does not say.

Sources: M. Nygard, "Release It!" (circuit breaker); the numbers are LiteLLM's router's (3 fails, more than half of at
least 5, 5 seconds). Who is asked when all are open is :mod:`proxy.resilience.balancer`'s to decide: a circuit says
what is known, and refuses nothing.
"""

from __future__ import annotations

from enum import IntEnum

from proxy.resilience.sliding_count import SlidingCount

_IN_A_ROW = 3
_OF_ALL, _OF_ONE_TENANT = 4, 2
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

    __slots__ = ("openings_before", "shared_before")

    def __init__(self, openings_before: int, shared_before: int) -> None:
        self.openings_before = openings_before
        self.shared_before = shared_before


class SharedCircuit:
    """The part that the circuits of all tenants of one deployment have in common, and those circuits themselves."""

    __slots__ = ("_agreed_until", "_failed", "_unsent", "circuits", "open_until", "openings")

    def __init__(self) -> None:
        self.circuits: dict[str, Circuit] = {}
        """By the tenant's name, in the order in which they came."""

        self.open_until: float | None = None
        """The moment until which the provider wants to be left alone by the account."""

        self.openings = 0
        self._agreed_until = float("-inf")
        self._unsent = 0
        self._failed: dict[Circuit, int] = {}

    def open(self, until: float) -> None:
        """Open it for all tenants, until the later of *until* and the moment that is known already."""
        self.openings += 1
        self.open_until = until if self.open_until is None else max(self.open_until, until)

    def agree(self) -> None:
        """Take in that a tenant's own circuit was opened or closed; where those of two are open, it is open for all."""
        dues = sorted(circuit.own_due for circuit in self.circuits.values())
        before, self._agreed_until = self._agreed_until, dues[-2] if len(dues) > 1 else float("-inf")
        if self._agreed_until > before:
            self.open(self._agreed_until)

    def note_failure(self, circuit: Circuit, *, unsent: bool) -> bool:
        """Count a failure of the tenant of *circuit*, and tell whether the deployment fails for everybody.

        It does after three calls in a row that could not be sent, whoever made them: no client causes that. Else it
        takes four failures without an answer in between, of which a tenant brings up two at most. So one tenant alone
        never opens it, nor with one chance failure of another, and many tenants do with a failure each.
        """
        self._unsent = self._unsent + 1 if unsent else 0
        self._failed[circuit] = min(_OF_ONE_TENANT, self._failed.get(circuit, 0) + 1)
        if self._unsent < _IN_A_ROW and sum(self._failed.values()) < _OF_ALL:
            return False
        self.note_answer()
        return True

    def note_answer(self) -> None:
        """Forget the failures, since an answer has come."""
        self._unsent = 0
        if self._failed:
            self._failed.clear()


class Circuit:
    """The circuit of one deployment for one tenant; *cooldown_s* of 0 switches it off.

    Every call takes a ticket with :meth:`enter`, says what it came to, and gives the ticket back with :meth:`leave`,
    however it ended. A verdict from before the last opening is no news and is dropped: an answer that began before
    the rate limit was hit does not lift it, and twenty calls that die together open the circuit once, not five times
    for ever longer. That a provider wants to be left alone counts whoever was told.

    The probe is the tenant's: a slow probe of one tenant keeps no other from trying.
    """

    __slots__ = (
        "_calls",
        "_cooldown_s",
        "_doublings",
        "_in_a_row",
        "_open_until",
        "_openings",
        "_probe",
        "_shared",
        "_strikes",
    )

    def __init__(self, cooldown_s: float, shared: SharedCircuit | None = None) -> None:
        self._cooldown_s = cooldown_s
        self._shared = SharedCircuit() if shared is None else shared
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
            self._open_until = self._probe = self._shared.open_until = None
            self._shared.agree()

    def state(self, now: float) -> State:
        """Return the state at *now*: the worse one of the tenant's own and the common one."""
        own, shared = self._open_until, self._shared.open_until
        if own is None and shared is None:
            return State.CLOSED
        is_open = (own is not None and now < own) or (shared is not None and now < shared)
        return State.OPEN if is_open else State.HALF_OPEN

    def takes(self, now: float) -> bool:
        """Tell whether a request is welcome: the circuit is closed, or half open with no probe under way."""
        state = self.state(now)
        return state is State.CLOSED or (state is State.HALF_OPEN and self._probe is None)

    @property
    def due(self) -> float:
        """The moment at which it may be asked again: past or to come, and minus infinity when closed."""
        shared = self._shared.open_until
        return self.own_due if shared is None else max(self.own_due, shared)

    @property
    def own_due(self) -> float:
        """The same by the tenant's own calls alone."""
        return float("-inf") if self._open_until is None else self._open_until

    @property
    def was_opened(self) -> bool:
        """Whether it is open or half open by the tenant's own calls."""
        return self._open_until is not None

    def enter(self, now: float) -> Ticket:
        """Return the ticket of a call that begins; it is the probe if the circuit waits for one."""
        shared = self._shared
        ticket = Ticket(self._openings, shared.openings)
        opened = self._open_until is not None or shared.open_until is not None
        if opened and self._probe is None and self.state(now) is State.HALF_OPEN:
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
        self._close(ticket)

    def succeed(self, ticket: Ticket, now: float) -> None:
        """Close the circuit, and count an answer that came to its end; the next cooldown is a short one again."""
        self.leave(ticket)
        if self._close(ticket):
            self._calls.add(now)
            self._in_a_row = 0
            self._doublings = 0

    def strike(self, ticket: Ticket, now: float, *, unsent: bool = False) -> None:
        """Count a failure; *unsent* says that nothing of the request went out, so that no client has caused it.

        Three in a row, or more than half of at least five calls in the last 30 seconds, open a closed circuit; any
        failure opens a half-open one again, for twice as long, 60 seconds at most. One that is open stays open no
        longer for it: the call was made for want of anything better.

        Where it is not one tenant that fails, it opens for all tenants as long (:meth:`SharedCircuit.note_failure`).
        """
        self.leave(ticket)
        if ticket.openings_before != self._openings or self.state(now) is State.OPEN:
            return
        self._calls.add(now)
        self._strikes.add(now)
        self._in_a_row += 1
        fails_for_all = self._shared.note_failure(self, unsent=unsent)
        was_opened = self._open_until is not None or self._shared.open_until is not None
        if was_opened or fails_for_all or self._is_failing(now):
            longest = max(_LONGEST_COOLDOWN_S, self._cooldown_s)
            # 1030 doublings overflow a float; long before that the bound holds
            wait_s = min(longest, self._cooldown_s * 2.0 ** min(self._doublings, 64))
            self._open(wait_s, now, for_all=fails_for_all)
            self._doublings += 1

    def cool(self, ticket: Ticket, asked_s: float | None, now: float, *, for_all: bool = True) -> None:
        """Open it until the moment that the provider asked for, at most an hour; the cooldown when it named none.

        *for_all* says that the failure is the account's, and opens it for every tenant.
        """
        self.leave(ticket)
        self._open(_bounded(self._cooldown_s if asked_s is None else asked_s), now, for_all=for_all)

    def park(self, ticket: Ticket, asked_s: float | None, now: float, *, for_all: bool = True) -> None:
        """Open it for a minute, or as long as the provider asked for if that is longer, at most an hour.

        Never for less: Gemini names some 45 seconds with a daily quota that is used up (continue#9570). *for_all* is as
        in :meth:`cool`.
        """
        self.leave(ticket)
        self._open(max(_PARK_S, _bounded(asked_s or 0.0)), now, for_all=for_all)

    def _close(self, ticket: Ticket) -> bool:
        """Close what has not opened since the call began; tell whether that is so of the tenant's own circuit."""
        shared = self._shared
        if ticket.shared_before == shared.openings:
            shared.note_answer()
            shared.open_until = None
        if ticket.openings_before != self._openings:
            return False
        if self._open_until is not None:
            self._open_until = None
            shared.agree()
        return True

    def _is_failing(self, now: float) -> bool:
        calls = self._calls.total(now)
        half = calls >= _FEWEST_CALLS and self._strikes.total(now) * 2 > calls
        return half or self._in_a_row >= _IN_A_ROW

    def _open(self, wait_s: float, now: float, *, for_all: bool) -> None:
        if self._cooldown_s <= 0:
            return
        self._openings += 1
        self._open_until = max(self.own_due, now + wait_s)
        self._shared.agree()
        if for_all:
            self._shared.open(now + wait_s)
        # What it closes with is a clean record: one failure after the recovery is one, whatever was before.
        self._in_a_row = 0
        self._calls.clear()
        self._strikes.clear()


def _bounded(seconds: float) -> float:
    return min(max(0.0, seconds), _LONGEST_S)  # in this order nan becomes 0
