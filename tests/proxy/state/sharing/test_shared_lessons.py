"""Tests that replicas with one store learn from one another, and that each learns alone without the store."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import orjson
import pytest

from proxy.core.deployment import Deployment
from proxy.resilience.read_overflow import Overflow
from proxy.state.deployment_identity import identity_of
from proxy.state.sharing import shared_lessons as module
from proxy.state.spaces import LESSONS, WINDOWS
from tests.proxy.planning.budgets.shapes import GEMINI, deployment_of
from tests.proxy.state.lesson_replicas import Fleet

LOCAL = deployment_of()
OTHER = deployment_of(GEMINI)
KEY = identity_of(LOCAL)


@pytest.fixture
def fleet() -> Fleet:
    """Return three replicas with one store."""
    fleet = Fleet()
    for _ in range(3):
        fleet.add()
    return fleet


def factors(fleet: Fleet, deployment: Deployment = LOCAL, tenant: str = "a") -> list[float]:
    """Return the factor by which each replica plans."""
    return [replica.plan(deployment, tenant) for replica in fleet.replicas]


def windows(fleet: Fleet, tenant: str = "a") -> list[int | None]:
    """Return the learned window by which each replica plans."""
    return [replica.window(LOCAL, tenant) for replica in fleet.replicas]


async def test_a_factor_is_known_everywhere_in_five_seconds(fleet: Fleet) -> None:
    factors(fleet)
    fleet.replicas[0].answer(LOCAL, 13_000)
    await fleet.pass_time(5.0)

    assert factors(fleet) == [1.3, 1.3, 1.3]
    assert factors(fleet, OTHER) != [1.3, 1.3, 1.3]


async def test_a_restarted_replica_keeps_the_factor_and_its_margin(fleet: Fleet) -> None:
    """The first use asks in the background. So the next request already has the factor."""
    fleet.replicas[0].answer(LOCAL, 13_000)
    await fleet.pass_time(5.0)
    started = fleet.add()
    await started.poll()
    started.plan(LOCAL)
    assert started.shared.wanted.is_set()
    await started.poll()

    assert started.plan(LOCAL) == 1.3
    assert started.learned_windows.peek(LOCAL, fleet.clock.now, "a").calibration.observations == 1


async def test_a_factor_is_used_once_the_store_has_taken_it(fleet: Fleet) -> None:
    """Until then the replica cuts where the others do. Requests are admitted by the new factor at once."""
    first = fleet.replicas[0]
    before = first.plan(LOCAL)
    first.answer(LOCAL, 13_000)
    assert first.plan(LOCAL) == before
    assert first.learned_windows.peek(LOCAL, fleet.clock.now, "a").calibration.live == 1.3

    await first.poll()
    assert first.plan(LOCAL) == 1.3


async def test_the_second_of_two_proposals_takes_over_the_first(fleet: Fleet) -> None:
    first, second, _ = fleet.replicas
    factors(fleet)
    await fleet.pass_time(5.0)
    first.answer(LOCAL, 13_000)
    second.answer(LOCAL, 17_000)
    await second.poll()
    await first.poll()
    assert (first.plan(LOCAL), second.plan(LOCAL)) == (1.7, 1.7)

    await fleet.pass_time(20.0)
    assert factors(fleet) == [1.7, 1.7, 1.7]


async def test_a_factor_is_written_once_in_ten_seconds(fleet: Fleet) -> None:
    first = fleet.replicas[0]
    for second in range(30):
        first.answer(LOCAL, 8_000 + 700 * second)
        await first.poll()
        fleet.clock.now += 1.0
    written = [call for call in fleet.store.calls if call[0] != "get" and call[1] == "lessons"]
    assert 2 <= len(written) <= 3


async def test_an_overflow_raises_the_factor_at_once(fleet: Fleet) -> None:
    """The retry would fail again with the smaller factor, so it waits for nobody."""
    first, second, _ = fleet.replicas
    first.answer(LOCAL, 10_000)
    factors(fleet)
    await fleet.pass_time(20.0)
    first.overflow(LOCAL, Overflow(20_000, 30_000))
    assert first.plan(LOCAL) == 1.5
    await fleet.pass_time(5.0)

    assert second.plan(LOCAL) == 1.5


async def test_a_raised_factor_that_lost_is_proposed_again(fleet: Fleet) -> None:
    """A smaller factor that another replica wrote first does not take away what an overflow taught."""
    first, second, _ = fleet.replicas
    first.answer(LOCAL, 10_000)
    factors(fleet)
    await fleet.pass_time(20.0)
    second.answer(LOCAL, 13_000)
    second.answer(LOCAL, 13_000)
    await second.poll()
    first.overflow(LOCAL, Overflow(20_000, 30_000))
    await first.poll()

    assert first.plan(LOCAL) == 1.5
    await fleet.pass_time(5.0)
    assert factors(fleet) == [1.5, 1.5, 1.5]


async def test_a_factor_that_a_plan_needed_is_known_everywhere(fleet: Fleet) -> None:
    factors(fleet)
    first = fleet.replicas[0]
    first.answer(LOCAL, 10_000)
    await fleet.pass_time(20.0)
    first.learned_windows.raise_factor(LOCAL, 1.2, fleet.clock.now, "a")
    assert first.plan(LOCAL) == 1.2
    await fleet.pass_time(5.0)

    assert factors(fleet) == [1.2, 1.2, 1.2]


async def test_a_lack_of_usage_is_known_everywhere(fleet: Fleet) -> None:
    factors(fleet)
    await fleet.pass_time(20.0)
    first = fleet.replicas[0]
    fleet.store.lost_writes = 1
    first.learned_windows.refuses_usage(LOCAL, fleet.clock.now, "a")
    await fleet.pass_time(10.0)

    for replica in fleet.replicas:
        assert not replica.learned_windows.peek(LOCAL, fleet.clock.now, "a").reports_usage


async def test_a_store_that_takes_no_writes_keeps_nobody_from_learning(fleet: Fleet) -> None:
    """A full store still answers reads."""
    factors(fleet)
    first = fleet.replicas[0]
    first.answer(LOCAL, 10_000)
    await fleet.pass_time(20.0)
    fleet.store.lost_writes = 1_000
    for _ in range(12):
        first.answer(LOCAL, 15_000)
    await fleet.pass_time(20.0)
    assert first.plan(LOCAL) > 1.2
    assert fleet.replicas[1].plan(LOCAL) == 1.0
    fleet.store.lost_writes = 0
    await fleet.pass_time(20.0)

    assert factors(fleet) == [first.plan(LOCAL)] * 3


async def test_a_pair_in_use_is_not_forgotten(fleet: Fleet) -> None:
    first = fleet.replicas[0]
    first.plan(LOCAL)
    share = first.learned_windows.lessons_of(LOCAL, fleet.clock.now, "a").share
    for _ in range(3):
        await fleet.pass_time(1_800.0)
        first.plan(LOCAL)

    assert share is not None
    assert first.learned_windows.lessons_of(LOCAL, fleet.clock.now, "a").share is share


async def test_a_lost_reply_is_not_a_lost_proposal(fleet: Fleet) -> None:
    factors(fleet)
    first = fleet.replicas[0]
    first.answer(LOCAL, 10_000)
    await fleet.pass_time(20.0)
    first.answer(LOCAL, 15_000)
    fleet.store.lost_replies = 1
    await fleet.pass_time(5.0)

    assert fleet.store.lost_replies == 0
    assert factors(fleet) == [first.plan(LOCAL)] * 3
    assert first.plan(LOCAL) > 1.1
    assert orjson.loads((await fleet.store.get(LESSONS, [KEY], tenant="a"))[KEY])["generation"] == 2


async def test_without_the_store_each_replica_learns_alone(fleet: Fleet) -> None:
    """The first factor is used after one attempt, the next ones at once."""
    fleet.store.down = True
    first, second, _ = fleet.replicas
    first.answer(LOCAL, 13_000)
    await first.poll()
    assert first.plan(LOCAL) == 1.3
    for _ in range(12):
        first.answer(LOCAL, 17_000)
    assert first.plan(LOCAL) > 1.4
    first.overflow(LOCAL, Overflow(20_000), "a")
    await fleet.pass_time(600.0)

    assert first.window(LOCAL) == 20_000
    assert first.plan(LOCAL) > 1.4
    assert second.plan(LOCAL) != first.plan(LOCAL)


async def test_lessons_of_an_outage_are_shared_after_it(fleet: Fleet) -> None:
    factors(fleet)
    await fleet.pass_time(5.0)
    fleet.store.down = True
    first = fleet.replicas[0]
    first.answer(LOCAL, 13_000)
    first.overflow(LOCAL, Overflow(20_000), "a")
    first.learned_windows.refuses_usage(LOCAL, fleet.clock.now, "a")
    await fleet.pass_time(60.0)
    fleet.store.down = False
    await fleet.pass_time(20.0)

    assert len(set(factors(fleet))) == 1
    assert windows(fleet) == [20_000, 20_000, 20_000]
    for replica in fleet.replicas:
        assert not replica.learned_windows.peek(LOCAL, fleet.clock.now, "a").reports_usage


async def test_an_emptied_store_is_filled_again(fleet: Fleet) -> None:
    factors(fleet)
    first = fleet.replicas[0]
    first.answer(LOCAL, 13_000)
    first.overflow(LOCAL, Overflow(20_000), "a")
    first.learned_windows.refuses_usage(LOCAL, fleet.clock.now, "a")
    await fleet.pass_time(20.0)
    assert windows(fleet) == [20_000] * 3
    fleet.store._tenants.clear()
    await fleet.pass_time(15.0)

    assert windows(fleet) == [20_000] * 3
    assert len(set(factors(fleet))) == 1
    started = fleet.add()
    started.plan(LOCAL)
    await started.poll()
    lessons = started.learned_windows.peek(LOCAL, fleet.clock.now, "a")
    assert lessons.learned is not None
    assert lessons.calibration.sticky == first.plan(LOCAL)
    assert not lessons.reports_usage


async def test_a_window_is_known_everywhere_and_ends_for_all(fleet: Fleet) -> None:
    factors(fleet)
    fleet.replicas[0].overflow(LOCAL, Overflow(9_000))
    await fleet.pass_time(5.0)
    assert windows(fleet) == [9_000, 9_000, 9_000]
    await fleet.pass_time(15.0)
    fleet.replicas[1].answer(LOCAL, 9_500)
    await fleet.pass_time(5.0)
    await fleet.pass_time(5.0)

    assert windows(fleet) == [None, None, None]
    assert KEY not in await fleet.store.get(WINDOWS, [KEY], tenant="a")


async def test_a_window_lives_an_hour_in_all_replicas_together(fleet: Fleet) -> None:
    """A replica that saw the window late does not keep it for an hour of its own."""
    fleet.replicas[0].overflow(LOCAL, Overflow(9_000))
    await fleet.pass_time(3_000.0)
    late = fleet.add()
    late.plan(LOCAL)
    await late.poll()
    assert late.window(LOCAL) == 9_000
    for _ in range(120):
        factors(fleet)
        await fleet.pass_time(5.0)
    await fleet.pass_time(15.0)

    assert late.window(LOCAL) is None


async def test_a_window_that_an_answer_has_passed_is_not_taken_over(fleet: Fleet) -> None:
    fleet.replicas[1].answer(LOCAL, 10_000)
    fleet.replicas[0].overflow(LOCAL, Overflow(9_000))
    await fleet.pass_time(5.0)

    assert windows(fleet)[:2] == [9_000, None]


async def test_a_coded_window_counts_for_all_tenants_of_all_replicas(fleet: Fleet) -> None:
    for tenant in "abc":
        factors(fleet, tenant=tenant)
    fleet.replicas[0].overflow(LOCAL, Overflow(9_000, coded=True), "a")
    await fleet.pass_time(5.0)
    assert [windows(fleet, tenant) for tenant in "abc"] == [[9_000] * 3] * 3
    await fleet.pass_time(15.0)
    fleet.replicas[1].answer(LOCAL, 9_500, "c")
    await fleet.pass_time(10.0)

    assert windows(fleet, "b") == [None] * 3
    assert windows(fleet, "a") == [9_000] * 3


async def test_a_window_that_was_disproved_in_an_outage_ends_after_it(fleet: Fleet) -> None:
    for tenant in "ab":
        factors(fleet, tenant=tenant)
    fleet.replicas[0].overflow(LOCAL, Overflow(9_000, coded=True), "a")
    await fleet.pass_time(20.0)
    assert windows(fleet, "b") == [9_000] * 3
    fleet.store.down = True
    fleet.replicas[1].answer(LOCAL, 9_500, "a")
    await fleet.pass_time(20.0)
    assert (windows(fleet, "a"), windows(fleet, "b")) == ([9_000, None, 9_000], [9_000, None, 9_000])
    fleet.store.down = False
    await fleet.pass_time(10.0)

    assert windows(fleet, "a") == windows(fleet, "b") == [None] * 3


async def test_one_tenant_changes_nothing_for_another(fleet: Fleet) -> None:
    for tenant in "ab":
        factors(fleet, tenant=tenant)
    before = factors(fleet, tenant="b")
    first = fleet.replicas[0]
    first.answer(LOCAL, 17_000, "a")
    first.overflow(LOCAL, Overflow(9_000), "a")
    first.learned_windows.refuses_usage(LOCAL, fleet.clock.now, "a")
    await fleet.pass_time(60.0)

    assert factors(fleet, tenant="b") == before
    assert windows(fleet, "b") == [None] * 3
    for replica in fleet.replicas:
        assert replica.learned_windows.peek(LOCAL, fleet.clock.now, "b").reports_usage
        assert not replica.learned_windows.peek(LOCAL, fleet.clock.now, "a").reports_usage


async def test_two_tenants_of_two_replicas_agree(fleet: Fleet) -> None:
    """The lessons of two tenants count for a third one where a replica serves all three."""
    first, second, third = fleet.replicas
    for tenant in "ab":
        third.plan(LOCAL, tenant)
    first.overflow(LOCAL, Overflow(9_000), "a")
    second.overflow(LOCAL, Overflow(9_500), "b")
    first.learned_windows.refuses_usage(LOCAL, fleet.clock.now, "a")
    second.learned_windows.refuses_usage(LOCAL, fleet.clock.now, "b")
    await fleet.pass_time(5.0)

    assert third.window(LOCAL, "c") == 9_500
    assert not third.learned_windows.lessons_for_plan(LOCAL, fleet.clock.now, "c").reports_usage
    assert first.window(LOCAL, "c") is None


async def test_a_quotable_window_counts_for_its_tenant_alone(fleet: Fleet) -> None:
    for tenant in "abc":
        factors(fleet, tenant=tenant)
    for tenant in "ab":
        fleet.replicas[0].overflow(LOCAL, Overflow(9_000, inside_text=True), tenant)
    await fleet.pass_time(5.0)

    assert windows(fleet, "a") == [9_000] * 3
    assert windows(fleet, "c") == [None] * 3


async def test_a_tenant_begins_with_the_same_agreed_factor_everywhere(fleet: Fleet) -> None:
    first, second, _ = fleet.replicas
    first.answer(LOCAL, 13_000, "a")
    first.answer(LOCAL, 14_000, "b")
    second.answer(LOCAL, 17_000, "d")
    second.answer(LOCAL, 18_000, "e")
    await fleet.pass_time(5.0)
    assert first.plan(LOCAL, "c") != second.plan(LOCAL, "c")
    await fleet.pass_time(20.0)

    assert first.plan(LOCAL, "c") == second.plan(LOCAL, "c")


async def test_two_entries_of_one_deployment_share_a_factor(fleet: Fleet) -> None:
    """Positions mean nothing to another replica, so the store knows the deployment alone."""
    again = replace(LOCAL, position=5)
    first = fleet.replicas[0]
    first.plan(again)
    first.answer(LOCAL, 13_000)
    first.overflow(LOCAL, Overflow(20_000))
    await first.poll()
    fleet.clock.now += 5.0
    await first.poll()

    assert first.plan(again) == first.plan(LOCAL) > 1.2
    assert first.window(again) == 20_000


@pytest.mark.parametrize(
    "value",
    [b"", b"\xff\x00", b"{}", b'{"v":1,"generation":1,"sticky":99,"own":true,"observed":true}', b"9" * 4_000],
)
async def test_garbage_is_ignored_and_replaced(fleet: Fleet, value: bytes) -> None:
    await fleet.store.put(LESSONS, {KEY: value, f"{KEY}/usage": value}, tenant="a")
    await fleet.store.put(WINDOWS, {KEY: value}, tenant="a")
    await fleet.store.put(WINDOWS, {f"{KEY}/coded": value}, tenant="")
    before = factors(fleet)
    await fleet.pass_time(5.0)
    assert factors(fleet) == before
    assert windows(fleet) == [None] * 3
    fleet.replicas[0].answer(LOCAL, 13_000)
    await fleet.pass_time(5.0)

    assert factors(fleet) == [1.3] * 3


async def test_a_factor_of_another_version_is_left_alone(fleet: Fleet) -> None:
    """Processes of two versions would otherwise replace each other's values without end."""
    foreign = b'{"v":2,"factor":1.9}'
    await fleet.store.put(LESSONS, {KEY: foreign}, tenant="a")
    factors(fleet)
    await fleet.pass_time(5.0)
    fleet.replicas[0].answer(LOCAL, 13_000)
    await fleet.pass_time(30.0)

    assert (await fleet.store.get(LESSONS, [KEY], tenant="a"))[KEY] == foreign
    assert fleet.replicas[0].plan(LOCAL) == 1.3


async def test_a_guess_or_a_quotable_window_is_no_coded_window(fleet: Fleet) -> None:
    factors(fleet)
    await fleet.pass_time(5.0)
    for guessed, inside_text in ((True, False), (False, True)):
        value = orjson.dumps({"v": 1, "window": 9_000, "guessed": guessed, "inside_text": inside_text})
        await fleet.store.put(WINDOWS, {f"{KEY}/coded": value}, tenant="")
        await fleet.pass_time(5.0)
        assert windows(fleet) == [None] * 3


async def test_a_reload_keeps_lessons_and_their_sharing(fleet: Fleet) -> None:
    first, second, _ = fleet.replicas
    factors(fleet)
    first.answer(LOCAL, 13_000)
    first.overflow(LOCAL, Overflow(20_000))
    first.learned_windows = first.learned_windows.carry({LOCAL.position: 7})
    moved = replace(LOCAL, position=7)
    await fleet.pass_time(5.0)
    first.plan(moved)
    await first.poll()
    assert first.plan(moved) == second.plan(LOCAL) == 1.3
    assert second.window(LOCAL) == 20_000
    await fleet.pass_time(15.0)
    second.answer(LOCAL, 17_000)
    second.overflow(LOCAL, Overflow(19_000, 34_000))
    await fleet.pass_time(5.0)
    await fleet.pass_time(5.0)

    assert first.plan(moved) == second.plan(LOCAL) == pytest.approx(1.7)
    assert first.window(moved) == 19_000


async def test_lessons_that_a_reload_drops_are_read_no_more(fleet: Fleet) -> None:
    first = fleet.replicas[0]
    first.plan(LOCAL)
    await first.poll()
    first.learned_windows = first.learned_windows.carry({})
    fleet.store.calls.clear()
    fleet.clock.now += 5.0
    await first.poll()

    assert fleet.store.calls == []


async def test_lessons_unused_for_an_hour_are_read_no_more(fleet: Fleet) -> None:
    first = fleet.replicas[0]
    first.plan(LOCAL)
    await fleet.pass_time(3_600.0)
    fleet.store.calls.clear()
    await fleet.pass_time(60.0)
    assert fleet.store.calls == []

    fleet.replicas[1].answer(LOCAL, 13_000)
    await fleet.pass_time(5.0)
    first.plan(LOCAL)
    await first.poll()
    assert first.plan(LOCAL) == 1.3


async def test_an_evicted_pair_is_read_no_more(fleet: Fleet, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("proxy.state.learned_windows._CAPACITY", 4)
    first = fleet.add()
    for number in range(20):
        first.plan(replace(LOCAL, position=number, model=f"openai/made-up-{number}"))
    assert len(first.shared._pairs) == 4
    assert len(first.shared._coded) == 4


async def test_pairs_beyond_the_capacity_are_not_shared(
    fleet: Fleet, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_CAPACITY", 2)
    first = fleet.replicas[0]
    for tenant in "abcd":
        first.answer(LOCAL, 13_000, tenant)
    await first.poll()

    assert len(first.shared._pairs) == 2
    assert first.plan(LOCAL, "d") == 1.3


async def test_a_poll_reads_a_part_of_many_pairs_in_turn(
    fleet: Fleet, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_AT_ONCE", 4)
    first = fleet.replicas[0]
    tenants = [f"t{number}" for number in range(10)]
    for tenant in tenants:
        first.plan(LOCAL, tenant)
    await first.poll()
    read: list[str] = []
    for _ in range(5):
        fleet.store.calls.clear()
        fleet.clock.now += 5.0
        await first.poll()
        asked = [
            tenant for method, space, tenant in fleet.store.calls if (method, space) == ("get", "lessons")
        ]
        assert len(asked) == 4
        read += asked

    assert {read.count(tenant) for tenant in tenants} == {2}


async def test_an_early_poll_reads_only_what_is_new(fleet: Fleet) -> None:
    """Otherwise a client that makes up names of models could have everything read again with each request."""
    first = fleet.replicas[0]
    first.plan(LOCAL, "a")
    await first.poll()
    fleet.store.calls.clear()
    fleet.clock.now += 1.0
    await first.poll()
    assert fleet.store.calls == []
    first.plan(LOCAL, "b")
    await first.poll()

    assert {tenant for _, space, tenant in fleet.store.calls if space == "lessons"} == {"b"}


async def test_no_position_and_no_clock_is_stored(fleet: Fleet) -> None:
    first = fleet.replicas[0]
    at = replace(LOCAL, position=4_711)
    fleet.clock.now = 987_654.0
    first.answer(at, 13_000)
    first.overflow(at, Overflow(20_000, coded=True))
    first.learned_windows.refuses_usage(at, fleet.clock.now, "a")
    await first.poll()
    stored = [entry for values in fleet.store._tenants.values() for entry in values.entries.items()]

    assert len(stored) == 6
    assert "4711" not in repr(stored)
    assert "98765" not in repr(stored)


async def test_a_stored_window_needs_no_overflow(fleet: Fleet) -> None:
    """A guess stays a guess on its way."""
    factors(fleet)
    fleet.replicas[0].overflow(LOCAL, Overflow())
    await fleet.pass_time(5.0)
    found = [replica.learned_windows.peek(LOCAL, fleet.clock.now, "a").learned for replica in fleet.replicas]

    assert found[0] is not None
    assert found[0].guessed
    assert found == [found[0]] * 3


async def test_polls_of_replicas_may_overlap(fleet: Fleet) -> None:
    factors(fleet)
    for number, replica in enumerate(fleet.replicas):
        replica.answer(LOCAL, 12_000 + 2_500 * number)
    for _ in range(4):
        async with asyncio.TaskGroup() as group:
            for replica in fleet.replicas:
                group.create_task(replica.poll())
        fleet.clock.now += 5.0

    assert len(set(factors(fleet))) == 1
