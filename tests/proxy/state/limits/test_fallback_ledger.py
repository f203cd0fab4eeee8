"""Tests of what a replica grants alone, and of how the store's buckets learn of it."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from proxy.state.limits.claims import Change, Claims, Settlement, Verdict
from proxy.state.limits.fallback_ledger import FallbackLedger
from proxy.state.limits.spend_book import AccountSpend, SpendBook
from tests.support.limited_keys import SLOW, Clock, bucket, rate

REPLICAS = 3


class _Store:
    """A shared ledger that can be out of reach. It says that each bucket is full again after *used_us*."""

    is_shared = True
    replicas = REPLICAS

    def __init__(self) -> None:
        self.is_up = True
        self.used_us = 0
        self.settled: list[Settlement] = []

    async def admit(self, claims: Claims) -> Verdict | None:
        return Verdict(True, (0.0,), (self.used_us,), ()) if self.is_up else None

    def settle(self, settlement: Settlement) -> None:
        self.settled.append(settlement)

    async def exchange(self, spends: Sequence[AccountSpend]) -> bool:
        return self.is_up

    async def run(self) -> None: ...

    async def flush(self) -> None: ...


class _Ledgers:
    """A fallback ledger over a store, and their clock."""

    def __init__(self) -> None:
        self.store = _Store()
        self.clock = Clock(1_000.0)
        self.fallback = FallbackLedger(self.store, SpendBook(), self.clock)

    async def grant(self, amount: int = 1) -> Claims:
        claims = Claims("id", (rate(amount=amount),))
        verdict, _ = await self.fallback.decide(claims, "share")
        assert verdict is not None
        assert verdict.granted
        return claims

    def end(self, claims: Claims, used: int) -> None:
        changes = (Change(bucket(), claims.rates[0].amount, used),)
        self.fallback.settle(Settlement(claims.id, changes), is_in_ledger=False)


@pytest.fixture
def ledgers() -> _Ledgers:
    return _Ledgers()


async def test_debts_are_what_this_replica_has_granted_alone(ledgers: _Ledgers) -> None:
    """The store knows of what it has granted itself. So that is no part of the debt."""
    ledgers.store.used_us = 20_000_000
    await ledgers.grant()
    ledgers.store.is_up = False
    await ledgers.grant()

    ledgers.fallback.pay_debts()
    ledgers.fallback.pay_debts()

    assert [each.rates for each in ledgers.store.settled] == [(Change(bucket(), 0, 1),)]


async def test_debt_that_has_flowed_in_again_is_not_paid(ledgers: _Ledgers) -> None:
    ledgers.store.is_up = False
    await ledgers.grant()
    ledgers.clock.now += 60.0 / SLOW

    ledgers.fallback.pay_debts()

    assert not ledgers.store.settled


@pytest.mark.parametrize("is_paid", [False, True])
async def test_request_that_was_admitted_alone_is_corrected_once(ledgers: _Ledgers, is_paid: bool) -> None:
    """Its end may come before the debts are paid, or after."""
    ledgers.store.is_up = False
    claims = await ledgers.grant(2)
    if is_paid:
        ledgers.fallback.pay_debts()
    ledgers.end(claims, used=1)
    ledgers.fallback.pay_debts()

    settled = [change for each in ledgers.store.settled for change in each.rates]
    assert sum(change.used - change.claimed for change in settled) == 1
