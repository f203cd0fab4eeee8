"""The interface of the place where sessions are kept. It always tells a missing value from a store that fails."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from proxy.state.external.backend import Bounds

PART_BYTES = 256 * 2**10
"""The most bytes of one value. Larger records are kept in parts.

A server has 0.25 s for one exchange, and a pipeline of parts has to fit into that on a slow network too.
"""


class Limits(NamedTuple):
    """The seconds for which a value is kept after its last use, and the bounds in bytes."""

    retention_s: float
    bounds: Bounds


@dataclass(frozen=True, slots=True)
class Change:
    """A change of the values of one client. All of it is made, or nothing.

    *expected* are a key and the value that has to stand there. None as the value means that none stands there.
    """

    values: Mapping[str, bytes] = field(default_factory=dict)
    removed: Sequence[str] = ()
    expected: tuple[str, bytes | None] | None = None


class RecordStore(Protocol):
    """Keeps values by the client's name, the *tenant*, and a key.

    Each method but :meth:`count_corrupt` raises :class:`proxy.state.sessions.session_errors.SessionsUnavailable` where
    the store cannot be asked. Beyond the bounds, the tenant's least recently used values are dropped, and then those of
    the tenant with the most bytes. No other facts of a store are dropped for sessions.
    """

    limits: Limits
    """The limits for changes from now on. A reload of the configuration may replace them."""

    @property
    def survives_restart(self) -> bool:
        """True where the values outlive the process."""

    async def get(self, tenant: str, keys: Iterable[str]) -> Mapping[str, bytes]:
        """Return the values under *keys*, without those that are missing, expired or unreadable."""

    async def change(self, tenant: str, change: Change) -> bool:
        """Make *change*. Return False, and change nothing, where another value stands than the expected one.

        Every replica can read the values once this returns.
        """

    async def renew(self, tenant: str, keys: Sequence[str]) -> None:
        """Count a use of the values under *keys*, and keep them for the retention from now on."""

    async def clear(self, tenant: str) -> int:
        """Delete some values of *tenant*, and return their number. 0 means that there are none."""

    def count_corrupt(self) -> None:
        """Count a value that cannot be used."""
