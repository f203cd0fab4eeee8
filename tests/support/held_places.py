"""Holds places of the proxy's admission control (slots for requests) for a client, and releases each place once."""

from __future__ import annotations

from dataclasses import dataclass

from proxy.resilience.fairness import Admission


@dataclass(slots=True)
class HeldPlaces:
    """The *amount* admission places that *client* holds."""

    admission: Admission
    client: str
    amount: int

    def grow(self, amount: int, now: float = 0.0) -> bool:
        """Raise the number of held places to *amount*, and return whether there was room."""
        if not self.admission.admit(self.client, now, amount - self.amount, self.amount):
            return False
        self.amount = amount
        return True

    def release(self) -> None:
        """Release all places that the client holds here."""
        self.admission.release(self.client, self.amount)


def acquire(admission: Admission, client: str, now: float = 0.0, amount: int = 1) -> HeldPlaces | None:
    """Take *amount* places for *client* and return the places, or None if the admission control refuses."""
    return HeldPlaces(admission, client, amount) if admission.admit(client, now, amount) else None
