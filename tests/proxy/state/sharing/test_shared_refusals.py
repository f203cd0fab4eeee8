"""Tests that a body that was refused twice in one process needs one refusal in another."""

from __future__ import annotations

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.core.deployment import Key
from proxy.state.refused_requests import Refusal, RefusedRequests
from proxy.state.sharing.shared_refusals import SharedRefusals, read_refusal, write_refusal
from proxy.state.spaces import REFUSED
from tests.proxy.state.flaky_memory import FlakyMemory
from tests.proxy.state.lesson_replicas import Clock

HERE: Key = (0, "gemini/a")
THERE: Key = (4, "gemini/a")
NAME = "0" * 32
WORDS = Refusal(400, "Please ensure that the function call turn comes immediately after a user turn.")


class Replica:
    """One process, whose configuration names the deployment at another position."""

    def __init__(self, store: FlakyMemory, clock: Clock, key: Key) -> None:
        self.clock, self.key = clock, key
        self.shared = SharedRefusals(store)
        self.guard = RefusedRequests(self.shared)

    async def refuse(self, body: bytes = b"bad", tenant: str = "a", name: str = NAME) -> None:
        """Note a provider's refusal, and let the background work be done."""
        self.note(body, tenant, name)
        await self.shared.poll(self.clock.now)

    def note(self, body: bytes = b"bad", tenant: str = "a", name: str = NAME) -> None:
        """Note a provider's refusal."""
        self.guard.refused(self.key, lambda: body, WORDS, self.clock.now, tenant, identity=name)

    async def answer(self) -> None:
        """Note a provider's answer, and let the background work be done."""
        self.guard.answered(self.key, lambda: b"bad", self.clock.now, "a")
        await self.shared.poll(self.clock.now)

    def find(self, body: bytes = b"bad", tenant: str = "a") -> Refusal | None:
        """Return the refusal that is given without a call."""
        return self.guard.find_refusal(self.key, lambda: body, self.clock.now, tenant)


@pytest.fixture
def clock() -> Clock:
    """Return the time of the store and the replicas."""
    return Clock()


@pytest.fixture
def store(clock: Clock) -> FlakyMemory:
    """Return an empty shared store."""
    return FlakyMemory(clock)


@pytest.fixture
def one(store: FlakyMemory, clock: Clock) -> Replica:
    """Return a replica."""
    return Replica(store, clock, HERE)


@pytest.fixture
def other(store: FlakyMemory, clock: Clock) -> Replica:
    """Return another replica, with the deployment at another position."""
    return Replica(store, clock, THERE)


async def test_the_second_replica_needs_one_refusal(one: Replica, other: Replica) -> None:
    await one.refuse()
    await one.refuse()
    assert other.find() is None
    await other.refuse()

    assert other.find() == WORDS


async def test_one_refusal_of_each_replica_is_not_two(one: Replica, other: Replica) -> None:
    """Only what one process has seen twice is published, so the store is read after a refusal alone."""
    await one.refuse()
    await other.refuse()

    assert (one.find(), other.find()) == (None, None)


async def test_nothing_is_asked_before_a_refusal(one: Replica, store: FlakyMemory) -> None:
    assert one.find() is None
    await one.answer()
    await one.shared.poll(0.0)
    assert store.calls == []


async def test_a_refusal_wants_a_poll(one: Replica) -> None:
    assert not one.shared.wanted.is_set()
    one.note()
    assert one.shared.wanted.is_set()
    await one.shared.poll(0.0)
    assert not one.shared.wanted.is_set()


@pytest.mark.parametrize(
    ("body", "tenant", "name"), [(b"bad ", "a", NAME), (b"bad", "b", NAME), (b"bad", "a", "1" * 32)]
)
async def test_refusals_are_of_one_body_tenant_and_deployment(
    one: Replica, other: Replica, body: bytes, tenant: str, name: str
) -> None:
    for _ in range(3):
        await one.refuse()
    await other.refuse(body, tenant, name)

    assert other.find(body, tenant) is None


async def test_an_answer_deletes_what_was_published(one: Replica, other: Replica, store: FlakyMemory) -> None:
    await one.refuse()
    await one.refuse()
    await one.answer()
    assert len(store) == 0
    await other.refuse()

    assert other.find() is None


async def test_a_published_refusal_ends_after_a_minute(one: Replica, other: Replica, clock: Clock) -> None:
    await one.refuse()
    await one.refuse()
    clock.now += 60.0
    await other.refuse()
    assert other.find() is None

    await one.refuse()
    clock.now += 50.0
    await other.refuse()
    clock.now += 59.0
    assert other.find() == WORDS
    clock.now += 1.0
    assert other.find() is None


async def test_without_the_store_two_refusals_are_needed(
    one: Replica, other: Replica, store: FlakyMemory
) -> None:
    await one.refuse()
    await one.refuse()
    store.down = True
    await other.refuse()
    assert other.find() is None
    await other.refuse()

    assert other.find() == WORDS


async def test_a_reload_asks_again(one: Replica, other: Replica) -> None:
    """The answer to an older question would go to the refusals of the older configuration."""
    await one.refuse()
    await one.refuse()
    other.note()
    other.guard = other.guard.carry({THERE[0]: 9})
    other.key = (9, THERE[1])
    await other.shared.poll(0.0)
    assert other.find() == WORDS


async def test_a_refusal_without_a_name_stays_here(one: Replica, store: FlakyMemory) -> None:
    for _ in range(3):
        one.guard.refused(HERE, lambda: b"bad", WORDS, 0.0, "a")
    await one.shared.poll(0.0)
    assert store.calls == []


async def test_the_newest_of_many_changes_are_kept(one: Replica, store: FlakyMemory) -> None:
    for number in range(1_500):
        for _ in range(2):
            one.note(b"%d" % number, tenant="a")
    assert len(one.shared._jobs) == 1_000
    await one.shared.poll(0.0)

    assert len(store) == 1_000
    assert len(store.calls) == 1


async def test_a_long_refusal_is_not_shared(one: Replica, store: FlakyMemory) -> None:
    """A cut message would give clients of two replicas two texts."""
    for _ in range(2):
        one.guard.refused(HERE, lambda: b"bad", Refusal(400, "x" * 2_048), 0.0, "a", identity=NAME)
    await one.shared.poll(0.0)
    assert len(store) == 0


@pytest.mark.parametrize(
    "changes",
    [
        {"v": 2},
        {"status": 200},
        {"status": 700},
        {"status": "400"},
        {"status": True},
        {"status": None},
        {"message": None},
        {"message": 5},
    ],
)
async def test_a_value_that_is_no_refusal_is_ignored(
    other: Replica, store: FlakyMemory, changes: dict[str, object]
) -> None:
    await other.refuse()
    await other.refuse()
    (held,) = (values.entries for values in store._tenants.values())
    fields = orjson.loads(next(iter(held.values())))
    key = next(iter(held))[1]
    await store.put(REFUSED, {key: orjson.dumps(fields | changes)}, tenant="a")
    replica = Replica(store, other.clock, HERE)
    await replica.refuse()

    assert replica.find() is None


@given(st.binary(max_size=300))
def test_garbage_is_no_refusal(value: bytes) -> None:
    assert read_refusal(value) is None


@given(st.builds(Refusal, st.integers(400, 599), st.text(max_size=400)))
def test_a_refusal_is_read_as_it_was_written(refusal: Refusal) -> None:
    value = write_refusal(refusal)
    assert value is not None
    assert read_refusal(value) == refusal


def test_half_a_surrogate_pair_is_not_shared() -> None:
    assert write_refusal(Refusal(400, "\ud800")) is None
