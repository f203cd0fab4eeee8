"""One row of the repair table, which maps texts of providers' errors to repairs."""

from __future__ import annotations

from dataclasses import dataclass

from proxy.planning.repairs.draft import Repair
from proxy.resilience.read_error import ProviderError


@dataclass(frozen=True, slots=True)
class Row:
    """The texts with which providers report one fault, and the repair for it."""

    fault: str
    repair: Repair
    source: str
    says: tuple[str, ...]
    beside: tuple[str, ...] = ()

    def fits(self, error: ProviderError) -> bool:
        """Return True where *error* reports this fault."""
        return error.says(*self.says) and (not self.beside or error.says(*self.beside))
