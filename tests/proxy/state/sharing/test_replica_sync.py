"""Tests of the loop that exchanges facts with other replicas."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from proxy.state.sharing.replica_sync import ReplicaSync, SyncSource, wait_for


class Clock:
    """A clock whose waits take no real time. After *last* seconds, a wait raises ``CancelledError``."""

    def __init__(self, last: float) -> None:
        self.now = 0.0
        self._last = last

    def time(self) -> float:
        return self.now

    async def wait(self, wake: asyncio.Event | None, seconds: float) -> None:
        await asyncio.sleep(0)
        if wake is not None and wake.is_set():
            return
        self.now += seconds
        if self.now > self._last:
            raise asyncio.CancelledError


async def run(clock: Clock, *sources: SyncSource) -> list[tuple[str, str]]:
    """Run the sources until the clock's end. Return the reports, each as the name and the error's text."""
    reports: list[tuple[str, str]] = []
    sync = ReplicaSync(
        sources, clock.time, lambda name, error: reports.append((name, str(error or "well"))), wait=clock.wait
    )
    await asyncio.gather(sync.run(), return_exceptions=True)
    return reports


def failing(errors: list[Exception | None], times: list[float]) -> Callable[[float], Awaitable[None]]:
    """Return a source's function that raises one of *errors* at each call."""

    async def exchange(now: float) -> None:
        times.append(now)
        error = errors.pop(0) if errors else None
        if error is not None:
            raise error

    return exchange


async def test_a_source_is_called_at_once_and_then_in_its_period() -> None:
    times: list[float] = []

    assert await run(Clock(10.0), SyncSource("lessons", failing([], times), 5.0)) == []

    assert times == [0.0, 5.0, 10.0]


async def test_an_error_is_reported_once_for_each_change_and_ends_nothing() -> None:
    times: list[float] = []
    errors: list[Exception | None] = [None, ValueError("a"), ValueError("b"), None, None, ValueError("c")]

    reports = await run(Clock(7.0), SyncSource("cooldowns", failing(errors, times), 1.0))

    assert reports == [("cooldowns", "a"), ("cooldowns", "well"), ("cooldowns", "c"), ("cooldowns", "well")]
    assert len(times) == 8


async def test_one_source_s_error_does_not_concern_the_others() -> None:
    """Both sources share the clock, so each of the ten waits is one second."""
    bad: list[float] = []
    good: list[float] = []

    reports = await run(
        Clock(10.0),
        SyncSource("bad", failing([ValueError("x")] * 20, bad), 1.0),
        SyncSource("good", failing([], good), 1.0),
    )

    assert reports == [("bad", "x")]
    assert len(good) >= 5


async def test_a_source_is_called_at_once_when_it_is_woken() -> None:
    """The loop clears the event. A source that fails without clearing its event is not called for ever."""
    clock = Clock(3.0)
    wake = asyncio.Event()
    times: list[float] = []

    async def exchange(now: float) -> None:
        times.append(now)
        if len(times) == 2:
            wake.set()
        if len(times) == 3:
            raise ValueError

    await run(clock, SyncSource("probes", exchange, 1.0, wake))

    assert times == [0.0, 1.0, 1.0, 2.0, 3.0]


@pytest.mark.parametrize("wakes", [True, False])
async def test_the_real_wait_ends_with_the_event_or_the_time(wakes: bool) -> None:
    wake = asyncio.Event()
    if wakes:
        wake.set()
    async with asyncio.timeout(30):
        await wait_for(wake, 1_000.0 if wakes else 0.001)
        await wait_for(None, 0.001)
