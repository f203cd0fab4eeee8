"""A limit on the steps that one piece of work may take, and the way to end that work from outside. Pure.

A thread cannot be stopped, so work in a thread has to stop itself. Loops over what a client wrote spend a step for each
element (:func:`metered`). When the steps are used up, or somebody has ended the work, the next step raises. Steps are
counted and not time, so that equal work always comes to an equal end.

Where no limit is set, as for small requests on the event loop, nothing is counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

T = TypeVar("T")


class WorkLimitExceeded(Exception):
    """The work has used up its steps, or was ended from outside."""


class WorkLimit:
    """The steps that one piece of work has left. :meth:`end` may be called from any thread."""

    __slots__ = ("ended", "left")

    def __init__(self, steps: int) -> None:
        self.left = steps
        """Steps that are left; negative when more were asked for than there were."""

        self.ended = False
        """Whether somebody has ended the work. A field of its own, since two threads write."""

    def spend(self, steps: int = 1) -> None:
        """Take *steps*; raises :class:`WorkLimitExceeded` where there are not as many, and from then on."""
        self.left -= steps
        if self.left < 0 or self.ended:
            raise WorkLimitExceeded

    def end(self) -> None:
        """End the work: its next step raises."""
        self.ended = True


_LIMIT: ContextVar[WorkLimit | None] = ContextVar("work_limit", default=None)


@contextmanager
def limited_by(limit: WorkLimit) -> Iterator[None]:
    """Put the work of the context under *limit*."""
    token = _LIMIT.set(limit)
    try:
        yield
    finally:
        _LIMIT.reset(token)


def current_limit() -> WorkLimit | None:
    """Return the limit of the work that runs now, for whoever spends in many places; None where there is none."""
    return _LIMIT.get()


def spend(steps: int = 1) -> None:
    """Take *steps* of the current limit, if there is one; raises as :meth:`WorkLimit.spend` does."""
    limit = _LIMIT.get()
    if limit is not None:
        limit.spend(steps)


def metered(items: Iterable[T]) -> Iterable[T]:
    """Return *items*, of which each takes a step of the current limit; *items* itself where there is no limit."""
    limit = _LIMIT.get()
    return items if limit is None else _spending(items, limit)


def _spending(items: Iterable[T], limit: WorkLimit) -> Iterator[T]:
    for item in items:
        limit.left -= 1  # as spend() does, less a call for each
        if limit.left < 0 or limit.ended:
            raise WorkLimitExceeded
        yield item
