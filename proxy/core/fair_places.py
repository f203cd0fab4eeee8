"""Scarce places that coroutines wait for, shared fairly between clients (:mod:`proxy.core.fair_turns`)."""

from __future__ import annotations

import asyncio

from proxy.core.fair_turns import FairTurns


class FairPlaces:
    """*places* for all clients; see :class:`FairTurns` for *kept_free* and the order.

    At most *most_waiting* coroutines wait, where that is given. One too many pushes out the newest of the client that
    has most of them waiting, which may be itself.
    """

    def __init__(self, places: int, *, kept_free: int = 0, most_waiting: int | None = None) -> None:
        self._turns: FairTurns[_Turn] = FairTurns(places, kept_free=kept_free)
        self._most_waiting = most_waiting

    def held_by(self, client: str) -> int:
        """Return how many places *client* holds."""
        return self._turns.held_by(client)

    @property
    def waiting(self) -> int:
        """Number of coroutines that wait."""
        return self._turns.waiting

    async def acquire(self, client: str) -> bool:
        """Wait for a place and return True; return False where there is no room to wait any more.

        A place is given back by :meth:`release`, once. A coroutine that is cancelled holds none.
        """
        turn = _Turn(asyncio.get_running_loop().create_future())
        if self._turns.ask(client, turn):
            return True
        if self._most_waiting is not None and self._turns.waiting > self._most_waiting:
            self._turns.drop_newest(client).wake()
        try:
            await turn.came
        except asyncio.CancelledError:
            # The place may have come at the same moment.
            if turn.has_place:
                self.release(client)
            else:
                self._turns.withdraw(client, turn)
            raise
        return turn.has_place

    def release(self, client: str) -> None:
        """Give a place of *client* back."""
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
        if not self.came.done():  # else its coroutine was cancelled
            self.came.set_result(None)
