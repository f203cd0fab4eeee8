"""The spend of keys and teams: which accounts a request is charged to, in which periods, and what they have spent."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import inf

from proxy.config.schema.settings import Settings
from proxy.state.limits.claims import KeyTotals
from proxy.state.limits.ledger import Ledger
from proxy.state.limits.limit_table import HolderLimits, KeyLimits, LimitTable
from proxy.state.limits.periods import MONTH, Period, Periods
from proxy.state.limits.spend_book import AccountSpend, SpendBook

_IN_TURN = 100
"""The keys and teams whose spend one exchange reads although this process has not changed it."""

_NEVER: tuple[float, float, list[AccountSpend]] = (inf, -inf, [])

_FRESH_S = 0.2
"""Seconds for which the spend of a key that asks for it is not read again. So asking often costs the store little."""


class KeyAccounts:
    """The spend of the keys and teams of *settings*, in *book* and *ledger*. *wall* returns Unix time."""

    def __init__(
        self, settings: Settings, ledger: Ledger, book: SpendBook, wall: Callable[[], float]
    ) -> None:
        self.book = book
        self.table = LimitTable(settings)
        self._ledger = ledger
        self._wall = wall
        self._periods = Periods()
        self._next_holder = 0
        self._counting: dict[str, tuple[float, float, list[AccountSpend]]] = {}
        """The spend that requests of a key add to, with the Unix times between which this holds."""

    def follow_settings(self, settings: Settings) -> None:
        """Let the keys and teams of *settings* count from now on. What was spent stays spent."""
        self.table = LimitTable(settings)
        self._counting.clear()

    def limits_of(self, key: str) -> KeyLimits | None:
        """Return the limits of the key named *key*, or None where neither the key nor its team has one."""
        return self.table.limits_of(key)

    def count(self, key: str, *, nano_usd: int, estimated_nano: int, tokens: int) -> None:
        """Count a request of a key without limits. Asks no store. *nano_usd* includes *estimated_nano*."""
        for spend in self.charged(key):
            spend.add(nano_usd, estimated_nano, tokens, 1)

    def charged(self, key: str) -> list[AccountSpend]:
        """Return the spend that a request of *key* adds to: the key's, and its team's."""
        now = self._wall()
        since, until, spends = self._counting.get(key, _NEVER)
        if since <= now < until:
            return spends
        spends = [self.spend_of(holder) for holder in self.table.holders_of(key)]
        until = min(inf if spend.period.ends_at is None else spend.period.ends_at for spend in spends)
        self._counting[key] = now, until, spends
        return spends

    def spend_of(self, holder: HolderLimits) -> AccountSpend:
        """Return the spend of *holder* in the current period."""
        return self.book.spend_of(holder.account, self.period_of(holder))

    def period_of(self, holder: HolderLimits) -> Period:
        """Return the current period of *holder*. Spend without a limit is counted by calendar month."""
        duration = MONTH if holder.budget_nano is None else holder.budget_duration
        return self._periods.at(duration, self._wall())

    def ends_in(self, period: Period) -> float:
        """Return the seconds until *period* ends. Infinity for a period without an end."""
        return inf if period.ends_at is None else max(0.0, period.ends_at - self._wall())

    async def totals(self) -> Mapping[str, KeyTotals]:
        """Return the spend of each key by its name, over all processes. The master key's name is empty."""
        table = self.table
        await self._ledger.exchange([self.spend_of(holder) for holder in table.all_holders()])
        found = {name: self._totals_of(holder) for name, holder in table.keys.items()}
        return {**found, "": self.own_totals("")}

    async def team_totals(self) -> Mapping[str, KeyTotals]:
        """Return the spend of each team by its name, over all processes."""
        teams = self.table.teams
        await self._ledger.exchange([self.spend_of(holder) for holder in teams.values()])
        return {name: self._totals_of(holder) for name, holder in teams.items()}

    async def find_totals(self, key: str) -> tuple[KeyTotals, ...]:
        """Return the spend of *key*, and that of its team if it has one, over all processes."""
        holders = self.table.holders_of(key)
        spends = [self.spend_of(holder) for holder in holders]
        now = self._wall()
        if not all(now - _FRESH_S < spend.read_at <= now for spend in spends):
            await self._ledger.exchange(spends)
            for spend in spends:
                spend.read_at = now
        return tuple(self._totals_of(holder) for holder in holders)

    def own_totals(self, key: str) -> KeyTotals:
        """Return the spend of *key* as this process knows it. Asks no store."""
        return self._totals_of(self.table.holders_of(key)[0])

    def budgets_used(self) -> dict[str, float]:
        """Return the used share of the spend limit by key, as this process knows it. Keys without one are left out.

        The share is the larger one of the key and its team. Running requests are included. Asks no store.
        """
        shares = ((key, self.used_share(key)) for key in self.table.keys)
        return {key: share for key, share in shares if share is not None}

    def used_share(self, key: str) -> float | None:
        """Return the share of *key* as :meth:`budgets_used` does, or None without a spend limit."""
        shares = []
        for holder in self.table.holders_of(key):
            if limit := holder.budget_nano:
                spend = self.spend_of(holder)
                shares.append((spend.spent_nano + spend.reserved + spend.others_reserved) / limit)
        return max(shares, default=None)

    def to_exchange(self) -> list[AccountSpend]:
        """Return the spend that has changed since the last call, and some of all other spend in turn.

        This process also has to know the spend of keys that only others serve. So it can restore what a process that
        died had spent, if the store loses its data later.
        """
        self.book.forget_old(self._wall())
        holders = self.table.all_holders()
        start = self._next_holder % len(holders)
        self._next_holder = start + _IN_TURN
        turn = (holders[start:] + holders[:start])[:_IN_TURN]
        changed = [spend for spend in self.book if spend.changes != spend.exchanged]
        chosen = dict.fromkeys([*changed, *map(self.spend_of, turn)])
        for spend in chosen:
            spend.exchanged = spend.changes
        return list(chosen)

    def _totals_of(self, holder: HolderLimits) -> KeyTotals:
        spend = self.spend_of(holder)
        others = spend.others.values()
        period = spend.period
        return KeyTotals(
            period.name,
            None if period.ends_at is None else self.ends_in(period),
            spend.spent_nano,
            spend.estimated + spend.others_estimated,
            spend.reserved + spend.others_reserved,
            spend.tokens + sum(each.tokens for each in others),
            spend.requests + sum(each.requests for each in others),
            holder.budget_nano,
        )
