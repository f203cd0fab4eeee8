"""Tests that retries do not multiply an outage, and that a single user still gets retries."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from proxy.resilience.retry_budget import MAX_TENANTS, RetryBudget, SharedRetryBudget

waits = st.one_of(st.just(0.0), st.floats(0, 0.2), st.floats(0, 4))
events = st.lists(st.tuples(waits, st.integers(0, 40), st.integers(0, 15)), max_size=25)


def test_retries_are_a_fifth_of_the_requests() -> None:
    """A hundred requests that fail twice each get twenty retries, not two hundred."""
    budget = RetryBudget()
    granted = 0
    for number in range(100):
        now = 1000 + number * 0.01
        budget.count_request(now)
        for _ in range(2):
            if budget.allows(now):
                budget.count_retry(now)
                granted += 1
    assert granted == 20


def test_ten_retries_are_always_allowed() -> None:
    """Ten retries are allowed without any request, and ten again after a while."""
    budget = RetryBudget()
    for _ in range(10):
        assert budget.allows(0.0)
        budget.count_retry(0.0)
    assert not budget.allows(8.9)
    assert budget.allows(10.0)


def test_allows_counts_no_retry() -> None:
    """``allows`` may be called any number of times without using up the budget."""
    budget = RetryBudget()
    assert all(budget.allows(1.0) for _ in range(100))


@given(events=events)
@example(events=[(0.0, 200, 15), (0.0, 0, 15), (0.0, 0, 15)])
def test_retries_stay_within_the_bounds(events: list[tuple[float, int, int]]) -> None:
    """At least ten retries are allowed in ten seconds.

    In nine seconds there are at most ten retries, or 20 % of ten seconds' requests if that is more.
    """
    budget, requests, retries, now = RetryBudget(), list[float](), list[float](), 500.0
    for passed, asked, failed in events:
        now += passed
        for _ in range(asked):
            budget.count_request(now)
            requests.append(now)
        for _ in range(failed):
            allowed = budget.allows(now)
            if sum(now - moment < 10.001 for moment in retries) < 10:
                assert allowed
            if allowed:
                budget.count_retry(now)
                retries.append(now)
                lately = sum(now - moment < 8.999 for moment in retries)
                assert lately <= max(10, 0.2 * sum(now - moment < 10.001 for moment in requests))


def spent(budget: SharedRetryBudget, tenant: str, most: int = 1_000) -> int:
    """Let a tenant retry as often as it may, and return the number of retries."""
    count = 0
    while count < most and budget.allows(0.0, tenant):
        budget.count_retry(0.0, tenant)
        count += 1
    return count


def test_each_tenant_has_ten_retries_of_its_own() -> None:
    """Another tenant's retries do not use up a tenant's own ten retries."""
    budget = SharedRetryBudget()
    assert [spent(budget, tenant) for tenant in "abc"] == [10, 10, 10]


def test_above_ten_tenants_share_a_fifth_of_all_requests() -> None:
    """A tenant may retry a fifth of all tenants' requests. Each tenant also keeps a fifth of its own requests."""
    budget = SharedRetryBudget()
    for _ in range(300):
        budget.count_request(0.0, "b")
    assert spent(budget, "a") == 60
    assert spent(budget, "b") == 60
    assert spent(budget, "c") == 10


@given(events=events)
def test_single_tenant_has_the_unshared_budget(events: list[tuple[float, int, int]]) -> None:
    """For a single tenant, the shared budget allows a retry exactly when the unshared budget does."""
    shared, alone, now = SharedRetryBudget(), RetryBudget(), 500.0
    for passed, asked, failed in events:
        now += passed
        for _ in range(asked):
            shared.count_request(now)
            alone.count_request(now)
        for _ in range(failed):
            assert shared.allows(now) is alone.allows(now)
            if alone.allows(now):
                shared.count_retry(now)
                alone.count_retry(now)


def test_tenants_are_bounded() -> None:
    budget = SharedRetryBudget()
    for number in range(MAX_TENANTS + 5):
        budget.count_request(0.0, str(number))
    assert len(budget._own) == MAX_TENANTS
