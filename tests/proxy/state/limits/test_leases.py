"""Tests of requests that are claimed in advance."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from proxy.state.limits.claims import Claims, Verdict
from proxy.state.limits.fallback_ledger import FallbackLedger
from proxy.state.limits.leases import BUSY, Leases
from proxy.state.limits.limit_table import KeyLimits, LimitTable
from proxy.state.limits.memory_ledger import MemoryLedger
from proxy.state.limits.spend_book import SpendBook
from tests.support.ledger_contract import claim
from tests.support.limited_keys import Clock, limited, rate
from tests.support.shared_ledger import SharedLedger

LIMIT = 60_000
LEASE = 300
"""A hundredth of the limit for two of three replicas."""


class Replica:
    """One replica's leases over a ledger of its own, which shares its buckets with the others'."""

    def __init__(self, clock: Clock, shared: MemoryLedger | None = None, **limits: Any) -> None:
        self.clock = clock
        self.ledger = SharedLedger(SpendBook(), clock, shared=shared)
        self.leases = Leases(FallbackLedger(self.ledger, self.ledger.book, clock), lambda: 3, clock)
        table = LimitTable(limited({"name": "a", "rpm_limit": LIMIT, **limits}))
        found = table.limits_of("a")
        assert found is not None
        self.limits: KeyLimits = found

    async def ask(self, times: int = 1) -> int:
        """Ask *times* within a moment. Return the number of requests that were granted."""
        granted = 0
        for _ in range(times):
            claims = claim(rate("b", per_minute=LIMIT))
            verdict, _ = await self.leases.decide("a", self.limits, claims, "share")
            granted += verdict is not None and verdict.granted
        return granted

    @property
    def held(self) -> int:
        """The requests that the bucket counts as used."""
        now = int(self.clock.now * 1_000_000)
        return (self.ledger.tats.get("b", now) - now) * LIMIT // 60_000_000


@pytest.fixture
def clock() -> Clock:
    """Return the steady time, which a test moves."""
    return Clock(1_000.0)


@pytest.fixture
def replica(clock: Clock) -> Replica:
    """Return one process that shares a ledger."""
    return Replica(clock)


async def test_busy_key_asks_once_a_lease(replica: Replica) -> None:
    assert await replica.ask(BUSY + 10 * (LEASE + 1)) == BUSY + 10 * (LEASE + 1)
    assert len(replica.ledger.asked) == BUSY + 10


async def test_quiet_key_asks_each_time(replica: Replica, clock: Clock) -> None:
    for _ in range(4):
        await replica.ask(BUSY // 2)
        clock.now += 1.0

    assert len(replica.ledger.asked) == 2 * BUSY


async def test_replicas_grant_no_more_than_the_bucket_and_hold_one_hundredth_back(clock: Clock) -> None:
    first = Replica(clock)
    replicas = [first, Replica(clock, first.ledger), Replica(clock, first.ledger)]
    for each in replicas:
        each.ledger.tats = first.ledger.tats
    granted = 0
    for _ in range(210):
        for each in replicas:
            granted += await each.ask(100)

    assert LIMIT * 0.99 <= granted <= LIMIT


async def test_requests_at_one_time_claim_one_lease(
    replica: Replica, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All but one of several leases would be given back, each with a call of its own."""
    await replica.ask(BUSY)
    admit = replica.ledger.admit

    async def admit_later(claims: Claims) -> Verdict | None:
        await asyncio.sleep(0)
        return await admit(claims)

    monkeypatch.setattr(replica.ledger, "admit", admit_later)
    await asyncio.gather(*(replica.ask() for _ in range(5)))

    assert replica.held == BUSY + 5 + LEASE
    assert not replica.ledger.settled


async def test_refused_lease_is_not_asked_for_again_at_once(replica: Replica, clock: Clock) -> None:
    """Under overload each refused request would otherwise cost two calls."""
    await replica.ask(BUSY)
    replica.ledger.tats["b"] = int((clock.now + 60) * 1e6)
    asked = len(replica.ledger.asked)
    await replica.ask(100)
    assert len(replica.ledger.asked) == asked + 101

    clock.now += 0.9
    assert await replica.ask() == 1
    assert replica.ledger.asked[-1].rates[0].amount == 1 + LEASE


async def test_rest_of_an_old_lease_is_given_back(replica: Replica, clock: Clock) -> None:
    await replica.ask(BUSY + 2)
    assert replica.held == BUSY + 1 + LEASE
    clock.now += 2.0
    replica.leases.give_back_old()

    assert replica.held == 0


async def test_lease_is_given_back_when_the_limits_change(replica: Replica) -> None:
    await replica.ask(BUSY + 2)
    replica.leases.clear()

    assert replica.held == BUSY + 2


async def test_last_requests_of_a_bucket_are_granted_one_by_one(replica: Replica) -> None:
    replica.ledger.tats["b"] = int(1_000.0 * 1e6) + (LIMIT - BUSY - LEASE) * 1_000

    assert await replica.ask(BUSY + 2 * LEASE) == BUSY + LEASE


async def test_lease_ends_with_its_time(replica: Replica, clock: Clock) -> None:
    await replica.ask(BUSY + 2)
    clock.now += 1.5
    asked = len(replica.ledger.asked)
    await replica.ask()

    assert len(replica.ledger.asked) == asked + 1


async def test_share_alone_is_granted_without_an_advance(replica: Replica) -> None:
    replica.ledger.is_up = False

    assert await replica.ask(2 * LIMIT // 3) == LIMIT // 3


@pytest.mark.parametrize(
    "limit", [{"tpm_limit": 10**9}, {"max_parallel_requests": 10**6}, {"max_budget": 1_000}], ids=str
)
async def test_other_limits_are_claimed_one_request_at_a_time(clock: Clock, limit: dict[str, Any]) -> None:
    replica = Replica(clock, **limit)
    await replica.ask(BUSY + 100)

    assert len(replica.ledger.asked) == BUSY + 100


async def test_ledger_of_this_process_needs_no_lease(clock: Clock) -> None:
    ledger = MemoryLedger(SpendBook(), clock)
    replica = Replica(clock)
    leases = Leases(FallbackLedger(ledger, ledger.book, clock), lambda: 1, clock)
    for _ in range(BUSY + 10):
        await leases.decide("a", replica.limits, claim(rate("b", per_minute=LIMIT)), "share")

    assert ledger.tats["b"] == int((1_000.0 + (BUSY + 10) * 60 / LIMIT) * 1e6)
