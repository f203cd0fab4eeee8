"""The state of the process (starting, ready, draining, ending) and its requests in flight."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import inf
from typing import Any, Protocol

_GRACE_S = 0.1
"""Seconds of grace beyond a request's deadline. Its attempts end at the deadline, with a more precise error."""

_CHECK_EVERY_S = 0.25
"""Seconds between two searches for requests beyond their deadline."""


class TimedRequest(Protocol):
    """A request that must be answered before its deadline."""

    deadline: float
    """The deadline on the loop's clock. The deadline is infinite once the answer has begun."""

    overdue: bool
    """True if the request's task was cancelled because of its deadline."""


@dataclass(slots=True)
class Lifecycle:
    """The state of the process and its requests in flight."""

    ready: bool = False
    """True if ``/readyz`` answers that traffic is welcome."""

    draining: bool = False
    """True if connections close after their next answer."""

    cutting: bool = False
    """True if the grace period is over and requests in flight are ended."""

    in_flight: dict[asyncio.Task[Any], TimedRequest] = field(default_factory=dict)
    """The tasks of the API requests in flight, with their requests."""

    def cut_off(self) -> None:
        """Cancel all requests in flight. Each request then sends its client the reason."""
        self.cutting = True
        for task in tuple(self.in_flight):
            task.cancel()

    def end_overdue(self, now: float) -> None:
        """Cancel the requests whose deadline passed before their answer began. Each of them tells its client why."""
        for task, request in self.in_flight.items():
            if request.deadline + _GRACE_S <= now:
                request.deadline = inf
                request.overdue = True
                task.cancel()

    @contextmanager
    def watching_deadlines(self) -> Iterator[None]:
        """End overdue requests while the context lasts.

        One timer serves all requests, so a request needs no timer of its own.
        """
        loop = asyncio.get_running_loop()
        timer: asyncio.TimerHandle

        def check() -> None:
            nonlocal timer
            timer = loop.call_later(_CHECK_EVERY_S, check)
            self.end_overdue(loop.time())

        timer = loop.call_later(_CHECK_EVERY_S, check)
        try:
            yield
        finally:
            timer.cancel()
