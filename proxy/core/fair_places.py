"""Scarce places that coroutines wait for, shared fairly between clients (:mod:`proxy.core.fair_turns`)."""

from __future__ import annotations

import asyncio

from proxy.core.fair_turns import FairTurns


class FairPlaces:
    """A fixed number of *places* that all clients share. :class:`FairTurns` describes *kept_free* and the order.

    If *most_waiting* is given, at most that many coroutines wait. If one more arrives, the newest coroutine of the
    client with the longest queue gets no place. That coroutine may be the one that arrived.
    """

    def __init__(self, places: int, *, kept_free: int = 0, most_waiting: int | None = None) -> None:
        self._order: FairTurns[_Waiter] = FairTurns(places, kept_free=kept_free)
        self._most_waiting = most_waiting

    def held_by(self, client: str) -> int:
        """Return the number of places that *client* holds."""
        return self._order.held_by(client)

    @property
    def waiting(self) -> int:
        """The number of coroutines that wait."""
        return self._order.waiting

    async def acquire(self, client: str) -> bool:
        """Wait for a place and return True. Returns False if too many coroutines wait.

        The caller gives the place back by one call of :meth:`release`. A cancelled coroutine holds no place.
        """
        waiter = _Waiter(asyncio.get_running_loop().create_future())
        if self._order.ask(client, waiter):
            return True
        if self._most_waiting is not None and self._order.waiting > self._most_waiting:
            self._order.drop_newest(client).wake()
        try:
            await waiter.woken
        except asyncio.CancelledError:
            # The place may have been assigned at the same moment.
            if waiter.has_place:
                self.release(client)
            else:
                self._order.withdraw(client, waiter)
            raise
        return waiter.has_place

    def release(self, client: str) -> None:
        """Give one place of *client* back."""
        waiter = self._order.release(client)
        if waiter is not None:
            waiter.has_place = True
            waiter.wake()


class _Waiter:
    """One coroutine that waits."""

    __slots__ = ("has_place", "woken")

    def __init__(self, woken: asyncio.Future[None]) -> None:
        self.woken = woken
        self.has_place = False

    def wake(self) -> None:
        if not self.woken.done():  # otherwise its coroutine was cancelled
            self.woken.set_result(None)
