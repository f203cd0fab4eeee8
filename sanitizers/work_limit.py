"""A limit on the steps of one piece of work, and a way to end that work from another thread.

A thread cannot be stopped, so work in a worker thread must stop itself. Loops over client input spend one step for each
element (:func:`metered`). When the steps are used up, or another thread has ended the work, the next step raises. Steps
are counted rather than time, so that equal work always ends in the same way.

Small requests on the event loop have no limit, and nothing is counted for them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

T = TypeVar("T")


class WorkLimitExceeded(Exception):
    """The work has used up its steps, or another thread has ended it."""


class WorkLimit:
    """The steps that one piece of work has left. Any thread may call :meth:`end`."""

    __slots__ = ("ended", "left")

    def __init__(self, steps: int) -> None:
        self.left = steps
        """Steps that are left. The number is negative when more steps were spent than the limit allows."""

        self.ended = False
        """True once the work was ended. It is a separate field, since another thread writes it."""

    def spend(self, steps: int = 1) -> None:
        """Take *steps*.

        Raises :class:`WorkLimitExceeded` where fewer steps are left or the work was ended, and on every later call.
        """
        self.left -= steps
        if self.left < 0 or self.ended:
            raise WorkLimitExceeded

    def end(self) -> None:
        """End the work: its next step raises."""
        self.ended = True


_LIMIT: ContextVar[WorkLimit | None] = ContextVar("work_limit", default=None)


@contextmanager
def limited_by(limit: WorkLimit) -> Iterator[None]:
    """Put the work of the current context under *limit*."""
    token = _LIMIT.set(limit)
    try:
        yield
    finally:
        _LIMIT.reset(token)


def current_limit() -> WorkLimit | None:
    """Return the limit of the current work, for callers that spend in many places, or None where there is no limit."""
    return _LIMIT.get()


def spend(steps: int = 1) -> None:
    """Take *steps* of the current limit, if there is one. Raises as :meth:`WorkLimit.spend` does."""
    limit = _LIMIT.get()
    if limit is not None:
        limit.spend(steps)


def metered(items: Iterable[T]) -> Iterable[T]:
    """Return *items* so that each takes a step of the current limit, or *items* itself without a limit."""
    limit = _LIMIT.get()
    return items if limit is None else _spending(items, limit)


def _spending(items: Iterable[T], limit: WorkLimit) -> Iterator[T]:
    for item in items:
        limit.left -= 1  # as spend() does, less a call for each
        if limit.left < 0 or limit.ended:
            raise WorkLimitExceeded
        yield item
