"""Makes the refusals of requests, and finds those that still hold."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf

from proxy.state.limits.claims import Claims, Holder, Kind, Need, Refusal, Verdict
from proxy.state.limits.key_accounts import KeyAccounts
from proxy.state.limits.limit_table import KeyLimits
from proxy.state.limits.remembered_refusals import RememberedRefusals
from proxy.state.limits.standings import Standings

_RESERVED_WAIT_S = 1.0
"""Seconds for which a refusal is remembered that the reservations of running requests caused."""


class Refusals:
    """The refusals of keys whose spend is in *accounts*, and whose buckets are in *standings*."""

    def __init__(self, accounts: KeyAccounts, standings: Standings) -> None:
        self._accounts = accounts
        self._standings = standings
        self.remembered = RememberedRefusals()

    def find(self, limits: KeyLimits, need: Need | None, now: float) -> Refusal | None:
        """Return the refusal that is remembered for a request of *need*, the one with the longest wait, or None.

        None for *need* finds the refusals that hold for every request.
        """
        if not self.remembered.refusals:  # as nearly always
            return None
        refused: list[tuple[float, Kind, Holder]] = []
        for each in limits.holders:
            amounts: list[tuple[Kind, str, int]] = []
            if each.requests is not None:
                amounts.append(("requests", each.requests.name, 1))
            if each.tokens is not None:
                amounts.append(("tokens", each.tokens.name, 0 if need is None else need.tokens))
            if each.budget_nano is not None:
                amounts.append(("budget", _spend(each.account), 0 if need is None else need.nano_usd))
            for kind, name, amount in amounts:
                if wait_s := self.remembered.wait_for(name, amount, now):
                    if kind == "budget":
                        wait_s = self._accounts.ends_in(self._accounts.period_of(each))
                    refused.append((wait_s, kind, each.holder))
        if not refused:
            return None
        wait_s, kind, holder = max(refused)
        return Refusal(kind, holder, wait_s, standing=self._standings.standing_of(limits, now))

    def make(self, limits: KeyLimits, claims: Claims, verdict: Verdict, now: float) -> Refusal:
        """Return the refusal that *verdict* means, with the longest wait of all that refuse. Remember all of them."""
        refused = []
        for rate, wait_s in zip(claims.rates, verdict.waits_s, strict=False):
            if wait_s:
                self.remembered.remember(rate.bucket.name, rate.amount, now + wait_s)
        for number, wait_s in self._waits(claims, verdict, now):
            kind, holder = limits.claims[number]
            refused.append((wait_s, kind, holder))
        wait_s, kind, holder = max(refused)
        return Refusal(kind, holder, wait_s, standing=self._standings.standing_of(limits, now))

    def _waits(self, claims: Claims, verdict: Verdict, now: float) -> Iterator[tuple[int, float]]:
        """Yield the number and the wait of each claim that was refused. A refusal of money waits for a new period."""
        first_spend = len(claims.rates) + len(claims.parallel)
        for number, wait_s in enumerate(verdict.waits_s):
            if wait_s and number < first_spend:
                yield number, wait_s
            elif wait_s:
                claim, spent = claims.spends[number - first_spend], verdict.spent_nano[number - first_spend]
                ends_in_s = self._accounts.ends_in(claim.period)
                if claim.limit_nano is not None and spent >= claim.limit_nano:
                    self.remembered.remember(_spend(claim.account), 0, now + ends_in_s)
                else:
                    lasts_s = min(_RESERVED_WAIT_S, ends_in_s)
                    self.remembered.remember(_spend(claim.account), claim.reserve_nano, now + lasts_s)
                yield number, ends_in_s


def find_misfit(limits: KeyLimits, need: Need) -> Refusal | None:
    """Return the refusal of a request that asks for more tokens or money than a limit ever allows, or None."""
    for each in limits.holders:
        if each.tokens is not None and need.tokens > each.tokens.capacity:
            return Refusal("tokens", each.holder, inf, most=each.tokens.capacity)
        if each.budget_nano is not None and need.nano_usd > each.budget_nano:
            return Refusal("budget", each.holder, inf, most=each.budget_nano)
    return None


def _spend(account: str) -> str:
    """Return the name under which a refusal of the spend of *account* is remembered.

    A key may be called like the bucket of another key, and no bucket's name begins like this.
    """
    return f"spend:{account}"
