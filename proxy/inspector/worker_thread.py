"""The inspector's own worker thread, in which inspections run one after another.

An inspection costs many times its request, so it never runs on the event loop. It does not use the worker threads for
large bodies of clients (:mod:`proxy.core.offload`) either, since these would wait for it. Its size, its memory and
its time are limited, since every client may ask for one.
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
"""MiB of a body. A usual history of 10,000 messages has one. Empty lists cost most per byte, and take 70 MB."""

MAX_MESSAGES = 12_000
"""Messages of a history, at most. Each costs up to 11 KB and a quarter of a millisecond, however short it is.

With all of them damaged an inspection takes 130 MB and three seconds (CPython 3.11, 2026-11-22).
"""

LONGEST_S = 60.0
"""Seconds for an inspection or for all verdicts, with the wait. 10,000 damaged messages take 1.2 for each verdict."""

_SEATS = 2
"""Inspections that are held in memory at once: the verdicts on a long history, and one inspection between them."""

_MAX_WAITING = 16
"""Bodies that may wait for a seat."""

_MAX_STEPS = 20_000_000
"""Steps of one inspection or verdict. Sanitizing the longest history takes 200,000 with every message damaged."""

_WORKER = WorkerThreads(1, "inspector")


async def run_in_worker(work: Callable[[], T]) -> T:
    """Return the result of *work*, run in the inspector's thread, or raise its error.

    Cancelled work ends at its next step.

    Raises :class:`TooMuchWork` for work of more than :data:`_MAX_STEPS`.
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
    """The seats of inspections. Clients share the seats and the places in the queue fairly."""

    def __init__(self) -> None:
        self._places = FairPlaces(_SEATS, most_waiting=_MAX_WAITING)

    @asynccontextmanager
    async def hold(self, client: str) -> AsyncIterator[None]:
        """Wait for a seat for *client* and hold it, both within :data:`LONGEST_S`.

        Raises :class:`Overloaded`. It also does where the client holds most of the queue and another client needs a
        place.
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
