"""Tests that processes share the evidence for repairs, and find it again after a restart."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.config import resolve
from proxy.state import Space, Store
from proxy.state.repairs.learned_repairs import LearnedRepairs
from proxy.state.repairs.repair_key import RepairKey
from proxy.state.sharing.shared_repairs import SharedRepairs
from proxy.state.spaces import REPAIRS
from tests.proxy.state.flaky_memory import FlakyMemory
from tests.proxy.state.lesson_replicas import Clock
from tests.support.proxied import settings_of

SETTINGS = settings_of({name: {"model": f"openai/{name}", "api_key": "k"} for name in ("gpt", "other")})
[GPT], [OTHER] = resolve(SETTINGS, "gpt"), resolve(SETTINGS, "other")
KEY = RepairKey("parameter", "temperature", "unsupported parameter: 'temperature'", loosens=False)


class Replica:
    """One process: its evidence, and the sharing through *store*."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self.clock = clock
        self.shared = SharedRepairs(store)
        self.learned = LearnedRepairs(clock, self.shared)
        self.learned.follow([GPT])

    async def poll(self) -> None:
        """Exchange as the background task does when it is woken."""
        await self.shared.poll(self.clock.now)

    async def poll_all(self) -> None:
        """Exchange as the background task does after a period."""
        self.clock.now += 5.0
        await self.poll()

    def confirm(self, *conversations: str, tenant: str = "") -> None:
        """Record requests of *conversations* that needed the repair."""
        for conversation in conversations:
            self.learned.confirm(GPT, tenant, [KEY], conversation)

    def found(self, tenant: str = "", conversation: str = "new") -> list[RepairKey]:
        """Return the repairs that a request gets in advance."""
        return [repair.key for repair in self.learned.find(GPT, tenant, conversation)]

    def evidence(self) -> tuple[float, float]:
        """Return the counts for the repair of all clients together."""
        [listed] = [each for each in self.learned.list_evidence([]) if each.key == KEY]
        return round(listed.standing.confirmed, 3), round(listed.standing.contradicted, 3)


@pytest.fixture
def clock() -> Clock:
    """Return the clock that all processes read."""
    return Clock()


@pytest.fixture
def store(clock: Clock) -> FlakyMemory:
    """Return the store that both processes use."""
    return FlakyMemory(clock)


@pytest.fixture
def one(store: FlakyMemory, clock: Clock) -> Replica:
    """Return a process with the store."""
    return Replica(store, clock)


@pytest.fixture
def other(store: FlakyMemory, clock: Clock) -> Replica:
    """Return a second process with the same store."""
    return Replica(store, clock)


async def test_another_process_makes_a_learned_repair_within_a_period(one: Replica, other: Replica) -> None:
    """The observation is written at once, and read five seconds later at the latest."""
    one.confirm("a", "b", "c", "d")
    await one.poll()
    assert other.found() == []
    await other.poll_all()
    assert other.found() == [KEY]


async def test_evidence_survives_a_restart(one: Replica, store: FlakyMemory, clock: Clock) -> None:
    """The first poll of the new process reads it, before the deployment has had a request."""
    one.confirm("a", "b", "c", "d")
    await one.poll()
    clock.now += 86_400
    restarted = Replica(store, clock)
    await restarted.poll()
    assert restarted.evidence() == (round(4 * 0.5 ** (1 / 7), 3), 0.0)
    assert [each.label for each in restarted.learned.list_evidence([])] == ["gpt"]


async def test_observations_of_two_processes_add_up(one: Replica, other: Replica) -> None:
    """Both write before either has read what the other wrote."""
    await one.poll()
    await other.poll()
    one.confirm("a", "b")
    other.confirm("c", "d")
    await one.poll()
    await other.poll()
    await one.poll_all()
    assert one.evidence()[0] == pytest.approx(4.0, abs=0.001)
    assert one.found() == other.found() == [KEY]


async def test_one_conversation_of_two_processes_counts_once(one: Replica, other: Replica) -> None:
    one.confirm("a")
    other.confirm("a")
    await one.poll()
    await other.poll()
    assert other.evidence() == (1.0, 0.0)


@pytest.mark.parametrize("earlier", [0, 1], ids=["the first value", "a later value"])
async def test_write_between_read_and_write_is_not_lost(
    one: Replica, other: Replica, store: FlakyMemory, earlier: int
) -> None:
    """The write of the slower process fails, and its next poll adds its observation to what stands."""
    if earlier:
        one.confirm("a")
    await one.poll()
    await other.poll()
    other.confirm("b")
    get = store.get

    async def get_late(space: Space, keys: Iterable[str], *, tenant: str) -> Mapping[str, bytes]:
        found = await get(space, keys, tenant=tenant)
        store.get = get  # type: ignore[method-assign]
        one.confirm("c")
        await one.poll()
        return found

    store.get = get_late  # type: ignore[method-assign]
    await other.poll()
    assert one.evidence() == (earlier + 1, 0.0)
    await other.poll()
    assert other.evidence() == (earlier + 2, 0.0)


@pytest.mark.parametrize("first", [True, False], ids=["the first value", "a later value"])
async def test_lost_answer_counts_nothing_twice(
    one: Replica, other: Replica, store: FlakyMemory, *, first: bool
) -> None:
    """Two contradictions in a row would end a repair, so a contradiction must not be written twice."""
    if not first:
        one.confirm("a", "b", "c", "d", "e", "f", "g", "h")
        await one.poll()
    store.lost_replies = 1
    one.learned.contradict(GPT, "", KEY)
    await one.poll()
    one.clock.now += 1.0
    await one.poll()
    await other.poll_all()
    assert other.evidence() == one.evidence() == ((0.0, 1.0) if first else (8.0, 1.0))


async def test_lost_answer_behind_another_write_counts_nothing_twice(
    one: Replica, other: Replica, store: FlakyMemory
) -> None:
    """The value that the process tried to write is gone, but its name is kept with the table."""
    one.confirm(*"abcdefgh")
    await one.poll()
    await other.poll()
    store.lost_replies = 1
    one.learned.contradict(GPT, "", KEY)
    await one.poll()
    other.confirm("i")
    await other.poll()
    await other.poll()
    await one.poll_all()
    assert one.evidence() == other.evidence() == (9.0, 1.0)


async def test_process_learns_alone_without_a_store_and_adds_it_later(
    one: Replica, other: Replica, store: FlakyMemory
) -> None:
    store.down = True
    one.confirm("a", "b", "c", "d")
    await one.poll()
    assert one.found() == [KEY]
    await one.poll_all()
    store.down = False
    await one.poll_all()
    await other.poll_all()
    assert other.found() == [KEY]


async def test_emptied_store_gets_the_table_again(one: Replica, other: Replica, store: FlakyMemory) -> None:
    """The next poll writes what this process knows, also where nothing new was observed."""
    one.confirm("a", "b", "c", "d")
    await one.poll()
    for identity in list(one.shared._shared):
        await store.delete(REPAIRS, [identity], tenant="")
    await one.poll_all()
    await other.poll_all()
    assert other.found() == [KEY]


async def test_forgotten_repair_is_forgotten_by_all(one: Replica, other: Replica) -> None:
    one.confirm("a", "b", "c", "d")
    await one.poll()
    await other.poll_all()
    [listed] = other.learned.list_evidence([])
    assert other.learned.forget(listed.id)
    await other.poll()
    await one.poll_all()
    assert (one.found(), other.found()) == ([], [])
    await one.poll_all()
    await other.poll_all()
    assert (one.found(), other.found()) == ([], [])


async def test_value_of_another_version_is_neither_read_nor_replaced(
    one: Replica, store: FlakyMemory
) -> None:
    """Replicas of two versions run beside each other while a new one is rolled out."""
    one.confirm("a", "b", "c", "d")
    [identity] = one.shared._shared
    await store.put(REPAIRS, {identity: b"\x02new"}, tenant="")
    await one.poll()
    await one.poll_all()
    assert await store.get(REPAIRS, [identity], tenant="") == {identity: b"\x02new"}
    assert one.found() == [KEY]


async def test_damaged_value_is_replaced(one: Replica, other: Replica, store: FlakyMemory) -> None:
    [identity] = one.shared._shared
    await store.put(REPAIRS, {identity: b"\x01garbage"}, tenant="")
    one.confirm("a", "b", "c", "d")
    await one.poll()
    await other.poll()
    assert other.found() == [KEY]


async def test_time_of_a_machine_whose_clock_is_ahead_counts_as_now(store: FlakyMemory, clock: Clock) -> None:
    """Otherwise its evidence would not decay, and no probe would be due, until then."""
    ahead = Replica(store, Clock(clock.now + 1e6))
    ahead.confirm("a", "b", "c", "d")
    await ahead.poll()
    here = Replica(store, clock)
    await here.poll()
    [repair] = here.learned.find(GPT, "", "new")
    assert (repair.since, repair.probe_due) == (clock.now, False)
    clock.now += 3_600
    [repair] = here.learned.find(GPT, "", "new")
    assert repair.probe_due


async def test_probe_of_one_process_counts_for_the_others(one: Replica, other: Replica) -> None:
    """The other process does not probe again before its own interval has passed."""
    one.confirm("a", "b", "c", "d")
    await one.poll()
    await other.poll_all()
    one.clock.now += 3_600
    assert [repair.probe_due for repair in other.learned.find(GPT, "", "new")] == [True]
    one.learned.confirm_probe(GPT, "", KEY)
    await one.poll()
    await other.poll_all()
    assert [repair.probe_due for repair in other.learned.find(GPT, "", "new")] == [False]


async def test_quiet_process_reads_once_a_period_and_writes_nothing(one: Replica, store: FlakyMemory) -> None:
    one.confirm("a")
    await one.poll()
    store.calls.clear()
    await one.poll()
    assert store.calls == []
    await one.poll_all()
    assert store.calls == [("get", "repairs", "")]


async def test_deployment_that_is_not_used_is_read_for_an_hour(one: Replica, store: FlakyMemory) -> None:
    one.learned.find(OTHER, "")
    await one.poll()
    for seconds, left in ((3_590, 2), (5, 2), (5, 1)):
        one.clock.now += seconds
        one.found()
        await one.poll()
        assert len(one.shared._shared) == left


def test_first_use_and_each_observation_want_a_poll(one: Replica) -> None:
    assert one.shared.wanted.is_set()
    one.shared.wanted.clear()
    one.found()
    assert not one.shared.wanted.is_set()
    one.confirm("a")
    assert one.shared.wanted.is_set()


def test_number_of_shared_deployments_is_bounded(one: Replica, monkeypatch: pytest.MonkeyPatch) -> None:
    """Clients of a wildcard may name any number of models."""
    monkeypatch.setattr("proxy.state.sharing.shared_repairs._CAPACITY", 2)
    one.learned.find(OTHER, "")
    one.shared.follow("third")
    assert len(one.shared._shared) == 2


steps = st.lists(
    st.tuples(
        st.sampled_from(["confirm", "poll", "lose write", "lose reply", "down", "up"]),
        st.integers(0, 2),
        st.sampled_from("abcdef"),
    ),
    max_size=40,
)


@given(steps)
async def test_replicas_agree_in_the_end_and_lose_no_conversation(taken: list[tuple[str, int, str]]) -> None:
    """Neither the order of exchanges nor a failing store changes what was confirmed."""
    clock = Clock()
    store = FlakyMemory(clock)
    replicas = [Replica(store, clock) for _ in range(3)]
    confirmed: set[str] = set()
    for step, at, conversation in taken:
        if step == "confirm":
            replicas[at].confirm(conversation)
            confirmed.add(conversation)
        elif step == "poll":
            await replicas[at].poll_all()
        elif step == "lose write":
            store.lost_writes = 1
        elif step == "lose reply":
            store.lost_replies = 1
        else:
            store.down = step == "down"
    store.down, store.lost_writes, store.lost_replies = False, 0, 0
    for _ in range(3):
        for replica in replicas:
            await replica.poll_all()
    if confirmed:
        first, *others = [replica.evidence() for replica in replicas]
        assert first[0] == pytest.approx(len(confirmed), abs=0.01)
        assert others == [first, first]
