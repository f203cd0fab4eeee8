"""The shared part of a deployment's circuits: the state that counts for all tenants. Callers pass the time."""

from __future__ import annotations

from typing import Generic, Protocol, TypeVar

from proxy.resilience.account_cooldown import AccountCooldown

_IN_A_ROW = 3
_OF_ALL, _OF_ONE_TENANT = 4, 2
_NEVER = float("-inf")


class TenantCircuit(Protocol):
    """The circuit of one tenant, as the shared part uses it."""

    @property
    def own_due(self) -> float:
        """The moment at which the tenant's own circuit lets requests through again."""

    def close_until(self, until: float) -> None:
        """Close the tenant's own circuit if it is due at *until* or before."""


CircuitT = TypeVar("CircuitT", bound=TenantCircuit)


class SharedCircuit(Generic[CircuitT]):
    """The state that the circuits of all tenants of one deployment share, with the circuits themselves.

    Where cooldowns are shared between replicas, the circuit follows the cooldown of an account
    (:mod:`proxy.resilience.account_cooldown`).
    """

    __slots__ = (
        "__weakref__",
        "_agreed_until",
        "_failed",
        "_own_until",
        "_unsent",
        "account",
        "circuits",
        "open_until",
        "openings",
    )

    def __init__(self) -> None:
        self.circuits: dict[str, CircuitT] = {}
        """The circuits by their tenants' names, in the order in which the tenants came."""

        self.open_until: float | None = None
        """The moment until which the circuit is open for all tenants."""

        self.openings = 0
        self.account: AccountCooldown | None = None
        """The cooldown of the account, which replicas share. None where cooldowns are not shared."""

        self._own_until = _NEVER
        self._agreed_until = _NEVER
        self._unsent = 0
        self._failed: dict[CircuitT, int] = {}

    def follow(self, account: AccountCooldown | None) -> None:
        """Follow the cooldown of *account* from now on, or no cooldown."""
        if account is not self.account:
            if self.account is not None:
                self.account.detach(self)
            self.account = account
            if account is not None:
                account.attach(self)

    def open(self, until: float) -> None:
        """Open the circuit for all tenants, until the later of *until* and the moment already set."""
        self.openings += 1
        self._own_until = max(self._own_until, until)
        self.open_until = until if self.open_until is None else max(self.open_until, until)

    def close(self) -> None:
        """Close the circuit, since an answer has come. The account's cooldown ends for all replicas."""
        self.clear()
        if self.account is not None:
            self.account.close()

    def clear(self) -> None:
        """Close the circuit in this process alone."""
        self.open_until, self._own_until = None, _NEVER

    def open_cooldown(self, until: float) -> None:
        """Open the circuit until the account's cooldown ends at *until*, or longer where its own failures say so."""
        self.openings += 1
        self.open_until = max(self._own_until, until)

    def change_cooldown_end(self, until: float) -> None:
        """Let the cooldown end at *until*. The circuit stays open for longer where its own failures say so."""
        if self.open_until is not None:
            self.open_until = max(self._own_until, until)

    def close_cooldown(self, until: float) -> None:
        """Close the circuits that are due at *until* or before, since an answer has ended the account's cooldown."""
        for circuit in self.circuits.values():
            circuit.close_until(until)
        self.update_shared()
        if self._own_until <= until:
            self.clear()
        else:
            self.open_until = self._own_until

    def update_shared(self) -> None:
        """Update the shared part after a tenant's own circuit opened or closed.

        While the circuits of two tenants are open, the shared part is open for all tenants.
        """
        dues = sorted(circuit.own_due for circuit in self.circuits.values())
        before, self._agreed_until = self._agreed_until, dues[-2] if len(dues) > 1 else _NEVER
        if self._agreed_until > before:
            self.open(self._agreed_until)

    def note_failure(self, circuit: CircuitT, *, unsent: bool) -> bool:
        """Count a failure of the tenant of *circuit*. Return True where the deployment fails for all tenants.

        Three calls in a row that could not be sent are enough, from any tenants, since no client causes that. Otherwise
        four failures are needed, without an answer in between. Each tenant counts for two at most. So one tenant's
        failures are never enough, even with one chance failure of another tenant. Four tenants with one failure each
        are enough.
        """
        self._unsent = self._unsent + 1 if unsent else 0
        self._failed[circuit] = min(_OF_ONE_TENANT, self._failed.get(circuit, 0) + 1)
        if self._unsent < _IN_A_ROW and sum(self._failed.values()) < _OF_ALL:
            return False
        self.note_answer()
        return True

    def note_answer(self) -> None:
        """Clear the failures, since an answer has come."""
        self._unsent = 0
        if self._failed:
            self._failed.clear()
