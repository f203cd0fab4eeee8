"""A time limit for a reply, with a short grace for an event loop that was busy when the reply came.

An event loop that was busy for longer than the limit finds the reply and the due timer at the same time.
:func:`asyncio.timeout` then cancels the task, although the reply is there (CPython 3.11). This limit lets the loop
handle the reply first.
"""

from __future__ import annotations

import asyncio
from math import inf
from types import TracebackType
from typing import Self

from proxy.core.deadlines import limit_watch_of

GRACE_TURNS = 4
"""Turns of the event loop between the due time and the cancellation. A reply passes through two or three callbacks."""


class ReplyLimit:
    """A context that must be left within *seconds*.

    Raises :class:`TimeoutError` otherwise, as :func:`asyncio.timeout` does.
    """

    __slots__ = ("_cancelling", "_handle", "_loop", "_reached", "_seconds", "_task", "_watch", "until")

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._reached = False
        self._handle: asyncio.Handle | None = None

    def __enter__(self) -> Self:
        self._loop = asyncio.get_running_loop()
        task = asyncio.current_task(self._loop)
        assert task is not None
        self._task, self._cancelling = task, task.cancelling()
        self.until = self._loop.time() + self._seconds
        self._watch = limit_watch_of(self._loop)
        self._watch.watch(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._watch.forget(self)
        if self._handle is not None:
            self._handle.cancel()
        if self._reached and self._task.uncancel() <= self._cancelling and kind is asyncio.CancelledError:
            raise TimeoutError from error

    def expire(self) -> None:
        """See :meth:`proxy.core.deadlines.Limited.expire`."""
        self.until = inf
        self._let_pass(GRACE_TURNS)

    def _let_pass(self, turns: int) -> None:
        if turns:
            self._handle = self._loop.call_soon(self._let_pass, turns - 1)
        else:
            self._reached = True
            self._task.cancel()
