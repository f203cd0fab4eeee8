"""Tests of the ledger over an SQLite file: the contract, and what a process leaves to the next."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from time import time as wall_clock  # noqa: TID251 - entries of a file expire by the wall clock

import pytest

from proxy.state.external.external_store import ExternalStore
from proxy.state.limits.spend_book import SpendBook
from proxy.state.memory import MemoryStore
from proxy.state.sqlite.backend import SqliteBackend
from proxy.state.sqlite.ledger import SqliteLedger
from tests.support.dictionary_backend import CountedEvents
from tests.support.ledger_contract import Books, LedgerContract, admitted, charge, claim, spend_of
from tests.support.limited_keys import SLOW, Clock, money, rate
from tests.support.sqlite_stores import MIB, SetAside
from tests.support.waiting import until


@asynccontextmanager
async def running(
    path: Path, wall: Callable[[], float] = wall_clock, clock: Callable[[], float] | None = None
) -> AsyncIterator[Books]:
    """Run a process's ledger over the file *path*."""
    backend = SqliteBackend(str(path), 64 * MIB, SetAside(), wall)
    store = ExternalStore(backend, MemoryStore(100_000), "tr", b"s" * 32, CountedEvents())
    book = SpendBook()
    ledger = SqliteLedger(store, book, wall=wall, clock=clock or Clock(5_000.0))
    async with store.running(ledger.run):
        yield ledger, book


class TestSqliteLedger(LedgerContract):
    """Runs the suite over a file."""

    @pytest.fixture
    async def ledger(self, tmp_path: Path) -> AsyncIterator[Books]:
        async with running(tmp_path / "store.db", clock=asyncio.get_running_loop().time) as books:
            yield books


async def until_written(books: Books) -> None:
    """Wait until the file has what the book has."""
    await until(lambda: spend_of(books).is_written)


async def test_next_process_goes_on_with_the_totals(tmp_path: Path) -> None:
    async with running(tmp_path / "store.db") as first:
        claims = claim(money(50))
        await admitted(first[0], claims)
        charge(first, claims, 30)
        await until_written(first)
    async with running(tmp_path / "store.db") as second:
        refused = await admitted(second[0], claim(money(71)))
        granted = await admitted(second[0], claim(money(70)))

    assert (refused.granted, refused.spent_nano, granted.granted) == (False, (30,), True)


async def test_reservation_of_a_process_that_died_is_charged_as_estimated(tmp_path: Path) -> None:
    async with running(tmp_path / "store.db") as first:
        for _ in range(2):  # the first one reads the file
            await admitted(first[0], claim(money(20)))
            await until_written(first)
    async with running(tmp_path / "store.db") as second:
        await admitted(second[0], claim(money(0)))
        spend = spend_of(second)

    assert (spend.nano, spend.estimated, spend.reserved) == (40, 40, 0)


async def test_spend_is_written_without_waiting_for_an_exchange(tmp_path: Path) -> None:
    async with running(tmp_path / "store.db") as books:
        claims = claim(money(1))
        await admitted(books[0], claims)
        charge(books, claims, 1)
        await until_written(books)


async def test_spend_that_was_counted_before_the_first_look_is_added(tmp_path: Path) -> None:
    async with running(tmp_path / "store.db") as books:
        spend_of(books).add(5, 1, 2, 1)
        await books[0].exchange([spend_of(books)])
    async with running(tmp_path / "store.db") as books:
        spend_of(books).add(5, 1, 2, 1)
        await books[0].exchange([spend_of(books)])
        spend = spend_of(books)

    assert (spend.nano, spend.estimated, spend.tokens, spend.requests) == (10, 2, 4, 2)


async def test_bucket_goes_on_in_the_next_process(tmp_path: Path) -> None:
    wall = Clock()
    async with running(tmp_path / "store.db", wall) as first:
        await admitted(first[0], claim(rate(amount=SLOW)))
        await first[0].exchange([])
    wall.now += 20
    async with running(tmp_path / "store.db", wall, Clock(77.0)) as second:
        assert not (await admitted(second[0], claim(rate(amount=3)))).granted
        assert (await admitted(second[0], claim(rate(amount=2)))).granted


async def test_bucket_of_a_clock_that_was_set_back_holds_two_days_at_most(tmp_path: Path) -> None:
    wall = Clock()
    async with running(tmp_path / "store.db", wall) as first:
        await admitted(first[0], claim(rate()))
        await first[0].exchange([])
    wall.now -= 400 * 86_400
    async with running(tmp_path / "store.db", wall) as second:
        verdict = await admitted(second[0], claim(rate()))

    assert verdict.waits_s[0] <= 48 * 3_600


async def test_file_that_cannot_be_used_limits_all_the_same(tmp_path: Path) -> None:
    book = SpendBook()
    store = ExternalStore(
        SqliteBackend(str(tmp_path / "store.db"), MIB, SetAside()),
        MemoryStore(1_000),
        "tr",
        b"s" * 32,
        CountedEvents(),
    )
    ledger = SqliteLedger(store, book)

    assert (await ledger.admit(claim(money(100)))).granted
    assert not (await ledger.admit(claim(money(1)))).granted
    assert not await ledger.exchange(list(book))


async def test_no_name_stands_in_the_file(tmp_path: Path) -> None:
    async with running(tmp_path / "store.db") as books:
        await admitted(books[0], claim(money(1, account="key:secret-name"), rate("key:secret-name:requests")))
        await books[0].exchange(list(books[1]))
        await books[0].flush()

    assert b"secret-name" not in (tmp_path / "store.db").read_bytes()
