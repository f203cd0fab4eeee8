"""Tests of a balancer that shares cooldowns with other replicas. The sharing is a fake."""

from __future__ import annotations

from proxy.config import resolve
from proxy.core.deployment import Deployment
from proxy.resilience.account_cooldown import AccountCooldown
from proxy.resilience.balancer import Balancer
from proxy.resilience.circuit import State
from tests.proxy.config.samples import entry, settings_of

SETTINGS = settings_of(
    entry("fast", api_key="k0"), entry("fast", api_key="k1"), entry("gemini/*", "gemini/*", api_key="k2")
)
POOL = A, B = resolve(SETTINGS, "fast")
[WILD] = resolve(SETTINGS, "gemini/x")


class Sharing:
    """Accounts by their deployments' keys."""

    def __init__(self) -> None:
        self.accounts: dict[str, AccountCooldown] = {}

    def account_of(self, deployment: Deployment) -> AccountCooldown:
        assert deployment.api_key is not None
        name = deployment.api_key.get_secret_value()
        return self.accounts.setdefault(name, AccountCooldown(name, lambda _: None))


def test_a_cooldown_reaches_a_deployment_that_was_never_used() -> None:
    """The models of a wildcard are not known before they are used."""
    sharing = Sharing()
    balancer = Balancer(5.0, sharing)
    balancer.follow_cooldowns([A, B, WILD])
    assert set(sharing.accounts) == {"k0", "k1"}

    sharing.accounts["k0"].learn("x", 30.0)

    assert balancer.choose(POOL, 0.0) == B
    assert balancer.state(A, 0.0) is State.OPEN
    assert balancer.states(0.0)["fast", 0] is State.OPEN


def test_a_half_open_deployment_is_chosen_with_the_lease_alone() -> None:
    sharing = Sharing()
    balancer = Balancer(5.0, sharing)
    balancer.follow_cooldowns(POOL)
    account = sharing.accounts["k0"]
    account.learn("x", 10.0)

    assert balancer.choose(POOL, 10.0) == B
    assert not balancer.another_ready(POOL, 10.0, {B.position})
    account.lease.grant(b"t", 10.0)
    assert balancer.choose(POOL, 10.0) == A
    with balancer.acquire(A, 10.0) as attempt:
        assert attempt.is_probe
        assert balancer.choose(POOL, 10.0) == B


def test_with_no_deployment_ready_one_is_chosen_all_the_same() -> None:
    sharing = Sharing()
    balancer = Balancer(5.0, sharing)
    balancer.follow_cooldowns(POOL)
    sharing.accounts["k0"].learn("x", 10.0)
    sharing.accounts["k1"].learn("y", 60.0)
    assert balancer.choose(POOL, 10.0) == A, "its circuit is due first"
    assert balancer.choose((A,), 10.0) == A


def test_a_new_configuration_shares_too() -> None:
    """Entries that are in both keep their circuits, and new entries get theirs."""
    sharing = Sharing()
    old = Balancer(5.0, sharing)
    old.follow_cooldowns([A])
    new = old.carry({A.position: A.position}, 5.0)
    new.follow_cooldowns(POOL)

    for name in ("k0", "k1"):
        sharing.accounts[name].learn("x", 30.0)

    assert [new.state(A, 0.0), new.state(B, 0.0)] == [State.OPEN] * 2


def test_without_sharing_nothing_is_made_in_advance() -> None:
    balancer = Balancer(5.0)
    balancer.follow_cooldowns(POOL)
    assert balancer.states(0.0) == {}


def test_circuits_that_are_switched_off_follow_nothing() -> None:
    """They follow once the configuration switches them on."""
    sharing = Sharing()
    balancer = Balancer(0.0, sharing)
    balancer.follow_cooldowns(POOL)
    sharing.accounts["k0"].learn("x", 30.0)
    states = [balancer.state(A, 0.0), balancer.carry({0: 0, 1: 1}, 5.0).state(A, 0.0)]
    assert states == [State.CLOSED, State.OPEN]
