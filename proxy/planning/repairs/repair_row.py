"""One row of the repair table, which maps texts of providers' errors to repairs."""

from __future__ import annotations

from dataclasses import dataclass

from proxy.planning.repairs.draft import Repair
from proxy.resilience.read_error import ProviderError


@dataclass(frozen=True, slots=True)
class Row:
    """Phrases in which providers report one fault, and its repair.

    An error must hold one of *says*, and one of *beside* if given.
    """

    fault: str
    repair: Repair
    source: str
    says: tuple[str, ...]
    beside: tuple[str, ...] = ()

    def fits(self, error: ProviderError) -> bool:
        """Return True where *error* reports this fault."""
        return error.says(*self.says) and (not self.beside or error.says(*self.beside))
