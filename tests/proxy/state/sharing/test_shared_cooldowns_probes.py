"""Tests that one request among all replicas probes a deployment after its cooldown."""

from __future__ import annotations

import gc
import types
from collections.abc import Callable, Coroutine, Generator, Iterable, Mapping
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from typing_extensions import override

from proxy.config import resolve
from proxy.resilience.balancer import Balancer
from proxy.resilience.circuit import State
from proxy.resilience.deployment_health import Attempt
from proxy.resilience.failure_table import Blame, Reach
from proxy.state import Space
from proxy.state.sharing.shared_cooldowns import SharedCooldowns
from proxy.state.spaces import PROBES
from tests.proxy.config.samples import entry, settings_of
from tests.support.shared_memory import SharedMemory

POOL = A, B = resolve(settings_of(entry("m", api_key="k0"), entry("m", api_key="k1")), "m")
COOLDOWN_S = 10.0


class Replica:
    """One process. A second deployment is always ready, so no request has to go to A."""

    def __init__(self, store: SharedMemory, clock: Callable[[], float]) -> None:
        self.clock = clock
        self.shared = SharedCooldowns(store)
        self.balancer = Balancer(5.0, self.shared)
        self.balancer.follow_cooldowns(POOL)
        self.attempts: list[Attempt] = []
        self.probes: dict[Attempt, float] = {}

    @property
    def state(self) -> State:
        """The state of the circuit of A."""
        return self.balancer.state(A, self.clock())

    def request(self, tenant: str = "") -> Attempt | None:
        """Send a request. Return its attempt on A, or None where it went to B."""
        now = self.clock()
        if self.balancer.choose(POOL, now, {B.position}, tenant) == B:
            return None
        half_open = self.balancer.state(A, now, tenant) is State.HALF_OPEN
        half_open = (
            half_open and self.shared.account_of(A).cooling
        )  # not by this replica's own failures alone
        attempt = self.balancer.acquire(A, now, tenant=tenant)
        self.attempts.append(attempt)
        if half_open:
            self.probes[attempt] = now
        return attempt

    def end(self, attempt: Attempt, outcome: str) -> None:
        """End an attempt: answered, refused by the provider, failed, or cancelled by its client."""
        now = self.clock()
        if outcome == "answered":
            attempt.succeeded(now)
        elif outcome == "refused":
            attempt.failed(Blame.COOLDOWN, COOLDOWN_S, now, Reach.ALL)
        elif outcome == "failed":
            attempt.failed(Blame.COUNTED, None, now, Reach.TENANT)
        attempt.release()
        self.attempts.remove(attempt)
        self.probes.pop(attempt, None)

    async def exchange(self) -> None:
        """Do what the background tasks do once a second."""
        await self.shared.write(self.clock())
        await self.shared.poll(self.clock())


class World:
    """Three replicas whose circuits of A are half open, after a cooldown that the first replica was told of."""

    def __init__(self) -> None:
        self.now = 100.0
        self.store = SharedMemory(lambda: self.now)
        self.replicas = [Replica(self.store, lambda: self.now) for _ in range(3)]

    async def tick(self, seconds: float = 1.0) -> None:
        """Let time pass second by second. Every replica exchanges once a second."""
        while seconds > 0:
            self.now += min(1.0, seconds)
            seconds -= 1.0
            for replica in self.replicas:
                await replica.exchange()

    async def probe(self, replica: Replica) -> Attempt:
        """Let *replica* get the lease, and begin the probe."""
        assert replica.request() is None
        await replica.shared.write(self.now)
        probe = replica.request()
        assert probe is not None
        return probe


@pytest.fixture
async def world() -> World:
    """Return three replicas with half-open circuits."""
    world = World()
    attempt = world.replicas[0].request()
    assert attempt is not None
    world.replicas[0].end(attempt, "refused")
    await world.tick(COOLDOWN_S + 2)
    assert [replica.state for replica in world.replicas] == [State.HALF_OPEN] * 3
    return world


async def test_one_request_among_all_is_the_probe(world: World) -> None:
    """A request without the lease goes to another deployment, in the same replica too."""
    first, second, third = world.replicas
    await world.probe(second)

    for _ in range(3):
        assert [replica.request() for replica in (first, second, third)] == [None] * 3
        await world.tick()

    assert [len(replica.probes) for replica in world.replicas] == [0, 1, 0]


async def test_a_wish_is_heard_at_once(world: World) -> None:
    """The background task is woken, and does not wait for its next second."""
    replica = world.replicas[1]
    assert not replica.shared.changed.is_set()
    replica.request()
    assert replica.shared.changed.is_set()


async def test_the_answer_of_the_probe_closes_all_circuits(world: World) -> None:
    second = world.replicas[1]
    second.end(await world.probe(second), "answered")
    await second.shared.write(world.now)

    await world.tick()

    assert [replica.state for replica in world.replicas] == [State.CLOSED] * 3
    assert all(replica.request() is not None for replica in world.replicas for _ in range(3))


async def test_the_beginning_of_the_answer_is_enough(world: World) -> None:
    second = world.replicas[1]
    (await world.probe(second)).note_answer_started()
    await second.shared.write(world.now)
    await world.tick()
    assert [replica.state for replica in world.replicas] == [State.CLOSED] * 3


async def test_a_refused_probe_opens_all_circuits_again(world: World) -> None:
    """No replica gets the lease before it knows of the new cooldown, even without a reading in between."""
    first, second, third = world.replicas
    probe = await world.probe(second)
    assert first.request() is third.request() is None
    second.end(probe, "refused")
    await second.shared.write(world.now)
    world.now += 0.5

    for replica in (first, third):
        await replica.shared.write(world.now + 1.0)
        assert replica.request() is None
        assert replica.state is State.OPEN

    await world.tick(COOLDOWN_S - 1.0)
    assert [replica.state for replica in world.replicas] == [State.OPEN] * 3
    await world.tick(2.0)
    await world.probe(third)


@pytest.mark.parametrize("outcome", ["failed", "cancelled"])
async def test_a_probe_that_says_nothing_of_the_account_lets_another_probe(
    world: World, outcome: str
) -> None:
    first, second, _ = world.replicas
    second.end(await world.probe(second), outcome)
    await second.shared.write(world.now)
    await world.probe(first)


@pytest.mark.parametrize("outcome", ["answered", "refused"])
async def test_the_result_is_published_before_the_lease_is_let_go(world: World, outcome: str) -> None:
    """The next holder of the lease reads the result, and does not probe again."""
    _, second, third = world.replicas
    second.end(await world.probe(second), outcome)
    third.request()
    original = world.store.swap

    async def swap(space: Space, *given: Any, **named: Any) -> bool:
        swapped = await original(space, *given, **named)
        if space is PROBES:
            world.store.swap = original  # type: ignore[method-assign]
            await third.shared.write(world.now)
        return swapped

    world.store.swap = swap  # type: ignore[method-assign]
    await second.shared.write(world.now)

    assert third.state is (State.CLOSED if outcome == "answered" else State.OPEN)


async def test_a_wish_of_a_deployment_that_is_gone_is_forgotten(world: World) -> None:
    """A new configuration has neither of the deployments."""
    second = world.replicas[1]
    second.request()
    second.balancer = Balancer(5.0, second.shared)
    gc.collect()
    await world.tick(10.0)
    world.store.calls.clear()

    await second.exchange()

    assert world.store.calls == {}


@pytest.mark.parametrize("outcome", ["answered", "refused"])
async def test_a_lease_that_comes_too_late_is_let_go_at_once(world: World, outcome: str) -> None:
    """A call has ended while the store was asked for the lease. It needed no lease, as no deployment was ready."""
    second = world.replicas[1]
    attempt = second.balancer.acquire(A, world.now)
    second.attempts.append(attempt)
    assert second.request() is None
    original = world.store.put

    async def slow_put(*given: Any, **named: Any) -> Mapping[str, bytes]:
        stands = await original(*given, **named)
        second.end(attempt, outcome)
        return stands

    world.store.put = slow_put  # type: ignore[method-assign]
    await second.shared.write(world.now)
    world.store.put = original  # type: ignore[method-assign]

    name = second.shared.account_of(A).name
    assert not await world.store.get(PROBES, [name], tenant="")


async def test_a_replica_that_dies_keeps_its_lease_for_half_a_minute(world: World) -> None:
    first, second, _ = world.replicas
    await world.probe(second)
    world.replicas.remove(second)
    first.request()

    await world.tick(29.0)
    assert first.request() is None
    await world.tick(2.0)

    assert first.request() is not None


async def test_only_its_owner_lets_a_lease_go(world: World) -> None:
    """A replica that stood still for half a minute has lost its lease to another replica."""
    first, second, third = world.replicas
    late = await world.probe(second)
    world.now += 31.0
    await world.probe(first)
    second.end(late, "cancelled")
    await second.shared.write(world.now)

    assert third.request() is None
    await third.shared.write(world.now)

    assert third.request() is None


async def test_the_lease_is_renewed_for_a_slow_probe(world: World) -> None:
    """A probe of two minutes no longer delays the others, since its provider may never answer."""
    first, second, _ = world.replicas
    await world.probe(second)
    first.request()

    for _ in range(119):
        await world.tick()
        assert first.request() is None
    await world.tick(3.0)

    assert first.request() is not None


async def test_a_lease_that_nobody_uses_goes_round(world: World) -> None:
    """Each replica whose requests asked for a probe gets the lease in turn, though no further request comes."""
    for replica in world.replicas:
        assert replica.request() is None
    holders = set[int]()
    for _ in range(40):
        await world.tick()
        ready = [
            number
            for number, replica in enumerate(world.replicas)
            if replica.shared.account_of(A).lease.may_begin(world.now)
        ]
        assert len(ready) <= 1
        holders.update(ready)
    assert holders == {0, 1, 2}


async def test_a_replica_with_few_requests_probes_all_the_same(world: World) -> None:
    """Each request comes long after the last one. The lease is there for most of the time."""
    second = world.replicas[1]
    for _ in range(5):
        await world.tick(17.0)
        if second.request() is not None:
            return
    pytest.fail("five requests, and none was the probe")


async def test_without_an_answer_of_the_store_a_replica_decides_alone(world: World) -> None:
    """One probe is made at a time in each process, as without other replicas."""
    world.store.down = True
    for replica in world.replicas:
        await world.probe(replica)
        assert replica.request() is None


async def test_other_tenants_wait_for_the_probe_too(world: World) -> None:
    """The account is the same for all clients."""
    second = world.replicas[1]
    await world.probe(second)
    assert second.request("other") is None


async def test_many_requests_ask_the_store_once_a_second(world: World) -> None:
    """Another replica has the lease. The requests of a second cause one attempt to take it."""
    first, second, _ = world.replicas
    await world.probe(second)
    world.store.calls.clear()

    for _ in range(100):
        first.request()
        if first.shared.changed.is_set():
            first.shared.changed.clear()
            await first.shared.write(world.now)

    assert world.store.calls == {"put probes": 1}


async def test_with_no_other_deployment_requests_are_sent_without_the_lease(world: World) -> None:
    """A replica that refused them would cause an outage itself. Their answer closes the circuits everywhere."""
    first, second, third = world.replicas
    await world.probe(second)
    assert first.balancer.choose([A], world.now) == A
    attempt = first.balancer.acquire(A, world.now)
    assert not attempt.is_probe
    attempt.succeeded(world.now)
    attempt.release()

    await world.tick()

    assert third.state is State.CLOSED


@types.coroutine
def _step() -> Generator[None, None, None]:
    yield


class SteppedMemory(SharedMemory):
    """A store whose calls stop before and after their effect, so that calls of replicas mix in every order."""

    @override
    async def get(self, space: Space, keys: Iterable[str], *, tenant: str) -> Mapping[str, bytes]:
        if self._within:
            return await super().get(space, keys, tenant=tenant)
        await _step()
        found = await super().get(space, keys, tenant=tenant)
        await _step()
        return found

    @override
    async def put(self, space: Space, values: Mapping[str, bytes], **named: Any) -> Mapping[str, bytes]:
        if self._within:
            return await super().put(space, values, **named)
        await _step()
        stands = await super().put(space, values, **named)
        await _step()
        return stands

    @override
    async def swap(self, space: Space, key: str, old: bytes, new: bytes | None, **named: Any) -> bool:
        await _step()
        swapped = await super().swap(space, key, old, new, **named)
        await _step()
        return swapped


class Replicas(RuleBasedStateMachine):
    """Requests of three replicas, whose exchanges mix in every order. The second deployment always works."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 100.0
        self.store = SteppedMemory(lambda: self.now)
        self.replicas = [Replica(self.store, lambda: self.now) for _ in range(3)]
        self.running: dict[int, Coroutine[None, None, None]] = {}
        self.started: dict[Attempt, float] = {}
        self.restarted = 0.0

    @initialize()
    def refuse_first(self) -> None:
        """Let the provider refuse a call, and wait until the cooldown is over."""
        self.refuse_and_wait(0)

    @rule(which=st.integers(0, 2))
    def refuse_and_wait(self, which: int) -> None:
        """Let the provider refuse a call that needed no lease. Wait until all circuits are half open."""
        with self.replicas[which].balancer.acquire(A, self.now) as attempt:
            attempt.failed(Blame.COOLDOWN, COOLDOWN_S, self.now, Reach.ALL)
        self.wait(COOLDOWN_S + 2.0)

    @rule(order=st.permutations([0, 1, 2]), tenant=st.sampled_from(["", "other"]))
    def request(self, order: list[int], tenant: str) -> None:
        """Let each replica send a request, which goes to A or to B."""
        for which in order:
            attempt = self.replicas[which].request(tenant)
            if attempt is not None:
                self.started[attempt] = self.now

    @precondition(lambda self: any(replica.attempts for replica in self.replicas))
    @rule(data=st.data())
    def end(self, data: st.DataObject) -> None:
        """End a call to A."""
        replica = data.draw(st.sampled_from([one for one in self.replicas if one.attempts]))
        attempt = data.draw(st.sampled_from(replica.attempts))
        replica.end(attempt, data.draw(st.sampled_from(["answered", "refused", "failed", "cancelled"])))
        del self.started[attempt]

    @rule(which=st.integers(0, 2), steps=st.integers(1, 8), reads=st.booleans())
    def exchange(self, which: int, steps: int, reads: bool) -> None:
        """Let a replica's exchange begin or go on."""
        shared = self.replicas[which].shared
        if which not in self.running:
            self.running[which] = shared.poll(self.now) if reads else shared.write(self.now)
        for _ in range(steps):
            if not self._go_on(which):
                return

    @rule(seconds=st.sampled_from([0.2, 1.0, 10.0]))
    def wait(self, seconds: float) -> None:
        """Let time pass. Each second all exchanges end, and all replicas exchange. Calls end after 100 seconds."""
        until = self.now + seconds
        while self.now < until:
            for which in list(self.running):
                self._finish(which)
            self.now = min(until, self.now + 1.0)
            for which, replica in enumerate(self.replicas):
                self.running[which] = replica.exchange()
                self._finish(which)
            for replica in self.replicas:
                for attempt in list(replica.attempts):
                    if self.now >= self.started[attempt] + 100.0:
                        replica.end(attempt, "cancelled")
                        del self.started[attempt]

    @precondition(lambda self: self.now >= self.restarted + 30.0)
    @rule(which=st.integers(0, 2))
    def restart(self, which: int) -> None:
        """Let a replica die in the midst of everything. A new one starts in its place."""
        self.restarted = self.now
        if which in self.running:
            self.running.pop(which).close()
        for attempt in self.replicas[which].attempts:
            del self.started[attempt]
        self.replicas[which] = Replica(self.store, lambda: self.now)

    @invariant()
    def at_most_one_probe(self) -> None:
        """At most one call is in flight that began while a circuit was half open."""
        assert sum(len(replica.probes) for replica in self.replicas) <= 1

    @override
    def teardown(self) -> None:
        """End what is under way. After two minutes without refusals every replica asks A again."""
        for replica in self.replicas:
            for attempt in list(replica.attempts):
                replica.end(attempt, "cancelled")
        self.started.clear()
        recovered = False
        for _ in range(120):
            self.wait(1.0)
            for replica in self.replicas:
                sent = replica.request()
                if sent is not None:
                    replica.end(sent, "answered")
            recovered = all(replica.state is State.CLOSED for replica in self.replicas)
            if recovered:
                break
        assert recovered, "a replica keeps a circuit open for ever"

    def _go_on(self, which: int) -> bool:
        try:
            self.running[which].send(None)
        except StopIteration:
            del self.running[which]
            return False
        return True

    def _finish(self, which: int) -> None:
        while self._go_on(which):
            pass


TestReplicas = Replicas.TestCase
TestReplicas.settings = settings(deadline=None)
