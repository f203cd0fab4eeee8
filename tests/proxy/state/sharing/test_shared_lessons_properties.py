"""Property tests: replicas with one store agree after a quiet time, whatever happened before."""

from __future__ import annotations

import asyncio

from hypothesis import given
from hypothesis import strategies as st

from proxy.resilience.read_overflow import Overflow
from tests.proxy.planning.budgets.shapes import deployment_of
from tests.proxy.state.lesson_replicas import Fleet, Replica

LOCAL = deployment_of()
REPLICAS = st.integers(0, 2)
TENANTS = st.sampled_from("ab")
COUNTS = st.integers(6_000, 29_000)

EVENTS = st.one_of(
    st.tuples(st.just("answer"), REPLICAS, TENANTS, COUNTS),
    st.tuples(st.just("overflow"), REPLICAS, TENANTS, COUNTS),
    st.tuples(st.just("coded"), REPLICAS, TENANTS, COUNTS),
    st.tuples(st.just("raise"), REPLICAS, TENANTS, COUNTS),
    st.tuples(st.just("plan"), REPLICAS, TENANTS, st.just(0)),
    st.tuples(st.just("no usage"), REPLICAS, TENANTS, st.just(0)),
    st.tuples(st.just("poll"), REPLICAS, TENANTS, st.just(0)),
    st.tuples(st.just("polls at once"), REPLICAS, TENANTS, st.just(0)),
    st.tuples(st.just("reload"), REPLICAS, TENANTS, st.just(0)),
    st.tuples(st.just("restart"), REPLICAS, TENANTS, st.just(0)),
    st.tuples(st.just("pass"), REPLICAS, TENANTS, st.integers(1, 30)),
    st.tuples(st.just("lose writes"), REPLICAS, TENANTS, st.integers(1, 3)),
    st.tuples(st.just("lose replies"), REPLICAS, TENANTS, st.integers(1, 3)),
    st.tuples(st.just("down"), REPLICAS, TENANTS, st.just(0)),
    st.tuples(st.just("up"), REPLICAS, TENANTS, st.just(0)),
    st.tuples(st.just("empty"), REPLICAS, TENANTS, st.just(0)),
)
Event = tuple[str, int, str, int]


async def happen(fleet: Fleet, event: Event) -> None:
    """Let one event happen."""
    what, number, tenant, count = event
    replica = fleet.replicas[number]
    match what:
        case "poll":
            await replica.shared.poll(fleet.clock.now)
        case "polls at once":
            async with asyncio.TaskGroup() as group:
                for each in fleet.replicas:
                    group.create_task(each.shared.poll(fleet.clock.now))
        case "reload":
            replica.learned_windows = replica.learned_windows.carry({LOCAL.position: LOCAL.position})
        case "restart":
            fleet.replicas[number] = Replica(fleet.store, fleet.clock)
        case "pass":
            fleet.clock.now += count
        case "lose writes":
            fleet.store.lost_writes = count
        case "lose replies":
            fleet.store.lost_replies = count
        case "down" | "up":
            fleet.store.down = what == "down"
        case "empty":
            fleet.store._tenants.clear()
        case _:
            learn(replica, what, tenant, count)


def learn(replica: Replica, what: str, tenant: str, count: int) -> None:
    """Let one request of *tenant* happen at *replica*."""
    now = replica.clock.now
    match what:
        case "answer":
            replica.answer(LOCAL, count, tenant)
        case "overflow" | "coded":
            said = Overflow(count, count + 3_000, coded=what == "coded")
            replica.overflow(LOCAL, said, tenant, estimated=10_000)
        case "raise":
            replica.learned_windows.raise_factor(LOCAL, count / 10_000, now, tenant)
        case "plan":
            replica.plan(LOCAL, tenant)
        case _:
            replica.learned_windows.refuses_usage(LOCAL, now, tenant)


async def become_quiet(fleet: Fleet) -> None:
    """End all failures, let each replica serve each tenant once, and let half a minute pass."""
    fleet.store.down, fleet.store.lost_writes, fleet.store.lost_replies = False, 0, 0
    for tenant in "ab":
        for replica in fleet.replicas:
            replica.plan(LOCAL, tenant)
    await fleet.pass_time(30.0)


def cuts(replica: Replica, tenant: str) -> tuple[float, bool, bool]:
    """Return what decides where a replica cuts: the factor, and if its margin is the small one."""
    lessons = replica.learned_windows.peek(LOCAL, replica.clock.now, tenant)
    calibration = lessons.calibration
    return calibration.sticky, calibration.observations > 0, lessons.has_own_factor


@given(st.lists(EVENTS, max_size=30))
async def test_all_replicas_cut_at_the_same_place_after_a_quiet_time(events: list[Event]) -> None:
    fleet = Fleet()
    for _ in range(3):
        fleet.add()
    for event in events:
        await happen(fleet, event)
    await become_quiet(fleet)

    for tenant in "ab":
        assert len({cuts(replica, tenant) for replica in fleet.replicas}) == 1
    assert not any(replica.shared._dirty for replica in fleet.replicas)


@given(st.lists(EVENTS.filter(lambda event: event[2] == "a" and event[0] != "coded"), max_size=30))
async def test_one_tenant_never_steers_another(events: list[Event]) -> None:
    """Whatever one tenant's requests teach, another tenant's lessons stay those of a new process."""
    fleet = Fleet()
    for _ in range(3):
        fleet.add().plan(LOCAL, "b")
    untouched = cuts(fleet.replicas[0], "b")
    for event in events:
        await happen(fleet, event)
    await become_quiet(fleet)

    for replica in fleet.replicas:
        lessons = replica.learned_windows.lessons_for_plan(LOCAL, fleet.clock.now, "b")
        assert cuts(replica, "b") == untouched
        assert (lessons.learned, lessons.reports_usage) == (None, True)


@given(st.lists(EVENTS, max_size=20), st.lists(st.binary(max_size=80), min_size=5, max_size=5))
async def test_garbage_in_the_store_changes_no_plan(events: list[Event], garbage: list[bytes]) -> None:
    """Garbage under every key is never believed, and nothing fails."""
    fleet = Fleet()
    for _ in range(3):
        fleet.add()
    for event in events:
        await happen(fleet, event)
        for values in fleet.store._tenants.values():
            for name, value in zip(list(values.entries), garbage, strict=False):
                values.entries[name] = value
    for replica in fleet.replicas:
        for tenant in "ab":
            sticky = replica.plan(LOCAL, tenant)
            assert 0.5 <= sticky <= 3.0
            window = replica.window(LOCAL, tenant)
            assert window is None or window >= 1_024
