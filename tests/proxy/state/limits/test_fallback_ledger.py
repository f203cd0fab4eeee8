"""Tests of a ledger that cannot be reached: what a replica grants alone, and how the store's buckets learn of it."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from proxy.state.limits.claims import Change, Claims, Settlement, Verdict
from proxy.state.limits.fallback_ledger import FallbackLedger
from proxy.state.limits.memory_ledger import MemoryLedger
from proxy.state.limits.spend_book import AccountSpend, SpendBook
from tests.support.ledger_contract import claim
from tests.support.limited_keys import SLOW, Clock, bucket, place, rate
from tests.support.shared_ledger import SharedLedger

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

    async def arrive(self, id_: str) -> None: ...

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
    """Return a fallback ledger over a store that a test takes down."""
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


@pytest.fixture
def ledger() -> SharedLedger:
    """Return a ledger that a test takes out of reach."""
    return SharedLedger(SpendBook(), Clock())


@pytest.fixture
def fallback(ledger: SharedLedger) -> FallbackLedger:
    """Return *ledger* with the share of this process behind it."""
    return FallbackLedger(ledger, ledger.book, Clock())


async def test_ledger_in_reach_decides(fallback: FallbackLedger) -> None:
    granted, by_ledger = await fallback.decide(claim(rate(per_minute=12, amount=12)), "share")

    assert granted is not None
    assert (granted.granted, by_ledger) == (True, True)


async def test_share_begins_where_the_bucket_stood(fallback: FallbackLedger, ledger: SharedLedger) -> None:
    await fallback.decide(claim(rate(per_minute=12, amount=6)), "share")
    ledger.is_up = False
    decided = [await fallback.decide(claim(rate(per_minute=12)), "share") for _ in range(4)]

    assert [verdict is not None and verdict.granted for verdict, _ in decided] == [True, True, False, False]
    assert not any(by_ledger for _, by_ledger in decided)


async def test_refuse_gives_no_verdict(fallback: FallbackLedger, ledger: SharedLedger) -> None:
    ledger.is_up = False
    assert await fallback.decide(claim(rate()), "refuse") == (None, False)


async def test_open_lets_all_pass(fallback: FallbackLedger, ledger: SharedLedger) -> None:
    ledger.is_up = False
    for _ in range(50):
        verdict, _ = await fallback.decide(claim(rate(), place()), "open")
        assert verdict is not None
        assert verdict.granted


async def test_ledger_that_comes_back_hears_of_the_debts_first(
    fallback: FallbackLedger, ledger: SharedLedger
) -> None:
    ledger.is_up = False
    for _ in range(4):
        await fallback.decide(claim(rate(per_minute=12)), "share")
    ledger.is_up = True
    await fallback.decide(claim(rate("other")), "share")
    verdict, _ = await fallback.decide(claim(rate(per_minute=12, amount=9)), "share")

    assert verdict is not None
    assert not verdict.granted


async def test_place_is_freed_where_the_store_may_have_granted_it(
    fallback: FallbackLedger, ledger: SharedLedger
) -> None:
    ledger.is_up = False
    refused = claim(place(), rate(amount=1_000))
    await fallback.decide(claim(rate()), "share")
    await fallback.decide(refused, "share")
    unavailable = claim(place())
    await fallback.decide(unavailable, "refuse")

    assert [each.id for each in ledger.settled] == [refused.id, unavailable.id]


async def test_settlement_without_an_effect_is_not_sent(
    fallback: FallbackLedger, ledger: SharedLedger
) -> None:
    fallback.settle(Settlement("a"), is_in_ledger=True)
    assert ledger.settled == []


async def test_ledger_of_this_process_needs_no_share() -> None:
    fallback = FallbackLedger(MemoryLedger(SpendBook()), SpendBook())
    verdict, by_ledger = await fallback.decide(claim(rate()), "refuse")

    assert verdict is not None
    assert by_ledger
