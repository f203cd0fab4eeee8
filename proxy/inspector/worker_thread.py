"""A thread of the inspector's own: looks are worked on one after the other, however many people look.

A look costs many times what the same request costs on its way to a provider, so it is never worked on in the loop; and
never in the threads that clients' large bodies go through (:mod:`proxy.core.offload`), which would wait behind it.
What it costs is bounded, since whoever has a key may ask: in size, in how many are held in memory, and in time.
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
"""MiB of a body. A usual history of 10,000 messages has one; empty lists, the dearest by the byte, take 70 MB."""

MOST_MESSAGES = 12_000
"""Messages of a history: each costs up to 11 KB and a quarter of a millisecond, however short it is. With all of them
damaged a look takes 130 MB and three seconds (CPython 3.11, 2026-11-22)."""

LONGEST_S = 60.0
"""Seconds for a look or all verdicts, the waiting included: 10,000 damaged messages take 1.2 for each verdict."""

_SEATS = 2
"""How many are held in memory at once: verdicts for a long history, and a look that goes on between them."""

_MOST_WAITING = 16
"""How many bodies may wait for a seat."""

_MOST_STEPS = 20_000_000
"""Steps of one look or verdict. Sanitizing a history of the most messages takes 200,000, all of them damaged."""

_THREAD = WorkerThreads(1, "inspector")


async def work_apart(work: Callable[[], T]) -> T:
    """Return what *work* returns, or raise what it raises; what nobody waits for any more ends with its next step.

    Raises :class:`TooMuchWork` for work of more than :data:`_MOST_STEPS`.
    """
    try:
        return await _THREAD.run(work, _MOST_STEPS)
    except WorkLimitExceeded:
        raise TooMuchWork(
            f"The inspector takes {_MOST_STEPS:,} steps for a request at most; this one takes more."
        ) from None


def refuse_long(messages: int) -> None:
    """Raise :class:`BodyTooLarge` for a history of more *messages* than are looked at."""
    if messages > MOST_MESSAGES:
        raise BodyTooLarge(
            f"The inspector looks at {MOST_MESSAGES:,} messages at most; this history has {messages:,}.",
            param="request.messages",
        )


class Seats:
    """The seats of requests that are being looked at. Clients share the seats and the room to wait."""

    def __init__(self) -> None:
        self._places = FairPlaces(_SEATS, most_waiting=_MOST_WAITING)

    @asynccontextmanager
    async def take(self, client: str) -> AsyncIterator[None]:
        """Wait for a seat for *client* and hold it, both together for :data:`LONGEST_S` at most.

        Raises :class:`Overloaded`, also where the client has most of those that wait and another one needs the room.
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
