"""Places that a test holds: each is given back once."""

from __future__ import annotations

from dataclasses import dataclass

from proxy.resilience.fairness import Admission


@dataclass(slots=True)
class HeldPlaces:
    """*amount* places of *client*."""

    admission: Admission
    client: str
    amount: int

    def grow(self, amount: int, now: float = 0.0) -> bool:
        """Hold *amount* places from now on, and tell whether there was room for them."""
        if not self.admission.admit(self.client, now, amount - self.amount, self.amount):
            return False
        self.amount = amount
        return True

    def release(self) -> None:
        """Give the places back."""
        self.admission.release(self.client, self.amount)


def acquire(admission: Admission, client: str, now: float = 0.0, amount: int = 1) -> HeldPlaces | None:
    """Return *amount* places that *client* takes, or None where it gets none."""
    return HeldPlaces(admission, client, amount) if admission.admit(client, now, amount) else None
