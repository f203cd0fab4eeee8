"""Keeps requests away from a failing deployment, by the results of its last calls. Callers pass the time.

Each tenant (a client's key) has its own circuit for each deployment. The circuits of one deployment also share a state
for all tenants, the shared part (:mod:`proxy.resilience.shared_circuit`). A failure that a client's text may have
caused counts for the circuit of that client's tenant. The shared part is open while the circuits of two tenants are
open. An error about the account opens the tenant's circuit and the shared part at once. Three calls in a row that could
not be sent open both too. So do four failures without an answer in between, from at least two tenants. With a single
tenant, the shared part adds nothing to its circuit.

Sources: M. Nygard, "Release It!" (circuit breaker). The thresholds are those of LiteLLM's router: 3 failures in a row,
or more than half of at least 5 calls. The cooldown of 5 seconds is LiteLLM's too. A circuit never refuses a request.
Where all circuits of a pool are open, :mod:`proxy.resilience.balancer` still chooses a deployment.
"""

from __future__ import annotations

from enum import IntEnum

from proxy.resilience.shared_circuit import SharedCircuit
from proxy.resilience.sliding_count import SlidingCount

_IN_A_ROW = 3
_FEWEST_CALLS = 5
_RECORD_S = 30.0
_LONGEST_COOLDOWN_S = 60.0
_LONG_COOLDOWN_S = 60.0
_LONGEST_S = 3_600.0
"""The longest time that a circuit stays open. A provider that names a longer delay is still asked once an hour, since
quotas are raised and keys replaced."""


class State(IntEnum):
    """The state of a circuit. The values are those of the metric ``turnright_circuit_state``."""

    CLOSED = 0
    HALF_OPEN = 1
    """The cooldown is over. One probe at a time shows if the deployment works again."""

    OPEN = 2


class Ticket:
    """The numbers of openings, of the tenant's own circuit and of the shared part, before one call began.

    The call's result counts only if the circuit has not opened since.
    """

    __slots__ = ("openings_before", "shared_before")

    def __init__(self, openings_before: int, shared_before: int) -> None:
        self.openings_before = openings_before
        self.shared_before = shared_before


class Circuit:
    """The circuit of one deployment for one tenant. A *cooldown_s* of 0 switches it off.

    Every call takes a ticket with :meth:`enter` and reports its result. The call always returns the ticket with
    :meth:`leave`, even when cancelled. Results of calls that began before the last opening are dropped. So an older
    call's answer does not close a circuit that a rate limit opened. Twenty calls that fail together open the circuit
    once, not five times for longer and longer. A delay that the provider requests always counts.

    Each tenant has its own probe, so a slow probe of one tenant does not delay another tenant.
    After a cooldown that replicas share there is one probe for all tenants of all replicas
    (:mod:`proxy.resilience.probe_lease`).
    """

    __slots__ = (
        "_calls",
        "_cooldown_s",
        "_doublings",
        "_failures",
        "_in_a_row",
        "_open_until",
        "_openings",
        "_probe",
        "_shared",
    )

    def __init__(self, cooldown_s: float, shared: SharedCircuit[Circuit] | None = None) -> None:
        self._cooldown_s = cooldown_s
        self._shared: SharedCircuit[Circuit] = SharedCircuit() if shared is None else shared
        self._open_until: float | None = None
        self._openings = 0
        self._doublings = 0
        self._in_a_row = 0
        self._calls = SlidingCount(_RECORD_S)
        self._failures = SlidingCount(_RECORD_S)
        self._probe: Ticket | None = None

    def change_cooldown(self, cooldown_s: float) -> None:
        """Use another cooldown from the next opening on.

        A value of 0 switches circuits off, and closes this circuit now.
        """
        self._cooldown_s = cooldown_s
        if cooldown_s <= 0:
            self._open_until = self._probe = None
            self._shared.clear()
            self._shared.update_shared()

    def state(self, now: float) -> State:
        """Return the state at *now*: the worse of the tenant's own and the shared one."""
        own, shared = self._open_until, self._shared.open_until
        if own is None and shared is None:
            return State.CLOSED
        is_open = (own is not None and now < own) or (shared is not None and now < shared)
        return State.OPEN if is_open else State.HALF_OPEN

    def allows(self, now: float) -> bool:
        """Return True where a request may go through: the circuit is closed, or half open without a probe.

        A half-open circuit whose cooldown other replicas share also needs the lease of the probe.
        """
        state = self.state(now)
        if state is not State.HALF_OPEN:
            return state is State.CLOSED
        account = self._shared.account
        return self._probe is None and (account is None or account.may_probe(now))

    @property
    def due(self) -> float:
        """The moment at which requests may go through again. Minus infinity for a closed circuit."""
        shared = self._shared.open_until
        return self.own_due if shared is None else max(self.own_due, shared)

    @property
    def own_due(self) -> float:
        """The moment at which the tenant's own circuit lets requests through again.

        Minus infinity while that circuit is closed.
        """
        return float("-inf") if self._open_until is None else self._open_until

    @property
    def was_opened(self) -> bool:
        """True where the tenant's own circuit is open or half open."""
        return self._open_until is not None

    def enter(self, now: float) -> Ticket:
        """Return the ticket of a call that begins. The call is the probe if the circuit waits for one."""
        shared = self._shared
        ticket = Ticket(self._openings, shared.openings)
        opened = self._open_until is not None or shared.open_until is not None
        if opened and self._probe is None and self.state(now) is State.HALF_OPEN:
            account = shared.account
            if account is None or account.begin_probe(ticket, now):
                self._probe = ticket
        return ticket

    def leave(self, ticket: Ticket) -> None:
        """Give *ticket* back.

        If the ticket was the probe's, the next call may become the probe. Returning a ticket twice is harmless.
        """
        if self._probe is ticket:
            self._probe = None
            if self._shared.account is not None:
                self._shared.account.end_probe(ticket)

    def is_probe(self, ticket: Ticket) -> bool:
        """Return True where *ticket* is the probe's."""
        return self._probe is ticket

    def note_answer_started(self, ticket: Ticket) -> None:
        """Close the circuit, since the call's answer has begun.

        Other calls then need not wait until this answer is complete.
        """
        self.leave(ticket)
        self._close(ticket)

    def succeed(self, ticket: Ticket, now: float) -> None:
        """Close the circuit, and count a complete answer. The next cooldown has the configured length again."""
        self.leave(ticket)
        if self._close(ticket):
            self._calls.add(now)
            self._in_a_row = 0
            self._doublings = 0

    def count_failure(self, ticket: Ticket, now: float, *, unsent: bool = False) -> None:
        """Count a failure. *unsent* is true where nothing of the request was sent, so no client has caused it.

        Three failures in a row open a closed circuit. So do failures of more than half of at least five calls in the
        last 30 seconds. Any failure opens a half-open circuit again, for twice as long as before. The longest time is
        60 seconds, or the cooldown if it is longer. A failure does not extend an open circuit. Such a circuit gets new
        calls only where no deployment is ready.

        Where the deployment fails for all tenants, the shared part opens for the same time
        (:meth:`SharedCircuit.note_failure`).
        """
        self.leave(ticket)
        if ticket.openings_before != self._openings or self.state(now) is State.OPEN:
            return
        self._calls.add(now)
        self._failures.add(now)
        self._in_a_row += 1
        fails_for_all = self._shared.note_failure(self, unsent=unsent)
        was_opened = self._open_until is not None or self._shared.open_until is not None
        if was_opened or fails_for_all or self._is_failing(now):
            longest = max(_LONGEST_COOLDOWN_S, self._cooldown_s)
            # 1030 doublings overflow a float. The bound holds long before that.
            wait_s = min(longest, self._cooldown_s * 2.0 ** min(self._doublings, 64))
            self._open(wait_s, now, for_all=fails_for_all)
            self._doublings += 1

    def cool_down(self, ticket: Ticket, asked_s: float | None, now: float, *, for_all: bool = True) -> None:
        """Open the circuit for the provider's delay *asked_s*, at most an hour. Without a delay, use the cooldown.

        *for_all* opens the circuit for every tenant. It is true where the failure concerns the account.
        """
        self.leave(ticket)
        wait_s = _bounded(self._cooldown_s if asked_s is None else asked_s)
        self._open_as_asked(wait_s, now, for_all=for_all)

    def cool_down_long(
        self, ticket: Ticket, asked_s: float | None, now: float, *, for_all: bool = True
    ) -> None:
        """Open the circuit for a minute, or for the provider's longer delay, at most an hour.

        A minute is the least, since Gemini requests about 45 seconds for a used-up daily quota (continue#9570).
        *for_all* is as in :meth:`cool_down`.
        """
        self.leave(ticket)
        self._open_as_asked(max(_LONG_COOLDOWN_S, _bounded(asked_s or 0.0)), now, for_all=for_all)

    def close_until(self, until: float) -> None:
        """Close the tenant's own circuit if it is due at *until* or before."""
        if self.own_due <= until:
            self._open_until = None

    def _close(self, ticket: Ticket) -> bool:
        """Close the parts that have not opened since the call began.

        Return True where the tenant's own circuit is among these parts.
        """
        shared = self._shared
        if ticket.shared_before == shared.openings:
            shared.note_answer()
            if shared.open_until is not None:
                shared.close()
        if ticket.openings_before != self._openings:
            return False
        if self._open_until is not None:
            self._open_until = None
            shared.update_shared()
        return True

    def _is_failing(self, now: float) -> bool:
        calls = self._calls.total(now)
        half = calls >= _FEWEST_CALLS and self._failures.total(now) * 2 > calls
        return half or self._in_a_row >= _IN_A_ROW

    def _open_as_asked(self, wait_s: float, now: float, *, for_all: bool) -> None:
        """Open the circuit as the provider asked. A cooldown of the account is shared with other replicas."""
        self._open(wait_s, now, for_all=for_all)
        account = self._shared.account
        if for_all and account is not None:
            account.ask(wait_s, now)

    def _open(self, wait_s: float, now: float, *, for_all: bool) -> None:
        if self._cooldown_s <= 0:
            return
        self._openings += 1
        self._open_until = max(self.own_due, now + wait_s)
        self._shared.update_shared()
        if for_all:
            self._shared.open(now + wait_s)
        # It will close with empty counts. One failure after the recovery is then the first.
        self._in_a_row = 0
        self._calls.clear()
        self._failures.clear()


def _bounded(seconds: float) -> float:
    return min(max(0.0, seconds), _LONGEST_S)  # in this order nan becomes 0
