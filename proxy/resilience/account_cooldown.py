"""The cooldown that a provider asked for, as this replica and the other replicas know it. Callers pass the time.

A quota belongs to an account at a provider. So a cooldown that the provider asked for is true for every replica that
uses the account. This module keeps the facts, and changes the circuits of this process. A background task of
:mod:`proxy.state.sharing.shared_cooldowns` carries the facts between the replicas. Only durations are exchanged, and no
moments. Failures that this replica's network may have caused open its own circuits alone.

A cooldown that stands is never shortened by another replica. A shorter cooldown is not published while a longer
cooldown stands. The replica that the provider asked for the shorter cooldown publishes its rest if the longer one ends
first. Only an answer of the provider ends a cooldown early.

After the cooldown the circuits are half open. Then one request among all replicas is the probe
(:mod:`proxy.resilience.probe_lease`). A replica without the lease counts these circuits as open.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import TYPE_CHECKING, Protocol
from weakref import WeakSet

from proxy.resilience.probe_lease import ProbeLease

if TYPE_CHECKING:
    from proxy.core.deployment import Deployment

_LEAST_S = 1.0
"""Seconds of the shortest cooldown that is shared. A shorter one is over before the other replicas know of it.

Likewise, a cooldown is published again only where it ends later by more than this.
"""


class CooledCircuit(Protocol):
    """A circuit that opens and closes with an account's cooldown."""

    def open_cooldown(self, until: float) -> None:
        """Open until *until*. Results of calls that began before are dropped."""

    def change_cooldown_end(self, until: float) -> None:
        """Let the cooldown end at *until*, even if that is earlier than before."""

    def close_cooldown(self, until: float) -> None:
        """Close, unless the circuit itself is open for longer than *until*, the end of the cooldown."""


class CooldownSharing(Protocol):
    """Shares cooldowns with other replicas."""

    def account_of(self, deployment: Deployment) -> AccountCooldown:
        """Return the cooldown of the deployment's account, the same object for each deployment of the account."""


class AccountCooldown:
    """The cooldown of one account. *wake* is called with this object where the background task has something to do."""

    __slots__ = (
        "__weakref__",
        "_circuits",
        "_wake",
        "asked_until",
        "closed",
        "closing",
        "cooling",
        "current",
        "learned_until",
        "lease",
        "name",
        "to_publish",
    )

    def __init__(self, name: str, wake: Callable[[AccountCooldown], None]) -> None:
        self.name = name
        """The account's name in the store."""

        self.cooling = False
        """True from the cooldown's beginning until an answer, so also while the circuits are half open."""

        self.asked_until = -inf
        """The end of the cooldown that the provider asked this replica for."""

        self.learned_until = -inf
        """The latest end of the cooldown that another replica published."""

        self.current = ""
        """The id of the cooldown in the store that this replica knows."""

        self.closed = ""
        """The id of the cooldown that ended last. It may still stand in the store for a moment."""

        self.closing = ""
        """The id of a cooldown whose end has to be published."""

        self.to_publish = False
        """True where the cooldown that the provider asked for has to be published."""

        self.lease = ProbeLease()
        self._wake = wake
        self._circuits: WeakSet[CooledCircuit] = WeakSet()

    @property
    def until(self) -> float:
        """The end of the cooldown. Minus infinity without a cooldown."""
        return max(self.asked_until, self.learned_until)

    @property
    def is_used(self) -> bool:
        """True where a circuit of this process belongs to the account."""
        return len(self._circuits) > 0

    def attach(self, circuit: CooledCircuit) -> None:
        """Let *circuit* follow this cooldown. The circuit is not kept alive."""
        self._circuits.add(circuit)
        if self.cooling:
            circuit.open_cooldown(self.until)

    def detach(self, circuit: CooledCircuit) -> None:
        """Let *circuit* no longer follow this cooldown."""
        self._circuits.discard(circuit)

    def may_probe(self, now: float) -> bool:
        """Return True where a request may go through a half-open circuit.

        Otherwise the lease notes the wish for a probe.
        """
        if not self.cooling or self.lease.may_begin(now):
            return True
        if self.lease.wish(now):
            self._wake(self)
        return False

    def begin_probe(self, probe: object, now: float) -> bool:
        """Make *probe* the account's probe if it may be.

        Return True where *probe* may be sent through a half-open circuit.
        """
        return not self.cooling or self.lease.begin(probe, now)

    def end_probe(self, probe: object) -> None:
        """Let the lease go if *probe* was the account's probe."""
        if self.lease.end(probe):
            self._wake(self)

    def ask(self, wait_s: float, now: float) -> None:
        """Note that the provider asked this replica for a cooldown of *wait_s* seconds."""
        if wait_s < _LEAST_S:
            return
        until, known = now + wait_s, self.until
        self.asked_until = max(self.asked_until, until)
        self.cooling = True
        self.lease.drop()
        for circuit in self._circuits:
            circuit.open_cooldown(self.until)
        if until > known + _LEAST_S:
            self.to_publish = True
        self._wake(self)

    def close(self) -> None:
        """End the cooldown, since the provider has answered a call that began after the cooldown was known."""
        if self.cooling:
            if self.current:
                self.closed = self.closing = self.current
            self._end()

    def learn(self, cooldown: str, until: float) -> None:
        """Open the circuits until *until*, since another replica has published the cooldown with the id *cooldown*."""
        self.current, self.learned_until = cooldown, until
        self.cooling = True
        self.lease.drop()
        for circuit in self._circuits:
            circuit.open_cooldown(self.until)

    def note_published(self, cooldown: str) -> None:
        """Note that the cooldown that the provider asked for stands in the store, with the id *cooldown*."""
        if self.cooling:
            self.current = cooldown
        else:  # an answer came while the cooldown was written
            self.closed = self.closing = cooldown

    def note_gone(self, now: float) -> None:
        """Let a learned cooldown end, since it no longer stands in the store.

        A longer rest of the cooldown that the provider asked this replica for is published again.
        """
        if not self.cooling:
            return
        if now < self.learned_until:
            self.learned_until = now
            for circuit in self._circuits:
                circuit.change_cooldown_end(self.until)
        if self.asked_until > now + _LEAST_S:
            self.to_publish = True
            self._wake(self)

    def note_closed(self, cooldown: str) -> None:
        """End the cooldown with the id *cooldown*, since another replica got an answer.

        A newer cooldown that the provider asked this replica for, and that is not published yet, stays.
        """
        if not self.cooling or cooldown != self.current:
            return
        self.closed = cooldown
        if self.to_publish:
            self.current, self.learned_until = "", -inf
        else:
            self._end()

    def is_busy(self, now: float) -> bool:
        """Return True where the background task has something to do, now or later."""
        return self.to_publish or bool(self.closing) or not self.lease.is_idle(now)

    def _end(self) -> None:
        until = self.until
        self.cooling = self.to_publish = False
        self.current = ""
        self.asked_until = self.learned_until = -inf
        self.lease.drop()
        for circuit in self._circuits:
            circuit.close_cooldown(until)
        self._wake(self)
