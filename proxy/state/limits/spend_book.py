"""The spend that this process knows: its own totals, its running reservations, and the entries of other processes.

The totals of a process only grow, and each process writes its own. The sum over all processes is the spend. So a write
that timed out is simply made again, and a store that lost its data is healed by the next write (litellm#28247).
"""

from __future__ import annotations

from collections.abc import Iterator

from proxy.state.limits.periods import Period
from proxy.state.limits.spend_entry import SpendEntry

_MOST = 2**53 - 1
"""The highest total that a store's script keeps exactly, as money 9 million dollars. A provider may report nonsense."""

_KEPT_S = 3_600.0
"""Seconds for which the spend of a period is kept in memory after the period has ended."""


class AccountSpend:
    """The spend of one account in one period."""

    __slots__ = (
        "account",
        "changes",
        "estimated",
        "exchanged",
        "is_loaded",
        "nano",
        "others",
        "others_estimated",
        "others_nano",
        "others_reserved",
        "period",
        "read_at",
        "requests",
        "reserved",
        "reserved_until",
        "tokens",
        "written",
    )

    def __init__(self, account: str, period: Period) -> None:
        self.account = account
        self.period = period
        self.nano = self.estimated = self.tokens = self.requests = 0
        self.reserved = 0
        """The most that the running requests of this process may cost."""

        self.reserved_until = 0.0
        """The steady clock's time at which the last of these reservations expires."""

        self.others: dict[str, SpendEntry] = {}
        """The entries of other processes, as last read."""

        self.others_nano = self.others_estimated = self.others_reserved = 0
        """The sums over :attr:`others`."""

        self.changes = 0
        """The number of changes of this process's numbers."""

        self.read_at = 0.0
        """The Unix time at which the key itself last asked for its spend."""

        self.is_loaded = False
        """True once the numbers that an earlier process left in a file are among these."""

        self.exchanged = 0
        """The number of changes at the last exchange with other processes."""

        self.written = 0
        """The number of these changes that the store has."""

    @property
    def spent_nano(self) -> int:
        """The spend of all processes, without reservations."""
        return self.nano + self.others_nano

    @property
    def is_written(self) -> bool:
        """True where the store has all numbers of this process."""
        return self.written >= self.changes

    def fits(self, nano: int, limit: int | None) -> bool:
        """Return True where *nano* more stays within *limit*, reservations included."""
        return limit is None or self.spent_nano + self.reserved + self.others_reserved + nano <= limit

    def reserve(self, nano: int, until: float) -> None:
        """Reserve *nano* for a running request, which has surely ended at *until* on the steady clock."""
        self.reserved += nano
        if until > self.reserved_until:
            self.reserved_until = until
        self.changes += 1

    def unreserve(self, nano: int) -> None:
        """Give a reservation of *nano* back."""
        left = self.reserved - nano
        self.reserved = left if left > 0 else 0
        self.changes += 1

    def add(self, nano: int, estimated: int, tokens: int, requests: int) -> None:
        """Add what requests have used. *nano* includes *estimated*."""
        self.nano += nano
        self.estimated += estimated
        self.tokens += tokens
        if self.nano > _MOST or self.tokens > _MOST:
            self.nano, self.estimated = min(self.nano, _MOST), min(self.estimated, _MOST)
            self.tokens = min(self.tokens, _MOST)
        self.requests += requests
        self.changes += 1

    def see(self, others: dict[str, SpendEntry], now_us: int) -> None:
        """Take over the entries of other processes. *now_us* is the store's time."""
        self.others = others
        counted = [entry.charged_at(now_us) for entry in others.values()]
        self.others_nano = sum(entry.nano for entry in counted)
        self.others_estimated = sum(entry.estimated for entry in counted)
        self.others_reserved = sum(entry.reserved or 0 for entry in counted)


class SpendBook:
    """The spend of all accounts of this process, by account and period."""

    def __init__(self) -> None:
        self._spends: dict[tuple[str, str], AccountSpend] = {}

    def __len__(self) -> int:
        return len(self._spends)

    def __iter__(self) -> Iterator[AccountSpend]:
        return iter(list(self._spends.values()))

    def spend_of(self, account: str, period: Period) -> AccountSpend:
        """Return the spend of *account* in *period*, which begins at 0."""
        found = self._spends.get((account, period.name))
        if found is None:
            found = self._spends[account, period.name] = AccountSpend(account, period)
        return found

    def forget_old(self, now: float) -> None:
        """Forget the spend of periods that ended an hour before the Unix time *now*."""
        for place, spend in list(self._spends.items()):
            ends_at = spend.period.ends_at
            if ends_at is not None and ends_at + _KEPT_S < now and not spend.reserved:
                del self._spends[place]
