"""The inspector's own worker thread, in which inspections run one after another.

An inspection costs many times as much as the request itself, so inspections never run on the event loop. Inspections
also do not use the worker threads for clients' large bodies (:mod:`proxy.core.offload`), since those bodies would have
to wait. The size, memory and time of an inspection are limited, since every client may ask for inspections.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TypeVar

from proxy.core.errors import BodyTooLarge, Overloaded, TooMuchWork
from proxy.core.fair_places import FairPlaces
from proxy.core.worker_threads import WorkerThreads
from sanitizers.work_limit import WorkLimitExceeded

T = TypeVar("T")

LARGEST_MIB = 2
"""The largest body of a page's request, in MiB.

A usual history of 10,000 messages has 1 MiB. Empty lists cost most per byte: a full body of them takes 70 MB of memory.
"""

MAX_MESSAGES = 12_000
"""The largest number of messages in an inspected history. Even a short message may cost 11 KB and 0.25 ms.

With every message damaged, an inspection takes 130 MB and three seconds (CPython 3.11, 2026-11-22).
"""

LONGEST_S = 60.0
"""Seconds for an inspection or for all verdicts, including the wait for a slot.

10,000 damaged messages take 1.2 seconds for each verdict.
"""

_SEATS = 2
"""Inspections in memory at once: the verdicts on a long history, and one inspection between two verdicts."""

_MAX_WAITING = 16
"""The number of request bodies that may wait for a slot."""

_MAX_STEPS = 20_000_000
"""The most steps (:class:`sanitizers.work_limit.WorkLimit`) of one inspection or verdict.

Sanitizing the longest history, with every message damaged, takes 200,000 steps.
"""

_WORKER = WorkerThreads(1, "inspector")


async def run_in_worker(work: Callable[[], T]) -> T:
    """Return the result of *work*, run in the inspector's thread, or raise its error.

    Cancelled work ends at its next step.

    Raises :class:`TooMuchWork` for work of more than :data:`_MAX_STEPS` steps.
    """
    try:
        return await _WORKER.run(work, _MAX_STEPS)
    except WorkLimitExceeded:
        raise TooMuchWork(
            f"The inspector takes {_MAX_STEPS:,} steps for a request at most; this one takes more."
        ) from None


def refuse_long(messages: int) -> None:
    """Raise :class:`BodyTooLarge` for a history with more than :data:`MAX_MESSAGES` *messages*."""
    if messages > MAX_MESSAGES:
        raise BodyTooLarge(
            f"The inspector looks at {MAX_MESSAGES:,} messages at most; this history has {messages:,}.",
            param="request.messages",
        )


class InspectionPlaces:
    """The slots of inspections. Clients share the slots and the queue fairly."""

    def __init__(self) -> None:
        self._places = FairPlaces(_SEATS, most_waiting=_MAX_WAITING)

    @asynccontextmanager
    async def hold(self, client: str) -> AsyncIterator[None]:
        """Wait for a slot for *client* and hold the slot, both within :data:`LONGEST_S`.

        Raises :class:`Overloaded` where the queue is full or the time is over. The same error is raised where the
        client holds most of the queue and another client needs to wait.
        """
        try:
            async with asyncio.timeout(LONGEST_S):
                if not await self._places.acquire(client):
                    raise _overloaded("Too many wait for the inspector; try again.")
                try:
                    yield
                finally:
                    self._places.release(client)
        except TimeoutError:
            raise _overloaded(
                f"The inspector was not done within {LONGEST_S:.0f} seconds; try again."
            ) from None


def _overloaded(message: str) -> Overloaded:
    return Overloaded(message, headers={"Retry-After": "5"})
