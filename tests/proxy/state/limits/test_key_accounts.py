"""Tests of the spend of keys and teams, and of the turn in which it is exchanged."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.state.limits.key_accounts import KeyAccounts
from proxy.state.limits.memory_ledger import MemoryLedger
from proxy.state.limits.spend_book import SpendBook
from proxy.state.limits.spend_entry import SpendEntry
from tests.support.limited_keys import Clock, limited

KEYS: list[dict[str, Any]] = [{"name": f"k{number}"} for number in range(250)]


@pytest.fixture
def wall() -> Clock:
    """Return the time of day, which a test moves."""
    return Clock()


def accounts_of(wall: Clock, *keys: dict[str, Any]) -> KeyAccounts:
    """Return the accounts of *keys*."""
    book = SpendBook()
    return KeyAccounts(limited(*keys), MemoryLedger(book), book, wall)


def test_spend_of_a_key_without_a_budget_is_counted_by_month(wall: Clock) -> None:
    accounts = accounts_of(wall, {"name": "a"})
    accounts.count("a", nano_usd=5, estimated_nano=1, tokens=3)
    assert (accounts.own_totals("a").period, accounts.own_totals("a").spent_nano) == ("2027-01", 5)
    wall.now += 31 * 86_400
    accounts.count("a", nano_usd=7, estimated_nano=1, tokens=3)

    assert (accounts.own_totals("a").period, accounts.own_totals("a").spent_nano) == ("2027-02", 7)


def test_period_without_an_end_has_no_reset(wall: Clock) -> None:
    accounts = accounts_of(wall, {"name": "a", "max_budget": 1}, {"name": "b"})

    assert accounts.own_totals("a").resets_in_s is None
    assert accounts.own_totals("b").resets_in_s == 1_801_440_000 - 1_800_000_000


def test_totals_include_the_other_processes(wall: Clock) -> None:
    accounts = accounts_of(wall, {"name": "a", "max_budget": 1})
    accounts.count("a", nano_usd=5, estimated_nano=1, tokens=3)
    [spend] = accounts.charged("a")
    spend.see({"x": SpendEntry(1, 10, 2, 20, 2, 7, 10**16)}, 0)
    totals = accounts.own_totals("a")

    assert (totals.spent_nano, totals.estimated_nano, totals.reserved_nano) == (15, 3, 7)
    assert (totals.tokens, totals.requests, totals.limit_nano) == (23, 3, 10**9)


def test_all_keys_are_exchanged_in_turn(wall: Clock) -> None:
    accounts = accounts_of(wall, *KEYS)
    turns = [{spend.account for spend in accounts.to_exchange()} for _ in range(3)]

    assert [len(turn) for turn in turns] == [100, 100, 100]
    assert set().union(*turns) == {"key:", *(f"key:{key['name']}" for key in KEYS)}


def test_what_has_changed_is_exchanged_at_once(wall: Clock) -> None:
    accounts = accounts_of(wall, *KEYS)
    accounts.to_exchange()
    accounts.count("k60", nano_usd=5, estimated_nano=1, tokens=3)

    assert "key:k60" in {spend.account for spend in accounts.to_exchange()}
    assert "key:k60" not in {spend.account for spend in accounts.to_exchange()}


def test_unknown_key_counts_as_the_master_key(wall: Clock) -> None:
    accounts = accounts_of(wall, {"name": "a"})
    accounts.count("gone", nano_usd=5, estimated_nano=0, tokens=3)

    assert accounts.own_totals("").spent_nano == 5
