"""Where the process is in its life: warming up, ready, draining, cutting off; and the requests that it works on."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import inf
from typing import Any, Protocol

_LATE_S = 0.1
"""Seconds that a request has beyond its deadline: its attempts end at the deadline, with an error that says more."""

_EVERY_S = 0.25
"""Seconds between two looks for requests beyond their deadline."""


class Deadlined(Protocol):
    """What has to be answered in time."""

    deadline: float
    """The moment of the loop's clock at which its time is up; infinite when its answer has begun."""

    overdue: bool
    """Whether its task was cancelled since its time was up."""


@dataclass(slots=True)
class Lifecycle:
    """The process's state, and the requests that it is working on."""

    ready: bool = False
    """Whether ``/readyz`` asks for traffic."""

    draining: bool = False
    """Whether connections are to close after their next answer."""

    cutting: bool = False
    """Whether the grace period is over: what still runs is told so and ended."""

    working: dict[asyncio.Task[Any], Deadlined] = field(default_factory=dict)
    """The tasks of API requests in flight, and what they work on."""

    def cut_off(self) -> None:
        """End what is still in flight: each request is cancelled and tells its client why."""
        self.cutting = True
        for task in tuple(self.working):
            task.cancel()

    def end_overdue(self, now: float) -> None:
        """End the requests whose deadline has passed before their answer began; each tells its client why."""
        for task, request in self.working.items():
            if request.deadline + _LATE_S <= now:
                request.deadline = inf
                request.overdue = True
                task.cancel()

    @contextmanager
    def watching_deadlines(self) -> Iterator[None]:
        """End overdue requests while the context lasts. One timer serves all: a request pays nothing for it."""
        loop = asyncio.get_running_loop()
        timer: asyncio.TimerHandle

        def look() -> None:
            nonlocal timer
            timer = loop.call_later(_EVERY_S, look)
            self.end_overdue(loop.time())

        timer = loop.call_later(_EVERY_S, look)
        try:
            yield
        finally:
            timer.cancel()
