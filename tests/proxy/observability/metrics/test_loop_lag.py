"""How late the loop is: what is noted is told for a few seconds, and a loop that stands still is seen."""

from __future__ import annotations

import asyncio
import time

from proxy.observability.metrics.loop_lag import HALF_S, PERIOD_S, LoopLag
from tests.support.proxied import Proxied


def test_worst_is_told() -> None:
    """Of several lags the worst."""
    lag = LoopLag()
    for late in (0.01, 0.2, 0.05):
        lag.note(late, 1000.0)

    assert lag.worst() == 0.2


def test_worst_is_kept_for_five_seconds_and_forgotten_after_ten() -> None:
    """It stays through the half in which it was and the next, and goes with that."""
    kept, lag, now = [], LoopLag(), 1000.0
    lag.note(0.3, now)
    while lag.worst() == 0.3:
        now += PERIOD_S
        lag.note(0.0, now)
        kept.append(now)

    assert lag.worst() == 0.0
    assert HALF_S <= kept[-1] - 1000.0 <= 2 * HALF_S + 0.2


def test_a_long_standstill_forgets_what_was_before() -> None:
    """A loop that stood for longer than the time that is told of tells of that standstill alone."""
    lag = LoopLag()
    lag.note(0.9, 1000.0)
    lag.note(0.1, 1000.0 + 3 * HALF_S)

    assert lag.worst() == 0.1


async def test_a_loop_that_stands_still_is_seen() -> None:
    """Whatever blocks the loop makes the timer late by what it lasts beyond the timer's own time."""
    lag = LoopLag()
    with lag.watching():
        await asyncio.sleep(2 * PERIOD_S)
        time.sleep(0.4)  # noqa: ASYNC251 - this is what is looked for
        await asyncio.sleep(2 * PERIOD_S)

    assert 0.4 - PERIOD_S - 0.01 < lag.worst() < 60


async def test_nothing_is_noted_after_the_watch_ends() -> None:
    """Nothing is noted after the watch."""
    lag = LoopLag()
    with lag.watching():
        pass
    time.sleep(0.3)  # noqa: ASYNC251 - this is what is not looked for
    await asyncio.sleep(2 * PERIOD_S)

    assert lag.worst() == 0.0


async def test_the_process_watches_its_loop(proxy: Proxied) -> None:
    """The gauge of a serving process tells of its loop."""
    await asyncio.sleep(2 * PERIOD_S)
    time.sleep(0.4)  # noqa: ASYNC251 - this is what is looked for
    await asyncio.sleep(2 * PERIOD_S)

    assert await proxy.count("event_loop_lag_seconds") > 0.4 - PERIOD_S - 0.01
