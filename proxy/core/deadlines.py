"""How long something may take: limits that one timer of an event loop watches over, however many there are.

To set and to cancel a timer of its own takes 5 µs for each limit (asyncio, CPython 3.11), and a request has two that
are hardly ever reached. Here a limit is put into a set and taken out again. The timer is set to the nearest limit and
stays there when that is gone: when it goes off it looks at all that there are, and is set to the nearest anew. Limits
are alike, as a rule, so that this is once in a limit's time. For a limit before the nearest there is a further timer,
and the other one does nothing when it goes off.
"""

from __future__ import annotations

import asyncio
from math import inf
from typing import Protocol, Self
from weakref import WeakKeyDictionary


class Limited(Protocol):
    """What has a limit; *until* is a moment of the loop's clock, or infinite, and may move on at any time."""

    until: float

    def expire(self) -> None:
        """Note that the limit was reached; has to move it on, and must not raise: others are due behind it."""


class LimitWatch:
    """Calls :meth:`Limited.expire` of whatever is watched, and at its limit, from the loop that is running."""

    __slots__ = ("__weakref__", "_watched", "nearest")

    def __init__(self) -> None:
        self.nearest = inf
        """The moment that the timer is set to; a limit that is moved before it has to be said again."""

        self._watched: set[Limited] = set()

    def watch(self, one: Limited) -> None:
        """Watch over *one*; to be said again where its limit has been moved before :attr:`nearest`."""
        self._watched.add(one)
        if one.until < self.nearest:
            self._set_to(one.until)

    def forget(self, one: Limited) -> None:
        """Watch over *one* no more."""
        self._watched.discard(one)

    def _set_to(self, moment: float) -> None:
        self.nearest = moment
        # The handle is not kept: it holds the loop, whose end is to be the end of this as well.
        asyncio.get_running_loop().call_at(moment, self._look, moment)

    def _look(self, moment: float) -> None:
        if moment != self.nearest:
            return  # the timer was set to an earlier moment after this one
        now = asyncio.get_running_loop().time()
        overdue = [one for one in self._watched if one.until <= now]
        self.nearest = inf
        following = min((one.until for one in self._watched if one.until > now), default=inf)
        if following < inf:
            self._set_to(following)
        for one in overdue:
            one.expire()


_OF_LOOPS: WeakKeyDictionary[asyncio.AbstractEventLoop, LimitWatch] = WeakKeyDictionary()


def watch_of(loop: asyncio.AbstractEventLoop) -> LimitWatch:
    """Return what watches over the limits of *loop*."""
    watch = _OF_LOOPS.get(loop)
    if watch is None:
        watch = _OF_LOOPS[loop] = LimitWatch()
    return watch


class TimeLimit:
    """A context that is to be left before *until*: :func:`asyncio.timeout_at`, less its timer and its own await.

    The task is cancelled at the limit, and the cancellation becomes a :class:`TimeoutError` here, unless somebody else
    has cancelled the task as well.
    """

    __slots__ = ("_cancelling", "_task", "_watch", "reached", "until")

    def __init__(self, until: float) -> None:
        self.until = until
        self.reached = False
        """Whether the limit was reached."""

    def __enter__(self) -> Self:
        loop = asyncio.get_running_loop()
        task = asyncio.current_task(loop)
        assert task is not None
        self._task = task
        self._cancelling = task.cancelling()
        self._watch = watch_of(loop)
        self._watch.watch(self)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: object) -> None:
        """End the limit, and raise :class:`TimeoutError` where it is what ended the work."""
        self._watch.forget(self)
        if self.reached and self._task.uncancel() <= self._cancelling and kind is asyncio.CancelledError:
            raise TimeoutError from error

    def expire(self) -> None:
        """See :meth:`Limited.expire`."""
        self.until = inf
        self.reached = True
        self._task.cancel()
