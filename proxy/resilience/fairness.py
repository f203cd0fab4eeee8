"""Shares what is scarce between clients: places in the process, or bytes of its memory. Pure: the clock is an argument.

A greedy client leaves room for the others, by one rule for both (:class:`Admission`).
"""

from __future__ import annotations

from collections import OrderedDict

_REMEMBERED_S = 5.0
"""Our refusal says ``Retry-After: 1``; a client that has not come back within a few of those has given up."""

MOST_WAITING = 1_000


class Admission:
    """*max_in_flight* places, and the rule by which clients share them. Places may be bytes: a request takes several.

    - As long as a request leaves the process at most half full, anyone gets a place.
    - Beyond that a client may hold no more than its share: the places divided by the active clients. One that is
      alone may hold them all. For its only request it may hold more, as long as there is room.
    - The last places are for clients that hold none, or for a client's only request: the part *kept* of all.
    - When all places are taken, everyone is refused.

    Active is who holds a place, and who held none and was refused within the last five seconds. So one that fills
    the process before others come keeps what it has, but the places it gives back go to them until it is down to its
    share: whoever is refused for want of room is first when there is some, however often the other asks.

    While somebody without a place waits, shares are rounded down, so that every place above them comes free; else
    up, so that none is left over.

    Clients that hold one place each and always ask first can still keep a newcomer out: nobody is queued here. And
    a client is whom the caller takes it for: one with a hundred keys is a hundred clients.
    """

    def __init__(self, max_in_flight: int, *, kept: float = 0.0) -> None:
        self._most = max_in_flight
        self._kept = kept
        self._in_flight = 0
        self._held: dict[str, int] = {}
        self._waiting: OrderedDict[str, float] = OrderedDict()

    @property
    def in_flight(self) -> int:
        """How many places are taken."""
        return self._in_flight

    @property
    def most(self) -> int:
        """How many places there are."""
        return self._most

    def resize(self, max_in_flight: int) -> None:
        """Have so many places from now on; who holds one keeps it, though it were one too many."""
        self._most = max_in_flight

    def take(self, client: str, now: float, amount: int = 1, own: int = 0) -> bool:
        """Take *amount* places for a request of *client* that holds *own* already, and tell whether there were any.

        Whoever takes places gives them back once, however the request ends (:meth:`give_back`).
        """
        if self._waiting:
            self._forget_old(now)
        held = self._held.get(client, 0)
        taken = self._in_flight + amount
        if taken > self._most:
            if held == own:
                self._remember(client, now)
            return False
        if taken * 2 > self._most and held > own and self._is_over(taken, held + amount):
            return False
        if self._waiting:
            self._waiting.pop(client, None)
        self._held[client] = held + amount
        self._in_flight = taken
        return True

    def held_by(self, client: str) -> int:
        """Return how many places *client* holds."""
        return self._held.get(client, 0)

    def give_back(self, client: str, amount: int = 1) -> None:
        """Take *amount* of *client*'s places back."""
        self._in_flight -= amount
        held = self._held.pop(client, 0) - amount
        if held > 0:
            self._held[client] = held

    def _is_over(self, taken: int, held: int) -> bool:
        """Tell whether *taken* places of all, *held* of them by one client, leave too few for the others."""
        return taken > self._most * (1.0 - self._kept) or held > self._share()

    def _share(self) -> int:
        # One that waits holds nothing, so nobody is counted twice. One that asks and is in neither holds less anyway.
        active = max(1, len(self._held) + len(self._waiting))
        return max(1, self._most // active if self._waiting else -(-self._most // active))

    def _remember(self, client: str, now: float) -> None:
        self._waiting[client] = now + _REMEMBERED_S
        self._waiting.move_to_end(client)
        if len(self._waiting) > MOST_WAITING:
            self._waiting.popitem(last=False)

    def _forget_old(self, now: float) -> None:
        while self._waiting and next(iter(self._waiting.values())) <= now:
            self._waiting.popitem(last=False)
