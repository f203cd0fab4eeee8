"""Where the process is in its life: warming up, ready, draining, cutting off. State only, no signals, no sleeping."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True)
class Lifecycle:
    """The process's state, and the requests that it is working on."""

    ready: bool = False
    """Whether ``/readyz`` asks for traffic."""

    draining: bool = False
    """Whether connections are to close after their next answer."""

    cutting: bool = False
    """Whether the grace period is over: what still runs is told so and ended."""

    working: set[asyncio.Task[Any]] = field(default_factory=set)
    """The tasks of API requests in flight."""

    def cut_off(self) -> None:
        """End what is still in flight: each request is cancelled and tells its client why."""
        self.cutting = True
        for task in tuple(self.working):
            task.cancel()
