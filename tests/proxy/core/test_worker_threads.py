"""Tests of worker threads: the order of work, its end, and the memory that it frees."""

from __future__ import annotations

import asyncio
import threading
import weakref
from collections.abc import Coroutine
from typing import Any, TypeVar

import pytest

from proxy.core.worker_threads import CLIENT, WorkerThreads
from sanitizers.work_limit import WorkLimitExceeded, metered, spend

T = TypeVar("T")

STEPS = 10**12


def as_client(name: str, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
    """Return a task that runs *work* for the client *name*."""

    async def run() -> T:
        CLIENT.set(name)
        return await work

    return asyncio.get_running_loop().create_task(run())


def endless(begun: threading.Event, taken: list[int]) -> None:
    """Spend steps until the work is ended. Add the number of steps to *taken*."""
    begun.set()
    steps = 0
    try:
        while True:
            spend()
            steps += 1
    finally:
        taken.append(steps)


@pytest.fixture
def threads() -> WorkerThreads:
    """Return a pool of two worker threads."""
    return WorkerThreads(2, "tested")


async def test_a_client_never_waits_behind_the_second_work_of_another(threads: WorkerThreads) -> None:
    """A client's work never waits behind the second work of another client."""
    go = threading.Event()
    greedy = [as_client("greedy", threads.run(go.wait, STEPS)) for _ in range(5)]
    await asyncio.sleep(0)
    assert await as_client("late", threads.run(lambda: "done", STEPS)) == "done"
    assert threads.waiting == 4

    go.set()
    assert await asyncio.gather(*greedy) == [True] * 5
    assert threads.waiting == 0


async def test_cancelled_work_ends_and_frees_its_thread(threads: WorkerThreads) -> None:
    """Cancelled work ends and frees its thread, so that the client's next work can begin."""
    begun, taken = threading.Event(), list[int]()
    task = as_client("one", threads.run(lambda: endless(begun, taken), STEPS))
    await asyncio.to_thread(begun.wait, 30)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    async with asyncio.timeout(30):
        assert await as_client("one", threads.run(lambda: "next", STEPS)) == "next"
    assert len(taken) == 1


async def test_work_that_is_cancelled_while_it_waits_is_never_begun(threads: WorkerThreads) -> None:
    """Work that is cancelled while it waits leaves the queue at once and never begins."""
    go, begun = threading.Event(), list[int]()
    first = as_client("one", threads.run(go.wait, STEPS))
    second = as_client("one", threads.run(lambda: begun.append(2), STEPS))
    third = as_client("one", threads.run(lambda: begun.append(3), STEPS))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    second.cancel()
    await asyncio.gather(second, return_exceptions=True)
    assert threads.waiting == 1

    go.set()
    await asyncio.gather(first, third)
    assert begun == [3]


async def test_work_without_end_stops_at_its_limit_of_steps(threads: WorkerThreads) -> None:
    """Endless work stops at its limit of steps, and its thread can do other work."""
    begun, taken = threading.Event(), list[int]()
    with pytest.raises(WorkLimitExceeded):
        await threads.run(lambda: endless(begun, taken), 1_000)

    assert taken == [1_000]
    assert await threads.run(lambda: sum(metered(range(10))), 10) == 45


async def test_each_piece_of_work_has_its_own_limit(threads: WorkerThreads) -> None:
    """Each piece of work has its own limit, whatever its thread has done before."""
    for _ in range(4):
        assert await threads.run(lambda: sum(metered(range(10))), 10) == 45


class Held:
    """An object that the failing work holds."""


async def test_error_keeps_no_object_of_its_work_alive(threads: WorkerThreads) -> None:
    """An error from a worker thread keeps no object of its work alive.

    Freeing large objects would block the event loop.
    """
    held: list[weakref.ref[Held]] = []

    def fail() -> None:
        large = Held()
        held.append(weakref.ref(large))
        try:
            raise KeyError("inner")
        except KeyError:
            raise ValueError("outer") from None

    with pytest.raises(ValueError, match="outer"):
        await threads.run(fail, STEPS)
    assert held[0]() is None


async def test_threads_are_daemons(threads: WorkerThreads) -> None:
    """Worker threads are daemons, which do not keep the interpreter alive."""
    thread = await threads.run(threading.current_thread, STEPS)
    assert thread.daemon
    assert thread.name.startswith("tested_")
