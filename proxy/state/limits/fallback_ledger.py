"""A ledger that always has an answer: where a shared ledger cannot be reached, the configuration decides."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic
from typing import Literal, TypeAlias

from proxy.state.limits.claims import Claims, Settlement, Verdict
from proxy.state.limits.ledger import Ledger
from proxy.state.limits.local_share import LocalShare
from proxy.state.limits.spend_book import SpendBook

Rule: TypeAlias = Literal["share", "open", "refuse"]
"""``limits.on_store_down``."""


class FallbackLedger:
    """*ledger*, and this replica's share of the limits for the time in which *ledger* cannot be reached."""

    def __init__(self, ledger: Ledger, book: SpendBook, clock: Callable[[], float] = monotonic) -> None:
        self.is_shared = ledger.is_shared
        """True where other processes use the ledger too."""

        self._ledger = ledger
        self._share = LocalShare(book, clock) if ledger.is_shared else None

    async def decide(self, claims: Claims, rule: Rule) -> tuple[Verdict | None, bool]:
        """Return the verdict on *claims*, and True where the ledger gave it.

        Where the ledger cannot be reached, *rule* decides. With ``refuse`` there is no verdict then. Money is held to
        what this process knows.
        """
        verdict = await self._ledger.admit(claims)
        share = self._share
        if share is None:
            return verdict, True
        if verdict is not None:
            if share.used_alone:
                self.pay_debts()
            share.follow(claims, verdict)
            return verdict, True
        if rule == "refuse":
            self._free(claims)
            return None, False
        verdict = share.decide(claims, self._ledger.replicas, is_open=rule == "open")
        if not verdict.granted:
            self._free(claims)
        return verdict, False

    def pay_debts(self) -> None:
        """Take what this replica has granted alone from the ledger's buckets. Called once the ledger answers again."""
        if self._share is not None and (debts := self._share.take_debts()):
            self._ledger.settle(Settlement("", debts))

    def settle(self, settlement: Settlement, *, is_in_ledger: bool) -> None:
        """End a request. *is_in_ledger* is False where this replica admitted the request alone."""
        share = self._share
        if share is not None:
            share.settle(settlement)
            if not is_in_ledger:
                rates = share.correct(settlement.rates)
                settlement = Settlement(settlement.id, rates, settlement.parallel, settlement.spends)
        if settlement.rates or settlement.parallel or settlement.spends:
            self._ledger.settle(settlement)

    def _free(self, claims: Claims) -> None:
        """Free the places of a request that is refused. The store may have granted them, and failed to tell."""
        if claims.parallel:
            self._ledger.settle(Settlement(claims.id, parallel=claims.parallel))
