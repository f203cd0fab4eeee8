"""Tests of a replica's share of the limits."""

from __future__ import annotations

import pytest

from proxy.state.limits.claims import Change, Verdict
from proxy.state.limits.local_share import LocalShare
from proxy.state.limits.spend_book import SpendBook
from tests.support.ledger_contract import claim
from tests.support.limited_keys import Clock, bucket, money, place, rate, settled


@pytest.fixture
def clock() -> Clock:
    """Return the steady time, which a test moves."""
    return Clock()


@pytest.fixture
def share(clock: Clock) -> LocalShare:
    """Return the share of a replica that has not heard of the store yet."""
    return LocalShare(SpendBook(), clock)


def grants(share: LocalShare, replicas: int, per_minute: int = 12) -> int:
    """Return the number of requests that *share* grants at once."""
    return sum(share.decide(claim(rate(per_minute=per_minute)), replicas).granted for _ in range(30))


@pytest.mark.parametrize(("replicas", "granted"), [(1, 12), (2, 6), (3, 4), (12, 1), (50, 1)])
def test_share_is_a_part_and_one_request_at_least(share: LocalShare, replicas: int, granted: int) -> None:
    assert grants(share, replicas) == granted


def test_use_that_the_store_told_counts(share: LocalShare) -> None:
    share.follow(claim(rate(per_minute=12)), Verdict(True, (0.0,), (30_000_000,), ()))
    assert grants(share, 3) == 2


def test_used_up_bucket_has_no_share(share: LocalShare) -> None:
    share.follow(claim(rate(per_minute=12)), Verdict(False, (5.0,), (60_000_000,), ()))
    assert grants(share, 3) == 0


def test_places_that_the_store_granted_count(share: LocalShare) -> None:
    running = claim(place(most=4))
    share.follow(running, Verdict(True, (0.0,), (), ()))

    assert share.decide(claim(place(most=4)), 2).granted
    assert not share.decide(claim(place(most=4)), 2).granted
    share.settle(settled(running))
    assert share.decide(claim(place(most=4)), 2).granted


def test_refused_request_has_no_place(share: LocalShare) -> None:
    share.follow(claim(place(most=2)), Verdict(False, (1.0,), (), ()))
    assert share.decide(claim(place(most=2)), 2).granted


def test_money_is_held_to_what_is_known(share: LocalShare) -> None:
    assert share.decide(claim(money(100)), 3).granted
    assert not share.decide(claim(money(1)), 3).granted


def test_open_limits_money_alone(share: LocalShare) -> None:
    claims = claim(rate(amount=1_000), place(most=1), place("q", most=1), money(60))
    verdicts = [share.decide(claims, 3, is_open=True) for _ in range(2)]

    assert [each.granted for each in verdicts] == [True, False]
    assert [wait_s > 0 for wait_s in verdicts[1].waits_s] == [False, False, False, True]
    assert verdicts[1].used_us == (0,)


def test_debts_are_what_was_granted_alone(share: LocalShare, clock: Clock) -> None:
    grants(share, 3)
    assert share.take_debts() == (Change(bucket(per_minute=12), 0, 4),)
    assert share.take_debts() == ()


def test_debts_shrink_as_the_bucket_fills(share: LocalShare, clock: Clock) -> None:
    grants(share, 3)
    clock.now += 30

    assert share.take_debts() == (
        Change(bucket(per_minute=12), 0, 2),
    )  # 6 of all replicas' 12 have flowed in


def test_used_up_bucket_owes_all_that_was_granted_while_the_stores_bucket_filled(
    share: LocalShare, clock: Clock
) -> None:
    """In half a minute the store's bucket gets 6 requests, and three replicas have granted 2 of them each."""
    share.follow(claim(rate(per_minute=12)), Verdict(False, (5.0,), (60_000_000,), ()))
    granted = 0
    for _ in range(2):
        clock.now += 15
        granted += grants(share, 3)

    assert granted == 2
    assert share.take_debts() == (Change(bucket(per_minute=12), 0, 2),)


def test_use_that_the_store_corrects_itself_is_no_debt(share: LocalShare) -> None:
    """A request that the store admitted gives 2 of its 4 back while this replica is alone."""
    admitted = claim(rate(amount=4, per_minute=12))
    share.follow(admitted, Verdict(True, (0.0,), (45_000_000,), ()))
    assert share.decide(claim(rate(per_minute=12)), 3).granted
    share.settle(settled(admitted, {"b": 2}))

    assert share.take_debts() == (Change(bucket(per_minute=12), 0, 1),)


def test_debts_are_never_more_than_the_bucket(share: LocalShare) -> None:
    share.decide(claim(rate(amount=900, per_minute=12)), 3)
    assert share.take_debts() == (Change(bucket(per_minute=12), 0, 12),)
