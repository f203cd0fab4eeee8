"""Scarce places that coroutines wait for, shared fairly between clients (:mod:`proxy.core.fair_turns`)."""

from __future__ import annotations

import asyncio

from proxy.core.fair_turns import FairTurns


class FairPlaces:
    """*places* that all clients share. :class:`FairTurns` describes *kept_free* and the order.

    At most *most_waiting* coroutines wait, if that is given. One more makes the client with the longest queue lose its
    newest coroutine, which may be the new one.
    """

    def __init__(self, places: int, *, kept_free: int = 0, most_waiting: int | None = None) -> None:
        self._turns: FairTurns[_Turn] = FairTurns(places, kept_free=kept_free)
        self._most_waiting = most_waiting

    def held_by(self, client: str) -> int:
        """Return the number of places that *client* holds."""
        return self._turns.held_by(client)

    @property
    def waiting(self) -> int:
        """The number of coroutines that wait."""
        return self._turns.waiting

    async def acquire(self, client: str) -> bool:
        """Wait for a place and return True. Returns False if too many coroutines wait.

        The caller gives the place back by one call of :meth:`release`. A cancelled coroutine holds no place.
        """
        turn = _Turn(asyncio.get_running_loop().create_future())
        if self._turns.ask(client, turn):
            return True
        if self._most_waiting is not None and self._turns.waiting > self._most_waiting:
            self._turns.drop_newest(client).wake()
        try:
            await turn.came
        except asyncio.CancelledError:
            # The place may have been assigned at the same moment.
            if turn.has_place:
                self.release(client)
            else:
                self._turns.withdraw(client, turn)
            raise
        return turn.has_place

    def release(self, client: str) -> None:
        """Give one place of *client* back."""
        turn = self._turns.give_back(client)
        if turn is not None:
            turn.has_place = True
            turn.wake()


class _Turn:
    """One coroutine that waits."""

    __slots__ = ("came", "has_place")

    def __init__(self, came: asyncio.Future[None]) -> None:
        self.came = came
        self.has_place = False

    def wake(self) -> None:
        if not self.came.done():  # otherwise its coroutine was cancelled
            self.came.set_result(None)
