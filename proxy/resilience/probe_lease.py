"""The lease of the one probe that all replicas together make after a cooldown. Callers pass the time.

The store keeps the lease for 30 seconds, under a random token. A background task takes, renews and lets go the lease.
Requests never wait for that task. A request that finds no lease leaves a wish, and counts the circuit as open. The
task then takes the lease, and a later request is the probe.

An unused lease is let go after five seconds, so that the requests of other replicas get their turn. The wish stays for
ten minutes. Otherwise a replica with few requests would never probe: each of its requests would only leave a wish.
"""

from __future__ import annotations

from enum import Enum, auto

LEASE_S = 30.0
"""Seconds that the store keeps a lease. After a replica has died, another replica may probe that much later."""

_RENEWED_AFTER_S = 10.0
_UNUSED_S = 5.0
_WISH_S = 600.0
_DENIED_S = 1.0
_PAUSE_S = 2.0
"""Seconds that a replica waits after an unused lease. Other replicas ask each second, so each of them gets its turn."""

_LONGEST_PROBE_S = 120.0
"""Seconds after which a probe no longer keeps others from probing.

A provider that stays silent would otherwise delay the recovery.
"""


class Phase(Enum):
    """The phase of a lease in this process."""

    NONE = auto()
    READY = auto()
    """This replica has the lease. The next request is the probe."""

    PROBING = auto()
    OVER = auto()
    """The lease has to be let go in the store."""


class ProbeLease:
    """The lease of one account's probe, as this replica has it."""

    __slots__ = (
        "_began",
        "_next_try",
        "_probe",
        "_ready_until",
        "_renewed",
        "_wished_until",
        "phase",
        "token",
    )

    def __init__(self) -> None:
        self.phase = Phase.NONE
        self.token = b""
        """The value that stands in the store while this replica has the lease."""

        self._probe: object = None
        self._began = 0.0
        self._ready_until = 0.0
        self._renewed = 0.0
        self._wished_until = float("-inf")
        self._next_try = float("-inf")

    def may_begin(self, now: float) -> bool:
        """Return True where a request that begins now may be the probe."""
        return self.phase is Phase.READY and now < self._ready_until

    def wish(self, now: float) -> bool:
        """Note that a request would be the probe.

        Return True where the background task should try for the lease at once.
        """
        if self.phase is not Phase.NONE:
            return False
        is_new = now >= self._wished_until
        self._wished_until = now + _WISH_S
        return is_new and now >= self._next_try

    def is_wanted(self, now: float) -> bool:
        """Return True where the background task should try to take the lease now."""
        return self.phase is Phase.NONE and self._next_try <= now < self._wished_until

    def is_idle(self, now: float) -> bool:
        """Return True where the background task has nothing to do for this lease, now and later."""
        return self.phase is Phase.NONE and now >= self._wished_until

    def grant(self, token: bytes, now: float) -> None:
        """Note that this replica has the lease since *now*, under *token*."""
        self.phase, self.token = Phase.READY, token
        self._ready_until, self._renewed = now + _UNUSED_S, now

    def deny(self, now: float) -> None:
        """Note that another replica has the lease. This replica tries again after a second."""
        self._next_try = now + _DENIED_S

    def begin(self, probe: object, now: float) -> bool:
        """Make *probe* the probe if this replica may begin one. Return True where it is."""
        if not self.may_begin(now):
            return False
        self.phase, self._probe, self._began = Phase.PROBING, probe, now
        self._wished_until = float("-inf")
        return True

    def end(self, probe: object) -> bool:
        """Note the end of *probe*. Return True where it was the probe, so that the lease has to be let go."""
        if self.phase is not Phase.PROBING or self._probe is not probe:
            return False
        self.phase, self._probe = Phase.OVER, None
        return True

    def drop(self) -> None:
        """Drop the wish, and a lease without a probe, since the cooldown has ended or begun again."""
        self._wished_until = float("-inf")
        if self.phase is Phase.READY:
            self.phase = Phase.OVER

    def expire(self, now: float) -> None:
        """End a lease that was not used in time, or whose probe takes too long."""
        if self.phase is Phase.READY and now >= self._ready_until:
            self.phase, self._next_try = Phase.OVER, now + _PAUSE_S
        elif self.phase is Phase.PROBING and now >= self._began + _LONGEST_PROBE_S:
            self.phase, self._probe = Phase.OVER, None

    def needs_renewal(self, now: float) -> bool:
        """Return True where the store should keep the lease for longer, since the probe is under way."""
        return self.phase is Phase.PROBING and now >= self._renewed + _RENEWED_AFTER_S

    def renew(self, now: float) -> None:
        """Note that the store keeps the lease for 30 seconds from *now*."""
        self._renewed = now

    def let_go(self) -> None:
        """Note that the store no longer keeps the lease for this replica."""
        self.phase, self.token = Phase.NONE, b""
