"""Tests of the ledger in memory: the contract, and a replica's share."""

from __future__ import annotations

import pytest

from proxy.state.limits.memory_ledger import MemoryLedger
from proxy.state.limits.spend_book import SpendBook
from tests.support.ledger_contract import Books, LedgerContract, admitted, claim
from tests.support.limited_keys import Clock, place, rate, settled


class TestMemoryLedger(LedgerContract):
    """Runs the suite in this process."""

    @pytest.fixture
    def ledger(self) -> Books:
        book = SpendBook()
        return MemoryLedger(book), book


async def test_share_grants_its_part() -> None:
    ledger = MemoryLedger(SpendBook(), Clock(), share=3)
    verdicts = [await admitted(ledger, claim(rate(per_minute=12))) for _ in range(6)]

    assert [each.granted for each in verdicts] == [True] * 4 + [False] * 2


async def test_share_of_less_than_one_request_grants_one_request() -> None:
    ledger = MemoryLedger(SpendBook(), clock := Clock(), share=5)
    one = rate(per_minute=2)

    assert (await admitted(ledger, claim(one))).granted
    assert not (await admitted(ledger, claim(one))).granted
    clock.now += 60 / 2 * 5
    assert (await admitted(ledger, claim(one))).granted


async def test_share_has_one_place_at_least() -> None:
    ledger = MemoryLedger(SpendBook(), Clock(), share=5)

    assert (await admitted(ledger, claim(place(most=2)))).granted
    assert not (await admitted(ledger, claim(place(most=2)))).granted


async def test_share_gives_back_as_much_as_it_took() -> None:
    ledger = MemoryLedger(SpendBook(), Clock(), share=3)
    claims = claim(rate(amount=4, per_minute=12))
    await admitted(ledger, claims)
    ledger.settle(settled(claims, {"b": 1}))

    assert (await admitted(ledger, claim(rate(amount=3, per_minute=12)))).granted
    assert not (await admitted(ledger, claim(rate(per_minute=12)))).granted


async def test_buckets_that_are_full_again_are_forgotten() -> None:
    ledger = MemoryLedger(SpendBook(), clock := Clock())
    for number in range(4_096):
        await admitted(ledger, claim(rate(f"b{number}")))
    clock.now += 3_600
    await admitted(ledger, claim(rate("last")))

    assert set(ledger.tats) == {"last"}
