"""Tests that replicas with one store know of each other's cooldowns, and of the end of each cooldown."""

from __future__ import annotations

import gc

import pytest

from proxy.config import resolve
from proxy.core.deployment import Deployment
from proxy.resilience.balancer import MAX_WILDCARD_MODELS, Balancer
from proxy.resilience.circuit import State
from proxy.resilience.failure_table import Blame, Reach
from proxy.state.sharing import shared_cooldowns as module
from proxy.state.sharing.shared_cooldowns import MAX_ACCOUNTS, SharedCooldowns
from proxy.state.spaces import COOLDOWNS, PROBES
from tests.proxy.config.samples import entry, settings_of
from tests.support.shared_memory import SharedMemory

SETTINGS = settings_of(
    entry("fast", "gemini/a", api_key="k0"),
    entry("fast", "gemini/a", api_key="k1"),
    entry("gemini/*", "gemini/*", api_key="k2"),
    entry("same", "gemini/a", api_key="k0"),
)
POOL = A, B = resolve(SETTINGS, "fast")
[SAME] = resolve(SETTINGS, "same")
[WILD] = resolve(SETTINGS, "gemini/x")


class World:
    """Three replicas, one store and one clock."""

    def __init__(self) -> None:
        self.now = 100.0
        self.store = SharedMemory(lambda: self.now)
        self.replicas = [Replica(self) for _ in range(3)]

    async def tick(self, seconds: float = 1.0) -> None:
        """Let time pass. Then every replica exchanges once, one after another."""
        self.now += seconds
        for replica in self.replicas:
            await replica.exchange()


class Replica:
    """One process: its balancer, and its exchange with the others. A single tenant uses it."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.shared = SharedCooldowns(world.store)
        self.balancer = Balancer(5.0, self.shared)
        self.balancer.follow_cooldowns([A, B, SAME])

    async def exchange(self) -> None:
        """Do what the background tasks do once a second."""
        await self.shared.write(self.world.now)
        await self.shared.poll(self.world.now)

    async def wake(self) -> None:
        """Do what the background task does when it is woken."""
        if self.shared.changed.is_set():
            self.shared.changed.clear()
            await self.shared.write(self.world.now)

    def refuse(self, asked_s: float | None, deployment: Deployment = A, reach: Reach = Reach.ALL) -> None:
        """Let a call fail with a delay that the provider asks for."""
        with self.balancer.acquire(deployment, self.world.now) as attempt:
            attempt.failed(Blame.COOLDOWN, asked_s, self.world.now, reach)

    def answer(self, deployment: Deployment = A) -> None:
        """Let a call be answered."""
        with self.balancer.acquire(deployment, self.world.now) as attempt:
            attempt.succeeded(self.world.now)

    def state(self, deployment: Deployment = A) -> State:
        """Return the circuit's state."""
        return self.balancer.state(deployment, self.world.now)

    def may_ask(self) -> bool:
        """Return True where a request would go to A although B is ready."""
        return self.balancer.choose([A, B], self.world.now) == A


@pytest.fixture
def world() -> World:
    """Return three replicas without any state."""
    return World()


def states(world: World, deployment: Deployment = A) -> list[State]:
    """Return the states of the deployment's circuit in all replicas."""
    return [replica.state(deployment) for replica in world.replicas]


async def test_a_cooldown_is_known_everywhere_after_one_exchange(world: World) -> None:
    """It is known for the deployment with this key, and for no other key."""
    world.replicas[0].refuse(30.0)

    await world.replicas[0].wake()
    await world.tick()

    assert states(world) == [State.OPEN] * 3
    assert states(world, B) == [State.CLOSED] * 3
    await world.tick(28.9)
    assert states(world) == [State.OPEN] * 3
    await world.tick(0.2)
    assert states(world) == [State.HALF_OPEN] * 3


async def test_an_account_cools_down_under_every_name(world: World) -> None:
    """Two entries of one model with one key are one account."""
    world.replicas[0].refuse(30.0)
    await world.tick()
    assert states(world, SAME) == [State.OPEN] * 3


async def test_failures_of_a_tenant_or_of_the_network_stay_here(world: World) -> None:
    """Only what the provider says of the account is true for other replicas."""
    here = world.replicas[0]
    here.refuse(30.0, reach=Reach.TENANT)
    for _ in range(4):
        with here.balancer.acquire(B, world.now) as attempt:
            attempt.failed(Blame.COUNTED, None, world.now, Reach.ALL)

    await world.tick()

    assert states(world) == [State.OPEN, State.CLOSED, State.CLOSED]
    assert states(world, B) == [State.OPEN, State.CLOSED, State.CLOSED]
    assert not here.shared.changed.is_set()


async def test_a_refusal_of_less_than_a_second_is_not_shared(world: World) -> None:
    world.replicas[0].refuse(0.9)
    await world.tick(0.5)
    assert states(world) == [State.OPEN, State.CLOSED, State.CLOSED]
    assert "put probes" not in world.store.calls


async def test_many_refusals_of_one_moment_are_written_once(world: World) -> None:
    """Twenty calls that fail together are one cooldown. So are calls that fail within a second."""
    for _ in range(20):
        world.replicas[0].refuse(30.0)
        await world.replicas[0].wake()
        world.now += 0.04

    assert world.store.calls == {"put cooldowns": 1}


@pytest.mark.parametrize("knows", [True, False])
async def test_a_longer_cooldown_is_never_shortened(world: World, knows: bool) -> None:
    """It makes no difference if the second replica knew of the longer cooldown or not."""
    first, second, third = world.replicas
    first.refuse(600.0)
    await first.wake()
    if knows:
        await world.tick()
    second.refuse(5.0)
    await second.wake()

    await world.tick()
    assert states(world) == [State.OPEN] * 3
    await world.tick(590.0)
    assert states(world) == [State.OPEN] * 3
    await world.tick(12.0)
    assert third.state() is State.HALF_OPEN


@pytest.mark.parametrize("knows", [True, False])
async def test_a_longer_cooldown_replaces_a_shorter_one(world: World, knows: bool) -> None:
    first, second, _ = world.replicas
    first.refuse(30.0)
    await first.wake()
    if knows:
        await world.tick()
    second.refuse(60.0)
    await second.wake()

    await world.tick()
    await world.tick(50.0)

    assert states(world) == [State.OPEN] * 3


async def test_a_known_rest_is_replaced_by_a_longer_cooldown(world: World) -> None:
    """The second cooldown is shorter than the first one was, but longer than its rest."""
    first, second, _ = world.replicas
    first.refuse(100.0)
    await world.tick(0.0)
    await world.tick(0.0)
    await world.tick(80.0)
    second.refuse(60.0)
    await second.wake()

    await world.tick()
    await world.tick(40.0)

    assert states(world) == [State.OPEN] * 3


async def test_a_shorter_cooldown_is_told_when_the_longer_one_ends_first(world: World) -> None:
    """A replica that started late does not know the rest of a cooldown. It may keep back a longer one for a while."""
    first, second, third = world.replicas
    first.refuse(100.0)
    await first.wake()
    world.now += 90.0
    second.refuse(60.0)  # it has not read the first one, so the rest may be 100 seconds
    await second.wake()
    await world.tick()

    await world.tick(10.0)  # the first one is over
    await world.tick()
    await world.tick(40.0)

    assert [second.state(), third.state()] == [State.OPEN] * 2


async def test_a_replica_that_starts_late_does_not_wait_longer_than_the_others(world: World) -> None:
    """It cannot know the rest, but the entry is gone when the rest is over."""
    world.replicas[0].refuse(600.0)
    await world.tick()
    world.now += 500.0
    late = Replica(world)
    world.replicas.append(late)

    await world.tick()
    assert late.state() is State.OPEN
    await world.tick(100.0)

    assert states(world) == [State.HALF_OPEN] * 4


async def test_an_answer_closes_the_circuit_everywhere(world: World) -> None:
    """Even before the cooldown is over: a lone deployment is still asked, and an answer shows that it works."""
    world.replicas[0].refuse(30.0)
    await world.tick()

    world.replicas[1].answer()
    await world.replicas[1].wake()
    await world.tick()

    assert states(world) == [State.CLOSED] * 3
    await world.tick()
    assert states(world) == [State.CLOSED] * 3


async def test_an_answer_does_not_close_a_newer_cooldown(world: World) -> None:
    """The answer is to a call that began before the newer cooldown."""
    first, second, _ = world.replicas
    first.refuse(30.0)
    await world.tick()
    with second.balancer.acquire(A, world.now) as attempt:
        first.refuse(60.0)
        await first.wake()
        attempt.succeeded(world.now)
    await second.wake()

    await world.tick()

    assert states(world) == [State.OPEN] * 3


async def test_an_answer_of_a_call_from_before_the_cooldown_does_not_count(world: World) -> None:
    with world.replicas[1].balancer.acquire(A, world.now) as attempt:
        world.replicas[0].refuse(30.0)
        await world.tick()
        attempt.succeeded(world.now)

    await world.tick()

    assert states(world) == [State.OPEN] * 3


async def test_own_failures_outlast_the_end_of_a_cooldown(world: World) -> None:
    """An answer that another replica got does not close a circuit that this replica's failures keep open longer."""
    first, second, _ = world.replicas
    first.refuse(10.0)
    await world.tick()
    with second.balancer.acquire(A, world.now) as attempt:
        attempt.failed(Blame.LONG_COOLDOWN, 60.0, world.now, Reach.TENANT)

    first.answer()
    await world.tick()
    await world.tick()

    assert states(world) == [State.CLOSED, State.OPEN, State.CLOSED]


async def test_only_an_entry_that_is_known_to_be_gone_ends_a_cooldown(world: World) -> None:
    """A store that is down returns nothing, which must not end the cooldown."""
    world.replicas[0].refuse(600.0)
    await world.tick()
    world.store.down = True
    await world.tick()
    await world.tick(60.0)
    assert states(world) == [State.OPEN] * 3


async def test_a_cooldown_is_told_after_an_outage_of_the_store(world: World) -> None:
    """The rest of the cooldown is told once the store is back, also by a store that has lost everything."""
    world.store.down = True
    world.replicas[0].refuse(600.0)
    await world.tick()
    await world.tick()
    assert states(world) == [State.OPEN, State.CLOSED, State.CLOSED]
    world.store.down = False

    for _ in range(3):
        await world.tick()
    assert states(world) == [State.OPEN] * 3
    [name] = [account.name for account in [world.replicas[0].shared.account_of(A)]]
    await world.store.delete(COOLDOWNS, [name, "marker"], tenant="")
    for _ in range(3):
        await world.tick()

    assert states(world) == [State.OPEN] * 3


async def test_a_cooldown_is_written_later_where_the_store_refuses_a_swap(world: World) -> None:
    first, second, third = world.replicas
    first.refuse(10.0)
    await world.tick()
    original = world.store.swap

    async def no_swap(*given: object, **named: object) -> bool:
        return False

    world.store.swap = no_swap  # type: ignore[method-assign]
    second.refuse(60.0)
    await second.wake()
    world.store.swap = original  # type: ignore[method-assign]

    await world.tick()
    await world.tick(20.0)

    assert third.state() is State.OPEN


async def test_a_rest_of_less_than_a_second_is_not_written(world: World) -> None:
    """The background task was late."""
    world.replicas[0].refuse(1.5)
    world.now += 1.0
    await world.replicas[0].wake()
    assert world.store.calls == {}


async def test_an_ended_cooldown_that_still_stands_is_replaced(world: World) -> None:
    """The store was down when it ended. The replica that got the answer knows better than the entry."""
    first, second, third = world.replicas
    first.refuse(600.0)
    await world.tick()
    world.store.down = True
    second.answer()
    await world.tick()
    world.store.down = False
    second.refuse(30.0)

    await world.tick()
    await world.tick()
    await world.tick(29.0)

    assert [second.state(), third.state()] == [State.HALF_OPEN] * 2


@pytest.mark.parametrize("garbage", [b"\xff", b"[]", b'{"id":"a"}'])
async def test_garbage_in_the_store_is_replaced(world: World, garbage: bytes) -> None:
    name = world.replicas[0].shared.account_of(A).name
    await world.store.put(COOLDOWNS, {name: garbage}, tenant="")
    await world.tick()
    assert states(world) == [State.CLOSED] * 3

    world.replicas[0].refuse(600.0)
    await world.tick()

    assert states(world) == [State.OPEN] * 3


async def test_an_answer_during_a_reading_counts(world: World) -> None:
    """The reading is from before the answer."""
    first, second, _ = world.replicas
    first.refuse(30.0)
    await world.tick()
    original = world.store.get

    async def slow_get(*given: object, **named: object) -> object:
        values = await original(*given, **named)  # type: ignore[arg-type]
        second.answer()
        return values

    world.store.get = slow_get  # type: ignore[assignment, method-assign]
    await second.shared.poll(world.now)
    world.store.get = original  # type: ignore[method-assign]

    assert second.state() is State.CLOSED
    await world.tick()
    await world.tick()
    assert states(world) == [State.CLOSED] * 3


async def test_an_end_that_was_read_before_a_new_refusal_does_not_count(world: World) -> None:
    """The refusal comes during the reading of the end, and its cooldown has been published meanwhile."""
    first, second, _ = world.replicas
    first.refuse(30.0)
    await world.tick()
    second.answer()
    await second.wake()
    original = world.store.get

    async def slow_get(*given: object, **named: object) -> object:
        values = await original(*given, **named)  # type: ignore[arg-type]
        first.refuse(60.0)
        return values

    world.store.get = slow_get  # type: ignore[assignment, method-assign]
    await first.shared.poll(world.now)
    world.store.get = original  # type: ignore[method-assign]
    await world.tick()

    assert states(world) == [State.OPEN] * 3


async def test_a_reading_before_the_end_is_published_does_not_open_the_circuit_again(world: World) -> None:
    """The ended cooldown still stands in the store then."""
    world.replicas[0].refuse(30.0)
    await world.tick()
    second = world.replicas[1]
    second.answer()

    await second.shared.poll(world.now)

    assert second.state() is State.CLOSED


async def test_an_answer_while_the_cooldown_is_written_ends_it(world: World) -> None:
    """The end is published after the cooldown."""
    first = world.replicas[0]
    first.refuse(30.0)
    original = world.store.put

    async def slow_put(*given: object, **named: object) -> object:
        first.answer()
        return await original(*given, **named)  # type: ignore[arg-type]

    world.store.put = slow_put  # type: ignore[assignment, method-assign]
    await first.shared.write(world.now)
    world.store.put = original  # type: ignore[method-assign]

    await world.tick()
    await world.tick()

    assert states(world) == [State.CLOSED] * 3


async def test_a_new_configuration_keeps_following(world: World) -> None:
    """The state is carried with unchanged entries. A changed entry of the same account learns the cooldown anew."""
    first, second, _ = world.replicas
    second.balancer = second.balancer.carry({0: 0}, 5.0)  # B's entry has changed
    second.balancer.follow_cooldowns([A, B])
    first.refuse(30.0, A)
    first.refuse(30.0, B)

    await world.tick()
    assert [second.state(A), second.state(B)] == [State.OPEN] * 2
    second.balancer = second.balancer.carry({}, 5.0)
    second.balancer.follow_cooldowns([A, B])
    await world.tick()

    assert [second.state(A), second.state(B)] == [State.OPEN] * 2


async def test_circuits_that_are_switched_off_follow_nothing(world: World) -> None:
    """A replica without circuits neither opens them nor tells of cooldowns. It follows once they are on again."""
    first, second, _ = world.replicas
    second.balancer = second.balancer.carry({0: 0, 1: 1}, 0.0)
    first.refuse(60.0)
    second.refuse(30.0, B)

    await world.tick()
    assert states(world) == [State.OPEN, State.CLOSED, State.OPEN]
    assert states(world, B) == [State.CLOSED] * 3
    second.balancer = second.balancer.carry({0: 0, 1: 1}, 5.0)
    await world.tick()

    assert states(world) == [State.OPEN] * 3


async def test_models_of_a_wildcard_follow_once_they_are_used(world: World) -> None:
    first, second, third = world.replicas
    second.answer(WILD)
    first.refuse(60.0, WILD)

    await world.tick()

    assert [second.state(WILD), third.state(WILD)] == [State.OPEN, State.CLOSED]


async def test_an_account_without_circuits_is_forgotten(world: World) -> None:
    replica = world.replicas[0]
    replica.refuse(600.0)
    await world.tick()
    replica.balancer = Balancer(5.0, replica.shared)
    gc.collect()
    world.store.calls.clear()

    await replica.exchange()

    assert world.store.calls == {}


async def test_more_accounts_than_one_reading_asks_for_take_turns(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MAX_ACCOUNTS", 1)
    world.replicas[0].refuse(600.0, A)
    world.replicas[0].refuse(600.0, B)

    await world.tick()
    await world.tick()

    assert states(world, A) == states(world, B) == [State.OPEN] * 3


async def test_a_quiet_second_costs_one_reading(world: World) -> None:
    await world.tick()
    world.store.calls.clear()

    await world.replicas[0].exchange()

    assert world.store.calls == {"get cooldowns": 1}


async def test_the_end_of_a_process_lets_its_leases_go(world: World) -> None:
    """Other replicas need not wait until the lease expires."""
    first = world.replicas[0]
    first.refuse(10.0)
    await world.tick()
    await world.tick(10.0)
    assert not first.may_ask()
    await first.wake()
    assert first.may_ask()
    name = first.shared.account_of(A).name
    assert await world.store.get(PROBES, [name], tenant="")

    await first.shared.close()

    assert not await world.store.get(PROBES, [name], tenant="")


async def test_the_sources_are_called_once_a_second(world: World) -> None:
    """A change is written at once."""
    poll, write = world.replicas[0].shared.sources()
    assert (poll.period_s, poll.wake) == (1.0, None)
    assert (write.period_s, write.wake) == (1.0, world.replicas[0].shared.changed)


def test_models_that_clients_name_delay_no_reading() -> None:
    """All models of wildcards, and as many configured deployments, are read each second."""
    assert MAX_ACCOUNTS >= 2 * MAX_WILDCARD_MODELS
