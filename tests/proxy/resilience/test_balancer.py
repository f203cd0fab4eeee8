"""Tests of the choice of the next deployment.

For a pool that is not empty, the balancer always chooses a deployment.
"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from proxy.config import resolve
from proxy.core.deployment import Deployment
from proxy.resilience import balancer as module
from proxy.resilience.balancer import Balancer
from proxy.resilience.circuit import State
from proxy.resilience.deployment_health import Attempt
from proxy.resilience.failure_table import Blame
from tests.proxy.config.samples import entry, settings_of

SETTINGS = settings_of(
    entry("fast", api_key="k0"),
    entry("fast", api_key="k1"),
    entry("fast", api_key="k2"),
    entry("lone", api_key="k3"),
    entry("gemini/*", "gemini/*", api_key="k4"),
)
POOL = A, B, C = resolve(SETTINGS, "fast")
LONE = resolve(SETTINGS, "lone")


def wild(name: str) -> Deployment:
    """Return the deployment of a wildcard's model."""
    return resolve(SETTINGS, f"gemini/{name}")[0]


def fail(balancer: Balancer, deployment: Deployment, blame: Blame, asked_s: float | None, now: float) -> None:
    """End one call with a failure."""
    with balancer.acquire(deployment, now) as attempt:
        attempt.failed(blame, asked_s, now)


@pytest.fixture
def balancer() -> Balancer:
    """Return a balancer without any state."""
    return Balancer(5.0)


def test_calls_are_spread_by_load_and_file_order(balancer: Balancer) -> None:
    """Six simultaneous calls are spread evenly. The deployment whose call ends first gets the seventh."""
    attempts, order = [], []
    for _ in range(6):
        chosen = balancer.choose(POOL, 0.0)
        order.append(chosen)
        attempts.append(balancer.acquire(chosen, 0.0))
    assert order == [A, B, C, A, B, C]
    attempts[1].release()
    assert balancer.choose(POOL, 0.0) == B


def test_a_tried_deployment_is_chosen_last(balancer: Balancer) -> None:
    """A deployment that was tried is chosen only if no other is ready."""
    assert balancer.choose(POOL, 0.0, {A.position}) == B
    held = [balancer.acquire(B, 0.0), balancer.acquire(C, 0.0)]
    assert balancer.choose(POOL, 0.0, {A.position}) == B, "busy, but not tried"
    assert balancer.choose(POOL, 0.0, {A.position, B.position, C.position}) == A
    fail(balancer, B, Blame.LONG_COOLDOWN, None, 0.0)
    fail(balancer, C, Blame.LONG_COOLDOWN, None, 0.0)
    assert balancer.choose(POOL, 0.0, {A.position}) == A, "tried, but the others are parked"
    assert len(held) == 2


def test_open_circuits_are_avoided(balancer: Balancer) -> None:
    """Deployments with open circuits are avoided, even if the others have many calls in flight."""
    fail(balancer, A, Blame.COOLDOWN, 30.0, 0.0)
    fail(balancer, B, Blame.LONG_COOLDOWN, None, 0.0)
    held = [balancer.acquire(C, 0.0) for _ in range(5)]
    assert balancer.choose(POOL, 29.9) == C
    assert balancer.choose(POOL, 30.0) == A, "its time is over, and it is not busy"
    assert len(held) == 5


def test_with_all_circuits_open_the_first_due_is_chosen(balancer: Balancer) -> None:
    """With all circuits open, the deployment whose circuit is due first is chosen, even if it was tried."""
    fail(balancer, A, Blame.COOLDOWN, 30.0, 0.0)
    fail(balancer, B, Blame.COOLDOWN, 10.0, 0.0)
    fail(balancer, C, Blame.LONG_COOLDOWN, 600.0, 0.0)
    assert balancer.choose(POOL, 1.0, {B.position}) == B
    assert not balancer.another_ready(POOL, 1.0, set())


def test_another_ready_deployment_is_found(balancer: Balancer) -> None:
    """Another deployment is ready if it was not tried and its circuit admits requests."""
    assert balancer.another_ready(POOL, 0.0, {A.position})
    fail(balancer, B, Blame.LONG_COOLDOWN, None, 0.0)
    assert balancer.another_ready(POOL, 0.0, {A.position})
    assert not balancer.another_ready(POOL, 0.0, {A.position, C.position})
    assert not balancer.another_ready(LONE, 0.0, {LONE[0].position})


def test_a_single_deployment_is_never_refused(balancer: Balancer) -> None:
    """A single deployment is never refused, since its cooldown would be an outage made by the proxy."""
    for _ in range(10):
        fail(balancer, LONE[0], Blame.COUNTED, None, 0.0)
    assert balancer.state(LONE[0], 0.0) is State.OPEN
    assert balancer.choose(LONE, 0.0, {LONE[0].position}) == LONE[0]


def test_an_empty_pool_raises(balancer: Balancer) -> None:
    """``choose`` raises for an empty pool."""
    with pytest.raises(ValueError, match="empty"):
        balancer.choose((), 0.0)


def test_one_probe_and_the_rest_go_to_others(balancer: Balancer) -> None:
    """One call probes a recovering deployment, and the other calls go to other deployments.

    A cancelled probe makes room for the next.
    """
    for _ in range(3):
        fail(balancer, A, Blame.COUNTED, None, 0.0)
    probe = balancer.acquire(A, 5.0)
    assert probe.is_probe
    assert balancer.choose(POOL, 5.0) == B
    with pytest.raises(KeyboardInterrupt), probe:
        raise KeyboardInterrupt
    assert balancer.choose(POOL, 5.0) == A
    with balancer.acquire(A, 5.0) as probe:
        probe.note_answer_started()
        assert balancer.state(A, 5.0) is State.CLOSED
        probe.succeeded(6.0)
    assert balancer.in_flight(A) == 0


def test_failures_of_the_request_blame_no_deployment(balancer: Balancer) -> None:
    """Failures of the request open no circuit, so invalid requests take no deployment from other clients."""
    for _ in range(50):
        fail(balancer, A, Blame.NONE, 600.0, 0.0)
    assert balancer.state(A, 0.0) is State.CLOSED


def test_an_attempt_is_released_once(balancer: Balancer) -> None:
    """An attempt is released once. Further releases change nothing."""
    with balancer.acquire(A, 0.0) as attempt:
        attempt.release()
        with balancer.acquire(A, 0.0):
            attempt.release()
            assert balancer.in_flight(A) == 1
    assert balancer.in_flight(A) == 0


def test_models_of_a_wildcard_have_separate_states(balancer: Balancer) -> None:
    """Each model of a wildcard has its own state, and the gauge shows the worst state."""
    fail(balancer, wild("gone"), Blame.LONG_COOLDOWN, None, 0.0)
    with balancer.acquire(wild("here"), 0.0):
        assert balancer.state(wild("here"), 0.0) is State.CLOSED
        assert balancer.state(wild("gone"), 0.0) is State.OPEN
        assert balancer.states(0.0) == {("gemini/*", 4): State.OPEN}
        assert balancer.states(60.0) == {("gemini/*", 4): State.HALF_OPEN}


def test_models_that_clients_name_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """State for models that clients name is bounded.

    The least recently used state is dropped, but never that of a configured deployment.
    """
    monkeypatch.setattr(module, "MAX_WILDCARD_MODELS", 3)
    balancer = Balancer(5.0)
    fail(balancer, A, Blame.LONG_COOLDOWN, None, 0.0)
    for name in "xy":
        fail(balancer, wild(name), Blame.LONG_COOLDOWN, None, 0.0)
    forgotten = balancer.acquire(wild("y"), 0.0)
    for name in "xpq":
        fail(balancer, wild(name), Blame.LONG_COOLDOWN, None, 0.0)
    assert [balancer.state(wild(name), 0.0) for name in "xypq"] == [2, 0, 2, 2]
    assert balancer.state(A, 0.0) is State.OPEN
    forgotten.release()
    assert balancer.in_flight(wild("y")) == 0


def test_the_retry_budget_is_the_entry_s(balancer: Balancer) -> None:
    """All names that match one wildcard entry share its retry budget. Other entries have budgets of their own."""
    for number in range(10):
        one = wild(f"m{number}")
        assert balancer.budget_left((one,), 0.0)
        balancer.count_retry((one,), 0.0)
    assert not balancer.budget_left((wild("new"),), 0.0)
    assert balancer.budget_left(POOL, 0.0)
    for _ in range(55):
        balancer.acquire(wild("m0"), 0.0).release()
    assert balancer.budget_left((wild("new"),), 0.0)


def test_the_retry_budget_is_that_of_the_next_deployment(balancer: Balancer) -> None:
    """The budget of the next deployment counts, not that of the failed one."""
    for _ in range(10):
        balancer.count_retry(POOL, 0.0)
    assert not balancer.budget_left(POOL, 0.0)
    assert balancer.budget_left(POOL, 0.0, {A.position})


ORDERED = resolve(
    settings_of(
        entry("a", api_key="k0", order=2),
        entry("a", api_key="k1"),
        entry("a", api_key="k2", order=1),
        entry("a", api_key="k3", order=1),
    ),
    "a",
)
SECOND, LAST, FIRST, ALSO_FIRST = sorted(ORDERED, key=lambda member: member.position)


def test_a_higher_order_is_asked_only_where_no_lower_one_can(balancer: Balancer) -> None:
    """Busy deployments of a low order still go before those of a higher order.

    A deployment without an order is chosen last.
    """
    held = [balancer.acquire(balancer.choose(ORDERED, 0.0), 0.0) for _ in range(4)]
    assert [balancer.in_flight(member) for member in (FIRST, ALSO_FIRST, SECOND, LAST)] == [2, 2, 0, 0]
    tried = {FIRST.position}
    assert balancer.choose(ORDERED, 0.0, tried) == ALSO_FIRST
    tried.add(ALSO_FIRST.position)
    assert balancer.choose(ORDERED, 0.0, tried) == SECOND, "untried, though of a higher order"
    fail(balancer, FIRST, Blame.COOLDOWN, 30.0, 0.0)
    fail(balancer, ALSO_FIRST, Blame.COOLDOWN, 20.0, 0.0)
    assert balancer.choose(ORDERED, 1.0) == SECOND
    fail(balancer, SECOND, Blame.COOLDOWN, 40.0, 0.0)
    assert balancer.choose(ORDERED, 1.0) == LAST
    fail(balancer, LAST, Blame.COOLDOWN, 10.0, 0.0)
    assert balancer.choose(ORDERED, 1.0) == LAST, "all circuits are open, and its is the first to close"
    assert balancer.choose(ORDERED, 20.0) == ALSO_FIRST
    assert len(held) == 4


def weighted(*weights: float | None) -> tuple[Deployment, ...]:
    """Return a pool whose deployments have these *weights*."""
    params: list[dict[str, Any]] = [{} if weight is None else {"weight": weight} for weight in weights]
    return resolve(
        settings_of(*(entry("a", api_key=f"k{at}", **given) for at, given in enumerate(params))), "a"
    )


def shares(balancer: Balancer, pool: tuple[Deployment, ...], calls: int, now: float = 0.0) -> list[int]:
    """Make *calls* calls one after another, and return how many each deployment got."""
    counts = [0] * len(pool)
    for _ in range(calls):
        chosen = balancer.choose(pool, now)
        balancer.acquire(chosen, now).release()
        counts[pool.index(chosen)] += 1
    return counts


@pytest.mark.parametrize(
    ("weights", "expected"),
    [
        ((3, 1), [75, 25]),
        ((0.7, 0.2, 0.1), [70, 20, 10]),
        ((1, 1), [50, 50]),
        ((1, None), [100, 0]),
        ((None, 2, 0, 2), [0, 50, 0, 50]),
        ((0, 0), [100, 0]),
        ((1e9, 1e-9), [99, 1]),
    ],
)
def test_calls_are_shared_by_weight(
    balancer: Balancer, weights: tuple[float | None, ...], expected: list[int]
) -> None:
    """The shares of weights are exact to one call.

    A deployment without a weight gets no call if another has a weight.
    """
    counts = shares(balancer, weighted(*weights), 100)

    assert sum(counts) == 100
    assert all(abs(count - wanted) <= 1 for count, wanted in zip(counts, expected, strict=True))


def test_shares_are_mixed_and_not_in_blocks(balancer: Balancer) -> None:
    """Any four calls of a pool of 3 to 1 are shared 3 to 1."""
    pool = weighted(3, 1)

    assert [shares(balancer, pool, 4) for _ in range(5)] == [[3, 1]] * 5


def test_deployment_that_was_away_does_not_catch_up(balancer: Balancer) -> None:
    """A deployment that was away gets its usual share after its return, and not the calls it missed."""
    one, other = pool = weighted(1, 1)
    fail(balancer, one, Blame.COOLDOWN, 60.0, 0.0)
    assert shares(balancer, pool, 40, 1.0) == [0, 40]
    balancer.acquire(one, 61.0).succeeded(61.0)
    first, second = shares(balancer, pool, 10, 62.0)
    assert abs(first - second) <= 2
    assert balancer.choose(pool, 62.0, {other.position}) == one


def test_deployment_without_a_weight_answers_where_the_others_cannot(balancer: Balancer) -> None:
    """A deployment without a weight is chosen if the others were tried or have open circuits."""
    heavy, spare = pool = weighted(5, None)
    assert balancer.choose(pool, 0.0, {heavy.position}) == spare
    fail(balancer, heavy, Blame.COOLDOWN, 60.0, 0.0)
    assert balancer.choose(pool, 1.0) == spare


def test_a_choice_alone_moves_no_share(balancer: Balancer) -> None:
    """Choosing a deployment without a call changes no share. The retry budget chooses without a call."""
    pool = weighted(1, 1)
    assert len({balancer.choose(pool, 0.0).position for _ in range(5)}) == 1


def test_shares_are_carried_to_a_new_configuration(balancer: Balancer) -> None:
    """Shares follow their entries to new positions.

    A new entry starts level with the pool, and does not take all calls.
    """
    pool = weighted(1, 1)
    shares(balancer, pool, 101)
    moved = resolve(
        settings_of(
            entry("b"),
            entry("a", api_key="k0", weight=1),
            entry("a", api_key="k1", weight=1),
            entry("a", api_key="new", weight=1),
        ),
        "a",
    )
    carried = balancer.carry({0: 1, 1: 2}, 5.0)

    assert carried.choose(moved, 0.0).position != 1, "it had the last call"
    assert all(abs(count - 10) <= 1 for count in shares(carried, moved, 30))


def test_weights_of_a_wildcard_are_the_entry_s(balancer: Balancer) -> None:
    """Calls to all models of a wildcard entry are counted together."""
    settings = settings_of(
        entry("gemini/*", "gemini/*", api_key="k0", weight=1),
        entry("gemini/*", "gemini/*", api_key="k1", weight=1),
    )
    chosen = []
    for number in range(10):
        member = balancer.choose(resolve(settings, f"gemini/m{number}"), 0.0)
        balancer.acquire(member, 0.0).release()
        chosen.append(member.position)

    assert sorted(chosen) == [0] * 5 + [1] * 5


@given(
    lasts=st.lists(st.floats(0, 100), min_size=3, max_size=3),
    busy=st.lists(st.integers(0, 3), min_size=3, max_size=3),
    tried=st.sets(st.sampled_from([member.position for member in POOL])),
    now=st.floats(0, 100),
)
def test_deployments_are_ranked_by_the_rules(
    lasts: list[float], busy: list[int], tried: set[int], now: float
) -> None:
    """Ready untried deployments go first, then ready ones, then the first due.

    Fewest calls and file order break ties.
    """
    balancer = Balancer(5.0)
    held = []
    for member, last, count in zip(POOL, lasts, busy, strict=True):
        held += [balancer.acquire(member, 0.0) for _ in range(count)]
        if last:
            fail(balancer, member, Blame.COOLDOWN, last, 0.0)
    chosen = balancer.choose(POOL, now, tried)
    ready = [member for member, last in zip(POOL, lasts, strict=True) if last <= now]
    untried = [member for member in ready if member.position not in tried]
    assert balancer.another_ready(POOL, now, tried) is bool(untried)
    if not ready:
        assert lasts[POOL.index(chosen)] == min(lasts)
    else:
        among = untried or ready
        assert chosen in among
        least = min(balancer.in_flight(member) for member in among)
        assert chosen == next(member for member in among if balancer.in_flight(member) == least)
    assert len(held) == sum(busy)


class Balancers(RuleBasedStateMachine):
    """Requests on two pools and a wildcard, whose calls end in any way and in any order."""

    def __init__(self) -> None:
        super().__init__()
        self.balancer = Balancer(5.0)
        self.now = 0.0
        self.under_way: list[tuple[Deployment, Attempt]] = []

    @rule(seconds=st.sampled_from([0.0, 0.3, 5.0, 60.0]))
    def wait(self, seconds: float) -> None:
        """Let time pass."""
        self.now += seconds

    @rule(
        pool=st.sampled_from([POOL, LONE, (wild("a"),), (wild("b"),)]),
        tried=st.sets(st.sampled_from([0, 1, 2, 3])),
        retry=st.booleans(),
    )
    def begin(self, pool: tuple[Deployment, ...], tried: set[int], retry: bool) -> None:
        """Choose a deployment, and call it."""
        ready = self.balancer.another_ready(pool, self.now, tried)
        chosen = self.balancer.choose(pool, self.now, tried)
        assert chosen in pool
        assert not ready or chosen.position not in tried
        self.under_way.append((chosen, self.balancer.acquire(chosen, self.now, retry=retry)))

    @precondition(lambda self: self.under_way)
    @rule(data=st.data(), blame=st.one_of(st.none(), st.sampled_from(Blame)))
    def end(self, data: st.DataObject, blame: Blame | None) -> None:
        """End a call, with or without a result."""
        _, attempt = self.under_way.pop(data.draw(st.integers(0, len(self.under_way) - 1)))
        if blame is not None:
            attempt.failed(blame, None, self.now)
        elif data.draw(st.booleans()):
            attempt.succeeded(self.now)
        attempt.release()
        attempt.release()

    @invariant()
    def counted(self) -> None:
        """Check that calls in flight are counted, and that at most one of them is a probe."""
        for member in (*POOL, *LONE, wild("a"), wild("b")):
            attempts = [attempt for deployment, attempt in self.under_way if deployment == member]
            assert self.balancer.in_flight(member) == len(attempts)
            assert sum(attempt.is_probe for attempt in attempts) <= 1


TestBalancers = Balancers.TestCase
TestBalancers.settings = settings(max_examples=settings().max_examples // 5)  # each example runs fifty steps
