"""Tests of the arithmetic of a bucket, against a bucket that is filled step by step."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.state.limits import gcra
from proxy.state.limits.claims import MINUTE_US, Bucket
from tests.support.limited_keys import bucket

STEPS = st.lists(st.tuples(st.integers(0, 90_000_000), st.integers(1, 40)), max_size=60)
BUCKETS = st.builds(
    lambda per_minute, share: Bucket("b", per_minute, max(1, per_minute * share // 100)),
    st.integers(1, 1_000),
    st.integers(1, 100),
)


class Filled:
    """A bucket as everybody thinks of one: it fills at its pace, and a claim takes out what it asks for."""

    def __init__(self, of: Bucket) -> None:
        self._of = of
        self.held = Fraction(of.capacity)

    def wait(self, elapsed_us: int) -> None:
        """Let time pass."""
        filled = Fraction(elapsed_us * self._of.per_minute, MINUTE_US)
        self.held = min(Fraction(self._of.capacity), self.held + filled)


@given(BUCKETS, STEPS)
def test_claims_are_those_that_a_bucket_holds(of: Bucket, steps: list[tuple[int, int]]) -> None:
    """Costs are rounded down to whole microseconds, so each granted claim may be early by one of them."""
    model, tat, now, window = Filled(of), 0, 1_000_000, of.window_us
    slack = Fraction(of.per_minute * (len(steps) + 1), MINUTE_US)
    for elapsed_us, amount in steps:
        now += elapsed_us
        model.wait(elapsed_us)
        moved, wait_us = gcra.claim(tat, now, gcra.cost_us(of, amount), window)
        if wait_us == 0:
            assert model.held + slack >= amount
            model.held -= amount
            tat = moved
        else:
            assert model.held <= amount + slack


@given(BUCKETS, st.integers(0, 10**9), st.integers(1, 40))
def test_claim_fits_exactly_after_its_wait(of: Bucket, used_us: int, amount: int) -> None:
    now, cost, window = 10**10, gcra.cost_us(of, amount), of.window_us
    _, wait_us = gcra.claim(now + used_us, now, cost, window)
    if wait_us and cost <= window:
        assert gcra.claim(now + used_us, now + wait_us, cost, window)[1] == 0
        assert gcra.claim(now + used_us, now + wait_us - 1, cost, window)[1] == 1


@pytest.mark.parametrize("per_minute", [1, 3, 7, 60, 999, 60_000, 200_000])
def test_idle_bucket_grants_its_capacity_at_one_moment(per_minute: int) -> None:
    of, tat, granted = bucket(per_minute=per_minute, capacity=min(per_minute, 2_000)), 0, 0
    for _ in range(of.capacity + 1):
        moved, wait_us = gcra.claim(tat, 10**9, gcra.cost_us(of, 1), of.window_us)
        if wait_us == 0:
            tat, granted = moved, granted + 1

    assert granted == of.capacity


def test_amount_of_nothing_costs_nothing() -> None:
    assert gcra.cost_us(bucket(), 0) == 0


def test_smallest_cost_is_a_microsecond() -> None:
    assert gcra.cost_us(bucket(per_minute=10**9), 1) == 1


@pytest.mark.parametrize(
    ("tat", "claimed", "used", "after"),
    [
        pytest.param(1_500, 300, 100, 1_300, id="less"),
        pytest.param(1_100, 300, 0, 1_000, id="not below now"),
        pytest.param(1_500, 100, 900, 2_300, id="a debt"),
        pytest.param(200, 100, 100, 1_000, id="full again meanwhile"),
        pytest.param(200, 100, 700, 1_600, id="a debt of a bucket that is full again"),
    ],
)
def test_settlement_moves_the_bucket(tat: int, claimed: int, used: int, after: int) -> None:
    assert gcra.settle(tat, 1_000, claimed, used) == after


@given(BUCKETS, st.integers(0, 200_000_000))
def test_remaining_is_the_most_that_still_fits(of: Bucket, used_us: int) -> None:
    left = gcra.remaining(of, used_us)

    def fits(amount: int) -> bool:
        return gcra.claim(10**9 + used_us, 10**9, gcra.cost_us(of, amount), of.window_us)[1] == 0

    assert not fits(left + 1)
    assert left == 0 or fits(left)


def test_idle_bucket_has_its_capacity_left() -> None:
    for per_minute in (*range(1, 2_000, 7), 100_000_000):  # the last one is above one in a microsecond
        of = bucket(per_minute=per_minute, capacity=max(1, per_minute // 3))
        assert gcra.remaining(of, 0) == of.capacity


def test_debt_leaves_nothing() -> None:
    assert gcra.remaining(bucket(), 10 * MINUTE_US) == 0
