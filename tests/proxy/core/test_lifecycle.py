"""Tests that requests in flight are ended beyond their deadline or when the grace period is over."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from math import inf

import pytest

from proxy.core import lifecycle
from proxy.core.lifecycle import Lifecycle


@dataclass
class Request:
    """A request in flight."""

    deadline: float
    overdue: bool = False


def in_flight(life: Lifecycle, deadline: float) -> tuple[asyncio.Task[None], Request]:
    """Add a request that takes an hour, and return its task and the request."""
    task = asyncio.get_running_loop().create_task(asyncio.sleep(3_600))
    request = Request(deadline)
    life.in_flight[task] = request
    return task, request


async def test_only_requests_beyond_their_deadline_are_cancelled() -> None:
    """A request is cancelled once, 0.1 seconds after its deadline.

    The request's attempts end at the deadline by themselves.
    """
    life = Lifecycle()
    (late, overdue), (soon, waiting), (answered, begun) = (in_flight(life, at) for at in (10.0, 10.2, inf))

    life.end_overdue(10.05)
    assert not overdue.overdue
    life.end_overdue(10.1)

    assert [late.cancelling(), soon.cancelling(), answered.cancelling()] == [1, 0, 0]
    assert [one.overdue for one in (overdue, waiting, begun)] == [True, False, False]
    life.end_overdue(10.2)
    assert late.cancelling() == 1, "a request is cancelled once"
    life.cut_off()
    await asyncio.gather(late, soon, answered, return_exceptions=True)


async def test_all_requests_are_cancelled_when_the_grace_period_is_over() -> None:
    """At the end of the grace period all requests are cancelled, but not marked as overdue."""
    life = Lifecycle()
    task, request = in_flight(life, inf)
    life.cut_off()
    await asyncio.gather(task, return_exceptions=True)

    assert (life.cutting, task.cancelled(), request.overdue) == (True, True, False)


async def test_deadlines_are_watched_until_the_context_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """Deadlines are checked repeatedly until the context ends."""
    monkeypatch.setattr(lifecycle, "_CHECK_EVERY_S", 0.001)
    life = Lifecycle()
    with life.watching_deadlines():
        for _ in range(2):
            task, _ = in_flight(life, 0.0)
            async with asyncio.timeout(10):
                await asyncio.gather(task, return_exceptions=True)
            assert task.cancelled()
    task, _ = in_flight(life, 0.0)
    await asyncio.sleep(0.005)

    assert task.cancelling() == 0
    task.cancel()
