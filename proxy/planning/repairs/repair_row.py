"""One row of the repair table, which maps texts of providers' errors to repairs."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from proxy.planning.repairs.draft import Repair
from proxy.resilience.read_error import ProviderError


class Learning(Enum):
    """Says if a repair may be made in advance for later requests, and how sure its evidence must be."""

    NEVER = "never"
    """The repair loses content, or its fault is that of one history."""

    LOSSLESS = "lossless"
    """The repair loses nothing, or drops what the provider named word for word."""

    LOOSENS = "loosens"
    """The repair loosens the form of an answer, so its evidence must be surer."""


@dataclass(frozen=True, slots=True)
class Row:
    """Phrases in which providers report one fault, and its repair.

    An error must hold one of *says*, and one of *beside* if given. *reads* are further phrases that change what the
    repair does. *learning* has no default, so that every new row decides about it.
    """

    fault: str
    repair: Repair
    source: str
    says: tuple[str, ...]
    learning: Learning
    beside: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()

    def fits(self, error: ProviderError) -> bool:
        """Return True where *error* reports this fault."""
        return error.says(*self.says) and (not self.beside or error.says(*self.beside))
