"""Tests of the spend that a process knows."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from proxy.state.limits.periods import Period
from proxy.state.limits.spend_book import AccountSpend, SpendBook
from proxy.state.limits.spend_entry import SpendEntry, read_entry, write_entry
from tests.support.limited_keys import FOREVER


@pytest.fixture
def spend() -> AccountSpend:
    """Return the spend of an account, which is nothing."""
    return AccountSpend("key:a", FOREVER)


def test_spend_is_the_sum_of_all_processes(spend: AccountSpend) -> None:
    spend.add(10, 4, 100, 1)
    spend.see({"x": SpendEntry(1, 5, 0, 0, 0), "y": SpendEntry(9, 7, 0, 0, 0)}, 0)

    assert (spend.spent_nano, spend.estimated, spend.tokens, spend.requests) == (22, 4, 100, 1)


def test_expired_reservation_of_another_is_spent(spend: AccountSpend) -> None:
    spend.see({"x": SpendEntry(1, 5, 0, 0, 0, 3, 1_000), "y": SpendEntry(1, 0, 0, 0, 0, 4, 1_001)}, 1_000)

    assert (spend.others_nano, spend.others_estimated, spend.others_reserved) == (8, 3, 4)


@pytest.mark.parametrize(("nano", "fits"), [(70, True), (71, False)])
def test_all_reservations_count(spend: AccountSpend, nano: int, fits: bool) -> None:
    spend.add(10, 0, 0, 1)
    spend.reserve(5, 1.0)
    spend.see({"x": SpendEntry(1, 10, 0, 0, 0, 5, 10**15)}, 0)

    assert spend.fits(nano, 100) is fits
    assert spend.fits(nano, None)


def test_reservation_lasts_as_long_as_the_longest(spend: AccountSpend) -> None:
    spend.reserve(5, 20.0)
    spend.reserve(5, 10.0)
    spend.unreserve(5)

    assert (spend.reserved, spend.reserved_until) == (5, 20.0)


def test_reservation_is_never_negative(spend: AccountSpend) -> None:
    spend.unreserve(5)
    assert spend.reserved == 0


CHANGES: dict[str, Callable[[AccountSpend], None]] = {
    "use": lambda spend: spend.add(0, 0, 1, 1),
    "reservation": lambda spend: spend.reserve(0, 0.0),
    "end of a reservation": lambda spend: spend.unreserve(0),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_each_change_waits_to_be_written(spend: AccountSpend, change: Callable[[AccountSpend], None]) -> None:
    assert spend.is_written
    change(spend)
    assert not spend.is_written


def test_account_has_one_spend_a_period() -> None:
    book = SpendBook()

    assert book.spend_of("key:a", FOREVER) is book.spend_of("key:a", Period("ever", None))
    assert book.spend_of("key:a", FOREVER) is not book.spend_of("key:a", Period("2026-11", 5.0))
    assert len(book) == 2


def test_periods_are_forgotten_an_hour_after_their_end() -> None:
    book = SpendBook()
    kept = [book.spend_of("key:a", FOREVER), book.spend_of("key:a", Period("running", 2_000.0))]
    held = book.spend_of("key:b", Period("old", 1_000.0))
    held.reserve(1, 0.0)
    book.spend_of("key:a", Period("old", 1_000.0))
    book.forget_old(4_600.5)

    assert list(book) == [*kept, held]


def test_nonsense_of_a_provider_leaves_numbers_that_every_process_can_read(spend: AccountSpend) -> None:
    """A number of 17 digits would be no entry for other processes, and the spend would be lost with this process."""
    for _ in range(3):
        spend.add(2**60, 2**60, 2**53 - 1, 1)

    assert (spend.nano, spend.estimated, spend.tokens, spend.requests) == (2**53 - 1, 2**53 - 1, 2**53 - 1, 3)
    entry = SpendEntry(1, spend.nano, spend.estimated, spend.tokens, spend.requests)
    assert read_entry(write_entry(entry).encode()) == entry
