"""The tests that every ledger has to pass (:class:`proxy.state.limits.ledger.Ledger`).

A test file makes a subclass whose name begins with ``Test``. Its async fixture ``ledger`` yields a running ledger with
an empty store, and its book::

    class TestMemory(LedgerContract):
        @pytest.fixture
        async def ledger(self) -> AsyncIterator[Books]: ...
"""

from __future__ import annotations

import asyncio
from itertools import count
from math import inf
from typing import TypeAlias

import pytest

from proxy.state.limits.claims import Claims, Settlement, Verdict
from proxy.state.limits.ledger import Ledger
from proxy.state.limits.spend_book import AccountSpend, SpendBook
from tests.support.limited_keys import FOREVER, SLOW, money, place, rate, settled

Books: TypeAlias = tuple[Ledger, SpendBook]

_NUMBERS = count(1)
SHORT_S = 0.05
PAUSE_S = 0.1
"""Seconds after which a place of :data:`SHORT_S` is free again."""


def claim(*claims: object) -> Claims:
    """Return claims with an id of their own, from single claims of any kind."""
    made = Claims(f"contract-{next(_NUMBERS)}")
    kinds = {"RateClaim": "rates", "ParallelClaim": "parallel", "SpendClaim": "spends"}
    for each in claims:
        name = kinds[type(each).__name__]
        setattr(made, name, (*getattr(made, name), each))
    return made


async def admitted(ledger: Ledger, claims: Claims) -> Verdict:
    """Return the ledger's verdict on *claims*. The ledger has to be in reach."""
    verdict = await ledger.admit(claims)
    assert verdict is not None
    return verdict


def charge(books: Books, claims: Claims, nano: int) -> None:
    """Settle *claims* as the limiter does: the account has spent *nano*."""
    ledger, book = books
    for each in claims.spends:
        spend = book.spend_of(each.account, each.period)
        spend.add(nano, 0, 1, 1)
        spend.unreserve(each.reserve_nano)
    ledger.settle(settled(claims))


def spend_of(books: Books, account: str = "key:a") -> AccountSpend:
    """Return what the book knows of *account*."""
    return books[1].spend_of(account, FOREVER)


class LedgerContract:
    """The tests. A subclass has the fixture ``ledger``."""

    async def test_bucket_grants_what_it_holds_and_no_more(self, ledger: Books) -> None:
        verdicts = [await admitted(ledger[0], claim(rate())) for _ in range(SLOW + 2)]

        assert [each.granted for each in verdicts] == [True] * SLOW + [False] * 2

    async def test_wait_is_the_time_until_the_claim_fits(self, ledger: Books) -> None:
        quick = rate("quick", per_minute=600, capacity=1)
        await admitted(ledger[0], claim(quick))
        verdict = await admitted(ledger[0], claim(quick))

        assert not verdict.granted
        assert 0 < verdict.waits_s[0] <= 0.1
        await asyncio.sleep(verdict.waits_s[0] + 0.002)
        assert (await admitted(ledger[0], claim(quick))).granted

    async def test_use_tells_when_the_bucket_is_full_again(self, ledger: Books) -> None:
        first = await admitted(ledger[0], claim(rate(amount=3)))
        refused = await admitted(ledger[0], claim(rate(amount=SLOW)))

        assert first.used_us == (30_000_000,)
        assert 0 < refused.used_us[0] <= 30_000_000

    async def test_refused_claim_takes_nothing_from_the_others(self, ledger: Books) -> None:
        full = rate("full", amount=SLOW)
        await admitted(ledger[0], claim(full))
        verdict = await admitted(ledger[0], claim(rate("free", amount=SLOW), full, place(most=1), money(100)))

        assert not verdict.granted
        assert [wait_s > 0 for wait_s in verdict.waits_s] == [False, True, False, False]
        assert (
            await admitted(ledger[0], claim(rate("free", amount=SLOW), place(most=1), money(100)))
        ).granted

    @pytest.mark.parametrize(
        ("used", "left"), [(1, SLOW - 1), (SLOW - 1, 1), (SLOW, 0), (0, SLOW)], ids=["1", "5", "all", "none"]
    )
    async def test_settlement_gives_back_what_was_not_used(self, ledger: Books, used: int, left: int) -> None:
        claims = claim(rate(amount=SLOW))
        await admitted(ledger[0], claims)
        ledger[0].settle(settled(claims, {"b": used}))

        assert not (await admitted(ledger[0], claim(rate(amount=left + 1)))).granted
        assert (await admitted(ledger[0], claim(rate(amount=left)))).granted

    async def test_use_above_the_claim_is_a_debt(self, ledger: Books) -> None:
        claims = claim(rate(amount=1))
        await admitted(ledger[0], claims)
        ledger[0].settle(settled(claims, {"b": 2 * SLOW}))
        verdict = await admitted(ledger[0], claim(rate(amount=0)))

        assert not verdict.granted
        assert 59 < verdict.waits_s[0] <= 60

    async def test_place_is_free_after_the_settlement(self, ledger: Books) -> None:
        first, second = claim(place()), claim(place())
        assert (await admitted(ledger[0], first)).granted
        assert (await admitted(ledger[0], second)).granted
        refused = await admitted(ledger[0], claim(place()))
        ledger[0].settle(settled(first))
        ledger[0].settle(settled(first))

        assert refused.waits_s == (1.0,)
        assert (await admitted(ledger[0], claim(place()))).granted
        assert not (await admitted(ledger[0], claim(place()))).granted

    async def test_place_is_free_after_its_time(self, ledger: Books) -> None:
        await admitted(ledger[0], claim(place(most=1, lifetime_s=SHORT_S)))
        await asyncio.sleep(PAUSE_S)

        assert (await admitted(ledger[0], claim(place(most=1)))).granted

    async def test_reservations_count_as_spent(self, ledger: Books) -> None:
        first, second = claim(money(60)), claim(money(40))
        assert (await admitted(ledger[0], first)).granted
        assert (await admitted(ledger[0], second)).granted
        refused = await admitted(ledger[0], claim(money(1)))
        charge(ledger, first, 10)

        assert (refused.waits_s, refused.spent_nano) == ((inf,), (0,))
        assert not (await admitted(ledger[0], claim(money(51)))).granted
        assert (await admitted(ledger[0], claim(money(50)))).granted

    async def test_spend_is_told_without_reservations(self, ledger: Books) -> None:
        claims = claim(money(60))
        await admitted(ledger[0], claims)
        charge(ledger, claims, 70)
        await admitted(ledger[0], claim(money(20)))

        assert (await admitted(ledger[0], claim(money(31)))).spent_nano == (70,)

    async def test_account_without_a_limit_is_counted(self, ledger: Books) -> None:
        claims = claim(money(10**15, limit=None))
        assert (await admitted(ledger[0], claims)).granted
        charge(ledger, claims, 10**15 + 1)

        assert (await admitted(ledger[0], claim(money(5, limit=10)))).spent_nano == (10**15 + 1,)

    async def test_all_at_once_get_no_more_than_there_is(self, ledger: Books) -> None:
        asked = [claim(rate(), place(most=4), money(20)) for _ in range(20)]
        verdicts = await asyncio.gather(*(ledger[0].admit(each) for each in asked))

        assert sum(verdict.granted for verdict in verdicts if verdict is not None) == 4
        assert spend_of(ledger).reserved == 80

    async def test_money_is_reserved_once_for_all_at_once(self, ledger: Books) -> None:
        verdicts = await asyncio.gather(*(ledger[0].admit(claim(money(30))) for _ in range(20)))

        assert sum(verdict.granted for verdict in verdicts if verdict is not None) == 3
        assert spend_of(ledger).reserved == 90

    async def test_exchange_writes_everything(self, ledger: Books) -> None:
        spend = spend_of(ledger)
        spend.add(5, 0, 1, 1)

        assert await ledger[0].exchange([spend])
        assert spend.is_written

    async def test_flush_waits_for_settlements(self, ledger: Books) -> None:
        claims = claim(place(most=1))
        await admitted(ledger[0], claims)
        ledger[0].settle(Settlement(claims.id, parallel=claims.parallel))
        await ledger[0].flush()

        assert (await admitted(ledger[0], claim(place(most=1)))).granted
