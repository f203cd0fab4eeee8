"""Tests of accounts in an SQLite file: what every backend promises, restarts, and transactions that are undone."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from proxy.state.external.backend import ENTRY_BYTES, AccountChange, Backend, Bounds, StoreFault
from proxy.state.sqlite.entries import SqliteEntries
from tests.support.account_contract import ACCOUNT, OTHER, AccountContract, kept, names_of
from tests.support.backend_contract import entries_of
from tests.support.sqlite_stores import execute, opened

ROOM = 1_000 + ENTRY_BYTES


class TestSqliteAccounts(AccountContract):
    """The tests that every backend has to pass."""

    @pytest.fixture
    async def backend(self, tmp_path: Path) -> AsyncIterator[Backend]:
        async with opened(tmp_path / "state.db") as backend:
            yield backend


async def test_bytes_of_a_former_process_count(tmp_path: Path) -> None:
    """The bound holds over a restart."""
    path, bounds = tmp_path / "state.db", Bounds(8 * ROOM, 100 * ROOM)
    async with opened(path) as backend:
        entries = [kept(number, b"a" * 1_000) for number in range(8)]
        await backend.change_account(AccountChange(ACCOUNT, bounds, entries))
    async with opened(path) as backend:
        await backend.change_account(AccountChange(ACCOUNT, bounds, [kept(8, b"a" * 1_000)]))
        stand = await backend.get([kept(number).name for number in range(9)])

    assert set(stand) == {kept(number).name for number in range(9 - len(stand), 9)}
    assert len(stand) in (7, 8)


async def test_bytes_of_a_transaction_that_was_undone_do_not_count(tmp_path: Path) -> None:
    """A write that failed leaves the account as it was."""
    bounds = Bounds(8 * ROOM, 100 * ROOM)
    async with opened(tmp_path / "state.db") as backend:
        entries = [kept(number, b"a" * 1_000) for number in range(4)]
        await backend.change_account(AccountChange(ACCOUNT, bounds, entries))
        await execute(backend, "PRAGMA query_only = ON")
        for _ in range(5):
            with pytest.raises(StoreFault):
                await backend.change_account(AccountChange(ACCOUNT, bounds, [kept(9, b"a" * 1_000)]))
        await execute(backend, "PRAGMA query_only = OFF")
        await backend.change_account(AccountChange(ACCOUNT, bounds, [kept(5, b"a" * 1_000)]))

        assert len(await backend.get(names_of([*entries, kept(5)]))) == 5


async def test_evictions_of_a_transaction_that_was_undone_did_not_make_room(tmp_path: Path) -> None:
    """Entries that are back after a failed commit count again."""
    bounds = Bounds(8 * ROOM, 100 * ROOM)
    full = sqlite3.OperationalError("database or disk is full")
    full.sqlite_errorcode = sqlite3.SQLITE_FULL
    failures = [full]

    def break_next_commit(entries: SqliteEntries, _: float) -> None:
        evict = entries.evict

        def fail_once(max_bytes: int) -> None:
            if failures:
                raise failures.pop()
            evict(max_bytes)

        entries.evict = fail_once  # type: ignore[method-assign]

    async with opened(tmp_path / "state.db") as backend:
        for number in range(8):
            await backend.change_account(AccountChange(ACCOUNT, bounds, [kept(number, b"a" * 1_000)]))
        await backend._ask(break_next_commit)
        with pytest.raises(StoreFault):
            await backend.change_account(
                AccountChange(ACCOUNT, bounds, [kept(number, b"a" * 1_000) for number in range(20, 26)])
            )
        names = [kept(number).name for number in range(60)]
        assert len(await backend.get(names)) == 8
        await backend.change_account(AccountChange(ACCOUNT, bounds, [kept(50, b"a" * 1_000)]))

        assert len(await backend.get(names)) <= 8


async def test_many_equal_accounts_share_the_bound_of_all(tmp_path: Path) -> None:
    """The loop over the largest accounts ends, and no account loses everything."""
    bounds = Bounds(100 * ROOM, 40 * ROOM)
    accounts = [f"contract:1:kept:{{{number:02x}}}" for number in range(10)]
    async with opened(tmp_path / "state.db") as backend:
        await backend.put(entries_of([b"signature"]))
        for number in range(10):
            for account in accounts:
                entry = kept(number, b"a" * 1_000, account)
                await backend.change_account(AccountChange(account, bounds, [entry]))
        left = [
            len(await backend.get([kept(number, account=account).name for number in range(10)]))
            for account in accounts
        ]
        assert len(await backend.get(names_of(entries_of([b""])))) == 1

    assert sum(left) <= 40
    assert min(left) >= 2


async def test_entries_of_another_account_are_not_renewed_by_name_alone(tmp_path: Path) -> None:
    """A renewal of names that do not stand creates nothing."""
    async with opened(tmp_path / "state.db") as backend:
        await backend.renew(OTHER, [kept(1, account=OTHER).name], 60.0)

        assert await backend.get([kept(1, account=OTHER).name]) == {}
