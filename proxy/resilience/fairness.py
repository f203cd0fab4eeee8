"""Shares limited resources between clients: requests in flight, or bytes of memory.

:class:`Admission` applies the same rule to both resources. Callers pass the current time. A client with many requests
leaves room for the others.
"""

from __future__ import annotations

from collections import OrderedDict

_REMEMBERED_S = 5.0
"""Seconds for which a refused client is remembered. The refusal says ``Retry-After: 1``, so a client that has not
returned by then has given up."""

MAX_WAITING = 1_000


class Admission:
    """Shares *max_in_flight* places between clients. A place is one request in flight, or one byte of memory.

    - As long as a request leaves the process at most half full, every client gets a place.
    - Beyond that, a client may hold no more than its share: the places divided by the active clients. A single active
    client may hold all places but the *kept* ones. For its only request, a client may exceed its share while there is
    room.
    - The last places, a part *kept* of all, are for clients that hold none, or for a client's only request.
    - When all places are taken, every client is refused.

    A client is active while it holds a place. It also stays active for five seconds after a refusal for lack of places,
    if it held none. A client that took all places before others came keeps them until its requests end. The places that
    such a client returns go to the refused clients, until it holds no more than its share.

    While a refused client is remembered, shares are rounded down, so that clients above their share give up every
    surplus place. Otherwise shares are rounded up, so that no place is left over.

    Clients that hold one place each and always ask first can still keep a new client out, since there is no queue. The
    caller decides who a client is. One person with a hundred keys is a hundred clients.
    """

    def __init__(self, max_in_flight: int, *, kept: float = 0.0) -> None:
        self._capacity = max_in_flight
        self._kept = kept
        self._in_flight = 0
        self._held: dict[str, int] = {}
        self._waiting: OrderedDict[str, float] = OrderedDict()

    @property
    def in_flight(self) -> int:
        """The number of taken places."""
        return self._in_flight

    @property
    def capacity(self) -> int:
        """The number of all places."""
        return self._capacity

    def resize(self, max_in_flight: int) -> None:
        """Set the number of places. Clients keep the places that they hold, even beyond the new number."""
        self._capacity = max_in_flight

    def admit(self, client: str, now: float, amount: int = 1, own: int = 0) -> bool:
        """Take *amount* places for a request of *client*. Return False where they are refused.

        *own* is the part of the client's places that this request holds already. The caller returns the places once,
        however the request ends (:meth:`release`).
        """
        if self._waiting:
            self._forget_old(now)
        held = self._held.get(client, 0)
        taken = self._in_flight + amount
        if taken > self._capacity:
            if held == own:
                self._remember(client, now)
            return False
        if taken * 2 > self._capacity and held > own and self._is_over(taken, held + amount):
            return False
        if self._waiting:
            self._waiting.pop(client, None)
        self._held[client] = held + amount
        self._in_flight = taken
        return True

    def held_by(self, client: str) -> int:
        """Return the number of places that *client* holds."""
        return self._held.get(client, 0)

    def release(self, client: str, amount: int = 1) -> None:
        """Return *amount* places of *client*."""
        self._in_flight -= amount
        held = self._held.pop(client, 0) - amount
        if held > 0:
            self._held[client] = held

    def _is_over(self, taken: int, held: int) -> bool:
        """Return True where *taken* reaches into the kept places, or *held*, one client's places, exceeds its share."""
        return taken > self._capacity * (1.0 - self._kept) or held > self._share()

    def _share(self) -> int:
        # A waiting client holds nothing, so no client is counted twice. An asking client in neither set holds
        # less anyway.
        active = max(1, len(self._held) + len(self._waiting))
        return max(1, self._capacity // active if self._waiting else -(-self._capacity // active))

    def _remember(self, client: str, now: float) -> None:
        self._waiting[client] = now + _REMEMBERED_S
        self._waiting.move_to_end(client)
        if len(self._waiting) > MAX_WAITING:
            self._waiting.popitem(last=False)

    def _forget_old(self, now: float) -> None:
        while self._waiting and next(iter(self._waiting.values())) <= now:
            self._waiting.popitem(last=False)
