"""Tests of a deployment's circuits that follow the cooldown of an account. The port to other replicas is a fake.

Tests of the shared part without other replicas are in ``test_circuit_tenants.py``.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.resilience.account_cooldown import AccountCooldown
from proxy.resilience.circuit import State
from proxy.resilience.deployment_health import Attempt, DeploymentHealth
from proxy.resilience.failure_table import Blame, Reach


def following() -> tuple[DeploymentHealth, AccountCooldown]:
    """Return a deployment's health, and the cooldown of its account."""
    account = AccountCooldown("name", lambda _: None)
    return DeploymentHealth("x", 5.0, account), account


def fail(
    health: DeploymentHealth, blame: Blame, asked_s: float | None, now: float, reach: Reach, tenant: str = "a"
) -> None:
    """Let a call fail."""
    with Attempt(health, tenant, now) as attempt:
        attempt.failed(blame, asked_s, now, reach)


@pytest.mark.parametrize(
    ("blame", "asked_s", "reach", "until"),
    [
        (Blame.COOLDOWN, 30.0, Reach.ALL, 30.0),
        (Blame.COOLDOWN, None, Reach.ALL, 5.0),
        (Blame.COOLDOWN, 1e9, Reach.ALL, 3600.0),
        (Blame.LONG_COOLDOWN, None, Reach.ALL, 60.0),
        (Blame.COOLDOWN, 30.0, Reach.TENANT, float("-inf")),
        (Blame.LONG_COOLDOWN, 90.0, Reach.TENANT, float("-inf")),
        (Blame.COUNTED, None, Reach.ALL, float("-inf")),
    ],
)
def test_only_cooldowns_of_the_account_are_shared(
    blame: Blame, asked_s: float | None, reach: Reach, until: float
) -> None:
    """Failures that a client or this replica's network may have caused are not."""
    health, account = following()
    for _ in range(3):
        fail(health, blame, asked_s, 0.0, reach)
    assert health.shared.open_until is not None or reach is Reach.TENANT
    assert account.until == until


def test_without_the_lease_a_half_open_circuit_takes_no_request() -> None:
    health, account = following()
    account.learn("x", 10.0)
    circuit = health.peek_circuit("a")
    assert circuit.state(10.0) is State.HALF_OPEN
    assert not circuit.allows(10.0)
    with Attempt(health, "a", 10.0) as forced:
        assert not forced.is_probe
    account.lease.grant(b"t", 10.0)
    assert circuit.allows(10.0)
    with Attempt(health, "a", 10.0) as probe:
        assert probe.is_probe
        assert not circuit.allows(10.0)
        assert not health.peek_circuit("b").allows(10.0)


def test_failures_of_this_process_alone_need_no_lease() -> None:
    health, account = following()
    for _ in range(3):
        fail(health, Blame.COUNTED, None, 0.0, Reach.ALL)
    assert health.peek_circuit("a").allows(5.0)
    assert account.lease.is_idle(5.0)


def test_the_end_of_a_cooldown_closes_what_it_had_opened() -> None:
    """The circuit of the tenant whose call was refused is among it. Another tenant's failures stay."""
    health, account = following()
    fail(health, Blame.COOLDOWN, 60.0, 1.0, Reach.TENANT, "b")
    fail(health, Blame.COOLDOWN, 30.0, 1.0, Reach.ALL, "a")
    account.to_publish = False
    account.note_published("x")
    account.note_closed("x")
    assert health.shared.open_until is None
    assert [health.circuit_of(tenant).state(2.0) for tenant in "abc"] == [0, 2, 0]


def test_failures_for_all_tenants_outlast_the_end_of_a_cooldown() -> None:
    health, account = following()
    for tenant in "ab":
        fail(health, Blame.COOLDOWN, 60.0, 1.0, Reach.TENANT, tenant)
    account.learn("x", 30.0)
    account.note_gone(20.0)
    assert health.shared.open_until == 61.0
    account.note_closed("x")
    assert health.peek_circuit("c").state(2.0) is State.OPEN
    assert health.peek_circuit("c").allows(61.0)


def test_an_answer_ends_the_cooldown_for_all_replicas() -> None:
    health, account = following()
    account.learn("x", 10.0)
    with Attempt(health, "a", 11.0) as attempt:
        attempt.note_answer_started()
        assert account.closing == "x"
    assert health.shared.open_until is None


def test_results_from_before_a_learned_cooldown_do_not_count() -> None:
    health, account = following()
    early = Attempt(health, "a", 0.0)
    account.learn("x", 10.0)
    early.succeeded(1.0)
    assert account.cooling
    assert health.peek_circuit("a").state(1.0) is State.OPEN


def test_a_cooldown_that_replaced_another_counts_alone() -> None:
    """The rest of the other one may have been shorter than it seemed. Own failures count too."""
    health, account = following()
    fail(health, Blame.COOLDOWN, 40.0, 0.0, Reach.ALL)
    ends = []
    for end in (600.0, 30.0, 50.0):
        account.learn(str(end), end)
        ends.append(health.shared.open_until)
    assert ends == [600.0, 40.0, 50.0]


def test_after_an_answer_failures_count_anew() -> None:
    """The end of an earlier opening does not make a later one longer."""
    health, account = following()
    fail(health, Blame.COOLDOWN, 600.0, 0.0, Reach.ALL)
    with Attempt(health, "a", 1.0) as attempt:
        attempt.succeeded(1.0)
    account.learn("x", 30.0)
    account.note_gone(20.0)
    assert health.shared.open_until == 20.0


@given(
    outcomes=st.lists(
        st.tuples(
            st.sampled_from(["cool", "long", "count", "fine"]),
            st.sampled_from([0.0, 4.0, 70.0]),
            st.sampled_from(["a", "b"]),
        ),
        max_size=30,
    )
)
def test_one_process_alone_has_the_same_states_with_and_without_sharing(
    outcomes: list[tuple[str, float, str]],
) -> None:
    """Sharing changes no opening and no cooldown. It closes at most more circuits, where an answer has come."""
    alone, (shared, _) = DeploymentHealth("x", 5.0), following()
    now = 0.0
    for outcome, passed, tenant in outcomes:
        now += passed
        for health in (alone, shared):
            if outcome == "fine":
                with Attempt(health, tenant, now) as attempt:
                    attempt.succeeded(now)
            else:
                blame = {"cool": Blame.COOLDOWN, "long": Blame.LONG_COOLDOWN, "count": Blame.COUNTED}[outcome]
                fail(health, blame, 20.0, now, Reach.TENANT if outcome == "count" else Reach.ALL, tenant)
        for name in ("a", "b", "c"):
            assert shared.peek_circuit(name).state(now) <= alone.peek_circuit(name).state(now)
            if all(what != "fine" for what, _, _ in outcomes):
                assert shared.peek_circuit(name).due == alone.peek_circuit(name).due
