"""Tests of coroutines that wait for a limited number of places, such as slots for work in parallel."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.core.fair_places import FairPlaces


async def turn() -> None:
    """Let all ready coroutines run."""
    for _ in range(5):
        await asyncio.sleep(0)


async def test_released_place_goes_to_a_waiting_coroutine() -> None:
    """A released place goes to a waiting coroutine, and both waiting coroutines get a place in the end."""
    places = FairPlaces(1)
    assert await places.acquire("a")
    own, other = (asyncio.ensure_future(places.acquire(client)) for client in "ab")
    await turn()
    assert (own.done(), other.done(), places.waiting) == (False, False, 2)

    places.release("a")
    await turn()
    assert (places.held_by("a"), places.held_by("b")) in {(1, 0), (0, 1)}
    places.release("a" if places.held_by("a") else "b")

    assert await own
    assert await other


async def test_newest_coroutine_of_the_longest_queue_is_dropped() -> None:
    """The newest coroutine of the longest queue is dropped and gets False. A new client can then wait."""
    places = FairPlaces(1, most_waiting=2)
    await places.acquire("a")
    greedy = [asyncio.ensure_future(places.acquire("a")) for _ in range(3)]
    await turn()
    assert [task.done() for task in greedy] == [False, False, True]
    assert greedy[2].result() is False

    newcomer = asyncio.ensure_future(places.acquire("b"))
    await turn()
    assert [task.done() for task in (*greedy, newcomer)] == [False, True, True, False]
    assert greedy[1].result() is False

    places.release("a")
    places.release("a" if places.held_by("a") else "b")
    assert await greedy[0]
    assert await newcomer


@pytest.mark.parametrize("released", [True, False], ids=["served at that moment", "waiting"])
async def test_a_cancelled_coroutine_holds_no_place(released: bool) -> None:
    """A cancelled coroutine holds no place, even if a place was assigned to it at that moment."""
    places = FairPlaces(1, most_waiting=1)
    await places.acquire("a")
    waiting = asyncio.ensure_future(places.acquire("b"))
    await turn()
    if released:
        places.release("a")
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    if not released:
        places.release("a")

    assert (places.waiting, places.held_by("b")) == (0, 0)
    assert await places.acquire("c")


async def test_a_dropped_and_cancelled_coroutine_gives_no_place_back() -> None:
    """A coroutine that is both dropped and cancelled gives no place back, since it holds none."""
    places = FairPlaces(1, most_waiting=2)
    await places.acquire("a")
    first, second = (asyncio.ensure_future(places.acquire("b")) for _ in range(2))
    await turn()
    third = asyncio.ensure_future(places.acquire("c"))
    second.cancel()
    await turn()

    assert (second.cancelled(), first.done(), third.done(), places.waiting) == (True, False, False, 2)
    places.release("a")
    places.release("b" if places.held_by("b") else "c")
    assert (await first, await third) == (True, True)


@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 3)), max_size=30), st.integers(1, 3))
async def test_places_are_never_lost_or_held_twice(askers: list[tuple[str, int]], most: int) -> None:
    """With cancellations at any time, places are never lost or held twice."""
    places, working = FairPlaces(most, most_waiting=8), 0

    async def work(client: str, steps: int) -> None:
        nonlocal working
        if await places.acquire(client):
            working += 1
            assert working <= most
            try:
                for _ in range(steps):
                    await asyncio.sleep(0)
            finally:
                working -= 1
                places.release(client)

    tasks = []
    for at, (client, steps) in enumerate(askers):
        tasks.append(asyncio.ensure_future(work(client, steps)))
        await asyncio.sleep(0)
        if steps == 3:
            tasks[at // 2].cancel()
    for result in await asyncio.gather(*tasks, return_exceptions=True):
        assert result is None or isinstance(result, asyncio.CancelledError)

    assert places.waiting == 0
    assert [await places.acquire("z") for _ in range(most)] == [True] * most
