"""The interface of a ledger: it grants the claims of a request all together or not at all, and takes settlements.

A ledger keeps buckets and places. Spend stands in the :class:`proxy.state.limits.spend_book.SpendBook` that a ledger
shares with its :class:`proxy.state.limits.limiter.Limiter`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from proxy.state.limits.claims import Claims, Settlement, Verdict
from proxy.state.limits.spend_book import AccountSpend

FEW_PLACES = 32
"""The most places of a key of which a freed one is sent and awaited at once.

The client of such a key may come again at once. With more places, a request more or less at one moment is no matter.
"""


class Ledger(Protocol):
    """Keeps the buckets, places and reservations of all keys. No method raises."""

    @property
    def is_shared(self) -> bool:
        """True where other processes use the ledger too, and it may be out of reach."""

    @property
    def replicas(self) -> int:
        """The number of processes that share the ledger, as last seen. At least 1."""

    async def admit(self, claims: Claims) -> Verdict | None:
        """Grant all of *claims*, or none. None means that the ledger cannot be reached.

        Reservations of granted claims stand in the book afterwards. If the caller is cancelled, or gets None, nothing
        stays taken.
        """

    def settle(self, settlement: Settlement) -> None:
        """Free the place of a request, and correct its buckets. The caller does not wait."""

    async def arrive(self, id_: str) -> None:
        """Wait until other processes can see that the place of the request *id_* is free, for a moment at most.

        The request has been settled before, and has :data:`FEW_PLACES` or fewer. Return at once where the place is free
        already.
        """

    async def exchange(self, spends: Sequence[AccountSpend]) -> bool:
        """Write this process's numbers of *spends*, and read those of the other processes.

        Called each second, and where fresh numbers are wanted. Return False where the ledger cannot be reached.
        """

    async def run(self) -> None:
        """Do the ledger's work in the background, until this coroutine is cancelled."""

    async def flush(self) -> None:
        """Wait until all settlements have arrived, for a second at most. Called at the end of the process."""
