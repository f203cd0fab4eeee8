"""Tests of the part of a circuit that several tenants of one deployment share."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.resilience.circuit import State
from proxy.resilience.deployment_health import Attempt, DeploymentHealth
from proxy.resilience.failure_table import Blame, Reach


def fail(
    health: DeploymentHealth, tenant: str, blame: Blame, now: float, reach: Reach = Reach.TENANT
) -> None:
    """Let a tenant's call fail, three times for a counted failure."""
    for _ in range(3 if blame is Blame.COUNTED else 1):
        with Attempt(health, tenant, now) as attempt:
            attempt.failed(blame, None, now, reach)


def states(health: DeploymentHealth, now: float) -> list[int]:
    """Return the circuit's states for three tenants: 0 is closed, 1 is half open, and 2 is open."""
    return [int(health.peek_circuit(tenant).state(now)) for tenant in "abc"]


@pytest.mark.parametrize("blame", [Blame.COUNTED, Blame.COOLDOWN, Blame.LONG_COOLDOWN])
def test_circuits_of_two_tenants_open_it_for_all(blame: Blame) -> None:
    """Open circuits of two tenants open the deployment's circuit for all.

    When the circuits are due, each tenant may send a probe.
    """
    health = DeploymentHealth("x", 5.0)
    fail(health, "a", blame, 0.0)
    assert states(health, 0.0) == [2, 0, 0]
    fail(health, "b", blame, 1.0)
    assert states(health, 1.0) == [2, 2, 2]
    due = max(health.peek_circuit(tenant).due for tenant in "abc")
    assert states(health, due) == [1, 1, 1]
    with Attempt(health, "c", due) as attempt:
        attempt.succeeded(due)
    assert health.peek_circuit("c").state(due) is State.CLOSED


@pytest.mark.parametrize(
    ("failures", "opens"),
    [
        ("a" * 100, False),
        ("a" * 100 + "b", False),
        ("aabb", True),
        ("abab", True),
        ("abc", False),
        ("abcd", True),
        ("aa-bb", False),
    ],
)
def test_failures_of_several_tenants_open_it_for_all(failures: str, opens: bool) -> None:
    """One tenant alone never opens the shared circuit, not even with one failure of another tenant.

    An answer between the failures resets the count.
    """
    health = DeploymentHealth("x", 5.0)
    for tenant in failures:
        with Attempt(health, "c" if tenant == "-" else tenant, 0.0) as attempt:
            if tenant == "-":
                attempt.succeeded(0.0)
            else:
                attempt.failed(Blame.COUNTED, None, 0.0)
    assert (health.peek_circuit("other").state(0.0) is State.OPEN) is opens


@pytest.mark.parametrize(("tenants", "reach", "most"), [(300, Reach.TENANT, 4), (300, Reach.ALL, 3)])
def test_an_outage_is_found_by_many_tenants_together(tenants: int, reach: Reach, most: int) -> None:
    """A few failures of different tenants open the circuit for all, for any number of tenants."""
    health, failed = DeploymentHealth("x", 5.0), 0
    for number in range(3 * tenants):
        tenant, now = str(number % tenants), 0.0
        if health.peek_circuit(tenant).allows(now):
            with Attempt(health, tenant, now) as attempt:
                attempt.failed(Blame.COUNTED, None, now, reach)
            failed += 1
    assert failed == most


def test_an_answer_to_one_of_the_two_opens_it_to_others() -> None:
    """An answer to one of two failing tenants closes the shared circuit. The other tenant's own circuit stays open."""
    health = DeploymentHealth("x", 5.0)
    for tenant in "ab":
        fail(health, tenant, Blame.COUNTED, 0.0)
    with Attempt(health, "a", 1.0) as attempt:
        attempt.succeeded(2.0)
    assert states(health, 2.0) == [0, 2, 0]


def test_a_failure_of_the_account_is_closed_by_any_answer() -> None:
    """Any tenant's answer closes the shared circuit.

    The tenant that got the error keeps its own circuit, now half open.
    """
    health = DeploymentHealth("x", 5.0)
    fail(health, "a", Blame.COOLDOWN, 0.0, Reach.ALL)
    assert states(health, 0.0) == [2, 2, 2]
    assert states(health, 5.0) == [1, 1, 1]
    with Attempt(health, "b", 5.0) as attempt:
        assert attempt.is_probe
        attempt.succeeded(6.0)
    assert states(health, 6.0) == [1, 0, 0]


def test_each_tenant_has_a_probe() -> None:
    """Each tenant may send one probe, so a slow probe blocks no other tenant."""
    health = DeploymentHealth("x", 5.0)
    fail(health, "a", Blame.COOLDOWN, 0.0, Reach.ALL)
    probes = [Attempt(health, tenant, 5.0) for tenant in "aab"]

    assert [probe.is_probe for probe in probes] == [True, False, True]
    assert [health.peek_circuit(tenant).allows(5.0) for tenant in "abc"] == [False, False, True]


def test_a_stale_answer_does_not_close_the_account_s_circuit() -> None:
    """An answer to a call that began before the failure does not close the circuit."""
    health = DeploymentHealth("x", 5.0)
    early = Attempt(health, "b", 0.0)
    fail(health, "a", Blame.LONG_COOLDOWN, 1.0, Reach.ALL)
    early.succeeded(2.0)
    assert states(health, 2.0) == [2, 2, 2]


def test_three_calls_that_could_not_be_sent_count_for_all() -> None:
    """Three unsent calls in a row open the circuit for all, even from one tenant.

    Any other result between the unsent calls resets the count.
    """
    health = DeploymentHealth("x", 5.0)
    for tenant, reaches in (("a", "AAT"), ("b", "AAA")):
        for reach in reaches:
            with Attempt(health, tenant, 0.0) as attempt:
                attempt.failed(Blame.COUNTED, None, 0.0, Reach.ALL if reach == "A" else Reach.TENANT)
        assert states(health, 0.0) == ([2, 0, 0] if tenant == "a" else [2, 2, 2])
    assert health.shared.open_until is not None


CALLS = st.lists(
    st.tuples(
        st.sampled_from(
            ["strike", "unsent", "cool", "park", "cool all", "park all", "none", "fine", "begun"]
        ),
        st.sampled_from([0.0, 0.1, 4.9, 5.0, 31.0, 61.0]),
        st.booleans(),
    ),
    max_size=40,
)


@given(calls=CALLS)
def test_with_a_single_tenant_the_shared_part_changes_nothing(calls: list[tuple[str, float, bool]]) -> None:
    """For a single tenant, the state is the same with and without the shared part."""
    health, now = DeploymentHealth("x", 5.0), 0.0
    open_calls: list[Attempt] = []
    for what, passed, stays in calls:
        now += passed
        circuit = health.circuit_of("")
        assert circuit.due == circuit.own_due
        shared, health.shared.open_until = health.shared.open_until, None
        alone = circuit.state(now)
        health.shared.open_until = shared
        assert circuit.state(now) is alone
        attempt = Attempt(health, "", now)
        reach = Reach.ALL if what in ("unsent", "cool all", "park all") else Reach.TENANT
        blames = {"strike": Blame.COUNTED, "unsent": Blame.COUNTED, "none": Blame.NONE}
        if what == "fine":
            attempt.succeeded(now)
        elif what == "begun":
            attempt.note_answer_started()
        else:
            blame = blames.get(what) or (Blame.COOLDOWN if what.startswith("cool") else Blame.LONG_COOLDOWN)
            attempt.failed(blame, None, now, reach)
        if stays:
            open_calls.append(attempt)
        else:
            attempt.release()
