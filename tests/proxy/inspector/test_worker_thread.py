"""Tests that inspections share a few places, and run in one worker thread within a time limit."""

from __future__ import annotations

import asyncio
import threading

import pytest

from proxy.core.errors import Overloaded
from proxy.inspector import worker_thread
from proxy.inspector.worker_thread import InspectionPlaces, run_in_worker

CLIENT = "key:one"


async def test_two_inspections_run_and_too_many_waiting_are_refused() -> None:
    """Further inspections wait for a free place, and an inspection beyond the limit of 16 waiting ones is refused."""
    seats, leave, sitting = InspectionPlaces(), asyncio.Event(), 0

    async def sit() -> None:
        nonlocal sitting
        async with seats.hold(CLIENT):
            sitting += 1
            await leave.wait()

    tasks = [asyncio.ensure_future(sit()) for _ in range(18)]
    await asyncio.sleep(0.01)
    assert sitting == 2
    with pytest.raises(Overloaded, match="Too many wait"):
        await sit()

    leave.set()
    await asyncio.gather(*tasks)
    await sit()
    assert sitting == 19


async def test_next_free_seat_goes_to_the_client_without_one() -> None:
    """A client without a place gets the next free place, even if that client came last."""
    seats, order = InspectionPlaces(), []
    leave = {name: asyncio.Event() for name in ("first", "second", "own", "other")}

    async def sit(client: str, name: str) -> None:
        async with seats.hold(client):
            order.append(name)
            await leave[name].wait()

    async def turn() -> None:
        for _ in range(5):
            await asyncio.sleep(0)

    async with asyncio.TaskGroup() as group:
        for client, name in (("a", "first"), ("a", "second"), ("a", "own"), ("b", "other")):
            group.create_task(sit(client, name))
        await turn()
        assert order == ["first", "second"]
        leave["first"].set()
        await turn()
        assert order == ["first", "second", "other"]
        for event in leave.values():
            event.set()

    assert order == ["first", "second", "other", "own"]


async def test_client_that_fills_the_queue_gives_way_to_another() -> None:
    """The newest waiting inspection of that client is refused."""
    seats, leave, refused, sat = InspectionPlaces(), asyncio.Event(), [], []

    async def sit(client: str, number: int) -> None:
        try:
            async with seats.hold(client):
                sat.append((client, number))
                await leave.wait()
        except Overloaded as error:
            refused.append((client, number, error.message))

    async with asyncio.TaskGroup() as group:
        for number in range(18):
            group.create_task(sit("a", number))
        for number in range(2):
            group.create_task(sit("b", number))
        await asyncio.sleep(0.01)
        assert [one[:2] for one in refused] == [("a", 17), ("a", 16)]
        assert {words for *_, words in refused} == {"Too many wait for the inspector; try again."}
        leave.set()

    assert len(sat) == 18
    assert {one for one in sat if one[0] == "b"} == {("b", 0), ("b", 1)}


async def test_inspection_ends_at_the_deadline_and_frees_its_seat(monkeypatch: pytest.MonkeyPatch) -> None:
    """Waiting and running inspections both end at the deadline."""
    monkeypatch.setattr(worker_thread, "LONGEST_S", 0.02)
    seats, ended = InspectionPlaces(), []

    async def sit() -> None:
        try:
            async with seats.hold(CLIENT):
                await asyncio.sleep(10)
        except Overloaded as error:
            ended.append(error)

    await asyncio.gather(*(sit() for _ in range(3)))
    async with seats.hold(CLIENT):
        pass

    assert [error.headers for error in ended] == [{"Retry-After": "5"}] * 3
    assert "not done within" in ended[0].message


async def test_cancelled_work_is_not_begun() -> None:
    """The cancelled work was still waiting for the thread."""
    busy, done = threading.Event(), []
    first = asyncio.ensure_future(run_in_worker(busy.wait))
    second = asyncio.ensure_future(run_in_worker(lambda: done.append(1)))
    await asyncio.sleep(0.01)
    second.cancel()
    await asyncio.sleep(0)
    busy.set()
    await first
    await run_in_worker(lambda: done.append(2))

    assert done == [2]
