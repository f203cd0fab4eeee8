"""The health of one deployment: its circuits, and its calls in flight. Callers pass the current time."""

from __future__ import annotations

from types import TracebackType
from typing import Self

from proxy.resilience.account_cooldown import AccountCooldown
from proxy.resilience.circuit import Circuit, State
from proxy.resilience.failure_table import Blame, Reach
from proxy.resilience.shared_circuit import SharedCircuit

MAX_TENANTS = 250
"""The most tenants (clients' keys) whose circuits are kept for one deployment.

Beyond that, the oldest closed circuit is dropped, or the oldest of all if none is closed.
"""


class DeploymentHealth:
    """The health of one deployment: its circuits, and its calls in flight.

    *account* is the cooldown that other replicas share, or None without sharing.
    """

    __slots__ = ("_account", "_cooldown_s", "_default_circuit", "in_flight", "label", "shared")

    def __init__(self, label: str, cooldown_s: float, account: AccountCooldown | None = None) -> None:
        self.label = label
        self.in_flight = 0
        self.shared: SharedCircuit[Circuit] = SharedCircuit()
        self.shared.follow(account if cooldown_s > 0 else None)
        self._account = account
        self._cooldown_s = cooldown_s
        self._default_circuit = Circuit(cooldown_s, self.shared)

    def circuit_of(self, tenant: str) -> Circuit:
        """Return the circuit of a tenant that is about to call. A missing circuit is created."""
        circuits = self.shared.circuits
        circuit = circuits.get(tenant)
        if circuit is None:
            if len(circuits) >= MAX_TENANTS:
                closed = (name for name, other in circuits.items() if not other.was_opened)
                # its calls keep their reference, and end on it
                del circuits[next(closed, next(iter(circuits)))]
                self.shared.update_shared()
            circuit = circuits[tenant] = Circuit(self._cooldown_s, self.shared)
        return circuit

    def peek_circuit(self, tenant: str) -> Circuit:
        """Return the circuit of a tenant for reading, without creating one."""
        return self.shared.circuits.get(tenant, self._default_circuit)

    def forget(self, tenant: str) -> bool:
        """Remove a tenant's circuit. Return True where it was the last one."""
        self.shared.circuits.pop(tenant, None)
        return not self.shared.circuits

    def state(self, now: float) -> State:
        """Return the state for all tenants. With a single tenant, that is the state of the tenant's circuit."""
        circuits = self.shared.circuits
        only = next(iter(circuits.values())) if len(circuits) == 1 else self._default_circuit
        return only.state(now)

    def change_cooldown(self, cooldown_s: float) -> None:
        """Use another cooldown from the next opening on. 0 switches the circuits off."""
        self._cooldown_s = cooldown_s
        self.shared.follow(self._account if cooldown_s > 0 else None)
        for circuit in (self._default_circuit, *self.shared.circuits.values()):
            circuit.change_cooldown(cooldown_s)


class Attempt:
    """One call to a deployment, from :meth:`Balancer.acquire`. It is a context manager that releases the deployment.

    The caller reports the call's result once. A call without a report (its client left, or the request itself was at
    fault) counts neither for nor against the deployment.
    """

    __slots__ = ("_circuit", "_health", "_released", "_ticket")

    def __init__(self, health: DeploymentHealth, tenant: str, now: float) -> None:
        self._health = health
        self._circuit = health.shared.circuits.get(tenant) or health.circuit_of(tenant)
        self._ticket = self._circuit.enter(now)
        self._released = False
        health.in_flight += 1

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()

    @property
    def is_probe(self) -> bool:
        """True for the one call that shows a half-open circuit if the deployment works again."""
        return self._circuit.is_probe(self._ticket)

    def note_answer_started(self) -> None:
        """Report that the answer has begun.

        The circuit then closes, so the deployment takes requests again while this answer is still streamed.
        """
        self._circuit.note_answer_started(self._ticket)

    def succeeded(self, now: float) -> None:
        """Report a complete answer."""
        self._circuit.succeed(self._ticket, now)

    def failed(self, blame: Blame, asked_s: float | None, now: float, reach: Reach = Reach.TENANT) -> None:
        """Report a failure, its blame for the deployment, and the tenants that it counts for.

        *asked_s* is the delay in seconds that the provider asks for.
        """
        circuit, for_all = self._circuit, reach is Reach.ALL
        match blame:
            case Blame.COUNTED:
                circuit.count_failure(self._ticket, now, unsent=for_all)
            case Blame.COOLDOWN:
                circuit.cool_down(self._ticket, asked_s, now, for_all=for_all)
            case Blame.LONG_COOLDOWN:
                circuit.cool_down_long(self._ticket, asked_s, now, for_all=for_all)
            case Blame.NONE:
                circuit.leave(self._ticket)

    def release(self) -> None:
        """Release the deployment. A second call is harmless."""
        if not self._released:
            self._released = True
            self._health.in_flight -= 1
            self._circuit.leave(self._ticket)
