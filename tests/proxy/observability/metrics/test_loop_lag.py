"""Tests of the event loop's lag: a blocked loop is noticed, and the worst lag is kept for some seconds."""

from __future__ import annotations

import asyncio
import time

from proxy.observability.metrics.loop_lag import HALF_S, PERIOD_S, LoopLag
from tests.support.proxied import Proxied


def test_worst_lag_is_reported() -> None:
    """The gauge shows the largest of several lags."""
    lag = LoopLag()
    for late in (0.01, 0.2, 0.05):
        lag.note(late, 1000.0)

    assert lag.worst() == 0.2


def test_worst_is_kept_for_five_seconds_and_forgotten_after_ten() -> None:
    """The worst lag is kept for the rest of its own period of five seconds, and for the next period."""
    kept, lag, now = [], LoopLag(), 1000.0
    lag.note(0.3, now)
    while lag.worst() == 0.3:
        now += PERIOD_S
        lag.note(0.0, now)
        kept.append(now)

    assert lag.worst() == 0.0
    assert HALF_S <= kept[-1] - 1000.0 <= 2 * HALF_S + 0.2


def test_long_block_forgets_earlier_lags() -> None:
    """A loop that was blocked for longer than both periods reports only that block."""
    lag = LoopLag()
    lag.note(0.9, 1000.0)
    lag.note(0.1, 1000.0 + 3 * HALF_S)

    assert lag.worst() == 0.1


async def test_blocked_loop_is_measured() -> None:
    """The measured lag is the duration of the block, less at most one period of the timer."""
    lag = LoopLag()
    with lag.watching():
        await asyncio.sleep(2 * PERIOD_S)
        time.sleep(0.4)  # noqa: ASYNC251 - the block that the watch must measure
        await asyncio.sleep(2 * PERIOD_S)

    assert 0.4 - PERIOD_S - 0.01 < lag.worst() < 60


async def test_lag_is_not_measured_after_the_watch_ends() -> None:
    """The lag is not measured after the watch has ended, since its timer is cancelled."""
    lag = LoopLag()
    with lag.watching():
        pass
    time.sleep(0.3)  # noqa: ASYNC251 - a block after the watch has ended
    await asyncio.sleep(2 * PERIOD_S)

    assert lag.worst() == 0.0


async def test_gauge_of_a_serving_process_shows_its_lag(proxy: Proxied) -> None:
    """The server runs the watch, so that the gauge shows the lag of a blocked loop."""
    await asyncio.sleep(2 * PERIOD_S)
    time.sleep(0.4)  # noqa: ASYNC251 - the block that the watch must measure
    await asyncio.sleep(2 * PERIOD_S)

    assert await proxy.count("event_loop_lag_seconds") > 0.4 - PERIOD_S - 0.01
