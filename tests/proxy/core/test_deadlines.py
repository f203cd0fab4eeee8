"""Tests of time limits that share one timer."""

from __future__ import annotations

import asyncio
import gc
import selectors
import weakref
from collections.abc import Callable, Coroutine
from contextlib import AbstractAsyncContextManager, AbstractContextManager, asynccontextmanager, suppress
from functools import wraps
from math import inf
from typing import Any

import pytest
from typing_extensions import override

from proxy.core.deadlines import LimitWatch, TimeLimit, limit_watch_of, wait_at_most

Limit = Callable[[float], AbstractAsyncContextManager[object]]


class _Jumping(selectors.DefaultSelector):
    """A selector that does not wait for timers. It moves the clock to the next timer instead."""

    now = 1000.0

    @override
    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        found = super().select(None if timeout is None else 0)
        if not found and timeout:
            self.now += timeout
        return found


class Clockwork(asyncio.SelectorEventLoop):
    """An event loop whose clock moves only by waiting, so that a slow machine changes nothing."""

    def __init__(self) -> None:
        self._clock = _Jumping()
        super().__init__(self._clock)

    @override
    def time(self) -> float:
        return self._clock.now

    def advance(self, seconds: float) -> None:
        """Move the clock, as blocking work does."""
        self._clock.now += seconds


def clockwork(test: Callable[..., Coroutine[Any, Any, None]]) -> Callable[..., None]:
    """Return *test* as a function that runs it on a :class:`Clockwork` loop."""

    @wraps(test)
    def run(**arguments: Any) -> None:
        with asyncio.Runner(loop_factory=Clockwork) as runner:
            runner.run(test(**arguments))

    return run


@asynccontextmanager
async def shared(until: float) -> Any:
    """Enter a :class:`TimeLimit` as an asynchronous context, like asyncio's timeout."""
    limit: AbstractContextManager[object] = TimeLimit(until)
    with limit:
        yield limit


class Noting:
    """An object with a limit, which records when the limit is reached."""

    def __init__(self, until: float, fails: bool = False) -> None:
        self.until = until
        self.reached: list[float] = []
        self._fails = fails

    def expire(self) -> None:
        """Record the time."""
        self.until = inf
        self.reached.append(asyncio.get_running_loop().time())
        if self._fails:
            raise ValueError


async def in_time() -> str:
    """Return a result before the limit."""
    await asyncio.sleep(0)
    return "done"


async def too_long() -> str:
    """Work beyond the limit."""
    await asyncio.sleep(5)
    return "done"


async def fails_late() -> str:
    """Raise another error when cancelled."""
    try:
        await asyncio.sleep(5)
    except asyncio.CancelledError:
        raise ValueError from None
    return "done"


async def returns_late() -> str:
    """Return a result although it was cancelled."""
    with suppress(asyncio.CancelledError):
        await asyncio.sleep(5)
    return "late"


async def times_out_itself() -> str:
    """Raise its own timeout."""
    raise TimeoutError("mine")


async def blocks() -> str:
    """Block the event loop beyond the limit."""
    loop = asyncio.get_running_loop()
    assert isinstance(loop, Clockwork)
    loop.advance(0.05)
    return "done"


@pytest.mark.parametrize("work", [in_time, too_long, fails_late, returns_late, times_out_itself, blocks])
@pytest.mark.parametrize("after_s", [0.03, -1.0, inf])
@pytest.mark.parametrize("cancelled_after", [None, 0.0, 0.01, 0.06, "at once with the limit"])
@clockwork
async def test_limit_has_the_outcome_of_asyncios_timeout(
    work: Callable[[], Any], after_s: float, cancelled_after: float | str | None
) -> None:
    """A limit has the same outcome as asyncio's timeout, for any end of the work and any cancellation."""
    if after_s == inf and cancelled_after is None and work in (too_long, fails_late, returns_late):
        return  # the work would take 5 s
    if after_s < 0 and work is in_time:
        return  # the work and the limit end in the same step of the loop

    async def outcome(limit: Limit) -> object:
        async def limited() -> str:
            async with limit(asyncio.get_running_loop().time() + after_s):
                found: str = await work()
                return found

        async def told() -> tuple[object, int]:
            task = asyncio.current_task()
            assert task is not None
            try:
                result: object = await limited()
            except BaseException as error:  # noqa: BLE001 - the outcome is compared
                result = repr(error)
            return result, task.cancelling()

        task = asyncio.get_running_loop().create_task(told())
        if isinstance(cancelled_after, str):
            await asyncio.sleep(0)
            asyncio.get_running_loop().call_later(0.035, task.cancel, "from outside")
            await blocks()
        elif cancelled_after is not None:
            await asyncio.sleep(cancelled_after)
            task.cancel("from outside")
        [found] = await asyncio.gather(task, return_exceptions=True)
        return found

    assert repr(await outcome(shared)) == repr(await outcome(asyncio.timeout_at))


@clockwork
async def test_inner_limit_ends_only_the_inner_work() -> None:
    """An inner limit ends only the inner work, and the outer limit ends all work."""
    clock = asyncio.get_running_loop().time
    outer = TimeLimit(clock() + 0.06)
    ended: list[str] = []

    async def work() -> None:
        try:
            with TimeLimit(clock() + 0.02):
                await asyncio.sleep(5)
        except TimeoutError:
            ended.append("inner" if not outer.reached else "both")
        with TimeLimit(clock() + 5):
            await asyncio.sleep(5)

    with pytest.raises(TimeoutError), outer:
        await work()
    assert ended == ["inner"]
    assert outer.reached


@clockwork
async def test_one_timer_serves_limits_at_different_times(monkeypatch: pytest.MonkeyPatch) -> None:
    """One timer serves all limits, and a nearer limit sets the timer again.

    A limit whose handler raises does not stop the others.
    """
    loop = asyncio.get_running_loop()
    began, known = loop.time(), loop.call_at
    moments: list[float] = []

    def counting(when: float, *arguments: Any, **named: Any) -> asyncio.TimerHandle:
        moments.append(round(when - began, 2))
        return known(when, *arguments, **named)

    watch = LimitWatch()
    monkeypatch.setattr(loop, "call_at", counting)
    monkeypatch.setattr(loop, "call_exception_handler", lambda context: None)
    gone, far, near = Noting(began + 0.1), Noting(began + 0.2), Noting(began + 0.05, fails=True)
    alike, moved, never = Noting(began + 0.05), Noting(began + 0.05), Noting(inf)
    for one in (gone, far, near, alike, moved, never):
        watch.watch(one)
    watch.forget(gone)
    moved.until = began + 0.15
    assert moments == [0.1, 0.05]
    await asyncio.sleep(0.3)

    assert moments[:2] == [0.1, 0.05]
    assert moments[-2:] == [0.15, 0.2]
    assert len(moments) <= 6  # asyncio calls up to its clock's resolution too early
    assert gone.reached == never.reached == []
    for one, after_s in ((near, 0.05), (far, 0.2), (moved, 0.15)):
        [reached] = one.reached
        assert after_s <= reached - began + 0.001 < after_s + 0.05
    assert watch.nearest == inf


def test_watch_of_a_closed_loop_is_freed() -> None:
    """The watch of a closed loop is freed, even if some limits were still watched."""

    async def leave() -> weakref.ref[LimitWatch]:
        loop = asyncio.get_running_loop()
        limit_watch_of(loop).watch(Noting(loop.time() + 100))
        assert limit_watch_of(loop) is limit_watch_of(loop)
        return weakref.ref(limit_watch_of(loop))

    found = asyncio.run(leave())
    gc.collect()

    assert found() is None


async def test_wait_ends_with_the_future() -> None:
    """The wait returns as soon as the future is done, or at once for one that is."""
    future = asyncio.get_running_loop().create_future()
    asyncio.get_running_loop().call_later(0.01, future.set_result, None)

    async with asyncio.timeout(5):
        assert await wait_at_most(future, 60.0)
        assert await wait_at_most(future, 0.0)


async def test_wait_ends_at_its_limit() -> None:
    """The future goes on, and others that wait longer are still waiting."""
    loop = asyncio.get_running_loop()
    future = loop.create_future()
    async with asyncio.TaskGroup() as group:
        longer = group.create_task(wait_at_most(future, 60.0))
        assert not await wait_at_most(future, 0.01)
        assert not await wait_at_most(future, 0.01)
        assert not longer.done()
        future.set_result(None)
        assert await longer


async def test_cancelled_wait_leaves_its_future() -> None:
    """A client that leaves does not cancel the work that it waited for."""
    future = asyncio.get_running_loop().create_future()
    async with asyncio.TaskGroup() as group:
        waiting = group.create_task(wait_at_most(future, 60.0))
        await asyncio.sleep(0)
        waiting.cancel()

    assert waiting.cancelled()
    assert not future.done()
