"""Time limits that share one timer of the event loop.

Setting and cancelling a timer takes 5 µs for each limit (asyncio, CPython 3.11). A request has two limits, which are
hardly ever reached. So a limit has no timer of its own. It is only added to a set and removed again.

The timer is set to the nearest limit, and stays there when that limit is removed. When it fires, it checks all limits
and is set to the nearest one again. Most limits have the same length, so the timer fires about once in that length of
time.

A new limit that comes before the nearest one sets a second timer. The first timer then does nothing when it fires.
"""

from __future__ import annotations

import asyncio
from math import inf
from typing import Any, Protocol, Self
from weakref import WeakKeyDictionary, ref


class Limited(Protocol):
    """An object with a time limit. *until* is a time on the loop's clock, or infinity. It may change."""

    until: float

    def expire(self) -> None:
        """Handle the reached limit. Must set *until* to a later time, and must not raise, since other limits follow."""


class LimitWatch:
    """Calls :meth:`Limited.expire` of each watched object when its limit is reached. Uses the running loop."""

    __slots__ = ("__weakref__", "_watched", "nearest")

    def __init__(self) -> None:
        self.nearest = inf
        """The time that the timer is set to.

        If an object's limit moves to an earlier time than this one, :meth:`watch` must be called again.
        """

        self._watched: set[Limited] = set()

    def watch(self, limited: Limited) -> None:
        """Start watching *limited*. Must be called again if its limit moves before :attr:`nearest`."""
        self._watched.add(limited)
        if limited.until < self.nearest:
            self._set_timer(limited.until)

    def forget(self, limited: Limited) -> None:
        """Stop watching *limited*."""
        self._watched.discard(limited)

    def _set_timer(self, moment: float) -> None:
        self.nearest = moment
        # The handle is not kept. It refers to the loop, and would keep the loop's entry in the weak dictionary alive.
        asyncio.get_running_loop().call_at(moment, self._check, moment)

    def _check(self, moment: float) -> None:
        if moment != self.nearest:
            return  # the timer was set to an earlier moment after this one
        now = asyncio.get_running_loop().time()
        overdue = [limited for limited in self._watched if limited.until <= now]
        self.nearest = inf
        following = min((limited.until for limited in self._watched if limited.until > now), default=inf)
        if following < inf:
            self._set_timer(following)
        for limited in overdue:
            limited.expire()


class _Watches:
    """The watches of all event loops. A process has one loop nearly always, so the last one found is kept at hand."""

    def __init__(self) -> None:
        self.all: WeakKeyDictionary[asyncio.AbstractEventLoop, LimitWatch] = WeakKeyDictionary()
        self.last: tuple[ref[asyncio.AbstractEventLoop], ref[LimitWatch]] | None = None


_WATCHES = _Watches()


def limit_watch_of(loop: asyncio.AbstractEventLoop) -> LimitWatch:
    """Return the watch over the limits of *loop*, which is created at the first call."""
    last = _WATCHES.last
    if last is not None and last[0]() is loop and (found := last[1]()) is not None:
        return found
    watch = _WATCHES.all.get(loop)
    if watch is None:
        watch = _WATCHES.all[loop] = LimitWatch()
    _WATCHES.last = ref(loop), ref(watch)
    return watch


class TimeLimit:
    """A context that must be left before *until*, like :func:`asyncio.timeout_at`, but without its own timer.

    The task that entered the context is cancelled at the limit. The context turns that cancellation into a
    :class:`TimeoutError`, unless something else has cancelled the task as well.
    """

    __slots__ = ("_cancelling", "_task", "_watch", "reached", "until")

    def __init__(self, until: float) -> None:
        self.until = until
        self.reached = False
        """True once the limit was reached."""

    def __enter__(self) -> Self:
        loop = asyncio.get_running_loop()
        task = asyncio.current_task(loop)
        assert task is not None
        self._task = task
        self._cancelling = task.cancelling()
        self._watch = limit_watch_of(loop)
        self._watch.watch(self)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: object) -> None:
        """End the limit. Raises :class:`TimeoutError` if the limit is the cause of the cancellation."""
        self._watch.forget(self)
        if self.reached and self._task.uncancel() <= self._cancelling and kind is asyncio.CancelledError:
            raise TimeoutError from error

    def expire(self) -> None:
        """Cancel the task, since the limit is reached."""
        self.until = inf
        self.reached = True
        self._task.cancel()


async def wait_at_most(future: asyncio.Future[Any], seconds: float) -> bool:
    """Wait until *future* is done, but at most *seconds*. Return True if it is done. *future* is never cancelled.

    :func:`asyncio.wait` does the same with a timer of its own, and costs twice as much (CPython 3.11).
    """
    if future.done():
        return True
    loop = asyncio.get_running_loop()
    wait = _Wait(loop.time() + seconds, loop.create_future())
    watch = limit_watch_of(loop)
    watch.watch(wait)
    future.add_done_callback(wait.end)
    try:
        await wait.ended
    finally:
        watch.forget(wait)
        future.remove_done_callback(wait.end)
    return future.done()


class _Wait:
    """A wait for a future, until a time on the loop's clock."""

    __slots__ = ("ended", "until")

    def __init__(self, until: float, ended: asyncio.Future[None]) -> None:
        self.until = until
        self.ended = ended

    def end(self, _: object = None) -> None:
        if not self.ended.done():
            self.ended.set_result(None)

    def expire(self) -> None:
        """See :meth:`Limited.expire`."""
        self.until = inf
        self.end()
