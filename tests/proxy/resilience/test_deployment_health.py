"""Tests of one deployment's health: its state for all tenants, and the bound on tenants."""

from __future__ import annotations

from proxy.resilience.circuit import State
from proxy.resilience.deployment_health import MAX_TENANTS, Attempt, DeploymentHealth
from proxy.resilience.failure_table import Blame, Reach
from tests.proxy.resilience.test_circuit_tenants import fail, states


def test_the_reported_state_is_the_shared_one() -> None:
    """With a single tenant, its state is reported. With several tenants, one open circuit alone is not reported."""
    health = DeploymentHealth("x", 5.0)
    fail(health, "a", Blame.LONG_COOLDOWN, 0.0)
    assert health.state(0.0) is State.OPEN
    Attempt(health, "b", 0.0).release()
    assert health.state(0.0) is State.CLOSED
    fail(health, "b", Blame.LONG_COOLDOWN, 0.0)
    assert health.state(0.0) is State.OPEN


def test_circuits_switched_off_stay_closed() -> None:
    """With a cooldown of 0, circuits are closed for all tenants and stay so."""
    health = DeploymentHealth("x", 5.0)
    for tenant in "ab":
        fail(health, tenant, Blame.LONG_COOLDOWN, 0.0, Reach.ALL)
    health.change_cooldown(0.0)
    assert states(health, 0.0) == [0, 0, 0]
    fail(health, "c", Blame.LONG_COOLDOWN, 0.0, Reach.ALL)
    assert states(health, 0.0) == [0, 0, 0]


def test_tenants_are_bounded() -> None:
    """Tenants with closed circuits are dropped first."""
    health = DeploymentHealth("x", 5.0)
    fail(health, "bad", Blame.LONG_COOLDOWN, 0.0)
    for number in range(MAX_TENANTS + 5):
        Attempt(health, str(number), 0.0).release()
    assert health.peek_circuit("bad").state(0.0) is State.OPEN
    assert len(health.shared.circuits) == MAX_TENANTS
    for number in range(MAX_TENANTS + 5):
        fail(health, str(number), Blame.LONG_COOLDOWN, 0.0)
    assert "bad" not in health.shared.circuits
    assert len(health.shared.circuits) == MAX_TENANTS
