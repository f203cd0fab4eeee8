"""Which client gets a place in the process, so that a greedy one leaves room. Pure: the clock is an argument."""

from __future__ import annotations

from collections import OrderedDict
from types import TracebackType
from typing import Self

_REMEMBERED_S = 5.0
"""Our refusal says ``Retry-After: 1``; a client that has not come back within a few of those has given up."""

MOST_WAITING = 1_000


class Admission:
    """*max_in_flight* places, and the rule by which clients share them.

    - As long as a request leaves the process at most half full, anyone gets a place.
    - Beyond that a client may hold no more than its share: the places divided by the active clients. One that is
      alone may hold them all.
    - When all places are taken, everyone is refused.

    Active is who holds a place, and who held none and was refused within the last five seconds. So one that fills
    the process before others come keeps what it has, but the places it gives back go to them until it is down to its
    share: whoever is refused for want of room is first when there is some, however often the other asks.

    While somebody without a place waits, shares are rounded down, so that every place above them comes free; else
    up, so that none is left over.

    Clients that hold one place each and always ask first can still keep a newcomer out: nobody is queued here. And
    a client is whom the caller takes it for: one with a hundred keys is a hundred clients.
    """

    def __init__(self, max_in_flight: int) -> None:
        self._most = max_in_flight
        self._in_flight = 0
        self._held: dict[str, int] = {}
        self._waiting: OrderedDict[str, float] = OrderedDict()

    @property
    def in_flight(self) -> int:
        """How many places are taken."""
        return self._in_flight

    def resize(self, max_in_flight: int) -> None:
        """Have so many places from now on; who holds one keeps it, though it were one too many."""
        self._most = max_in_flight

    def acquire(self, client: str, now: float) -> Slot | None:
        """Return a place for a request of *client*, or None if there is none for it."""
        if self._waiting:
            self._forget_old(now)
        held = self._held.get(client, 0)
        if self._in_flight >= self._most:
            if not held:
                self._remember(client, now)
            return None
        if (self._in_flight + 1) * 2 > self._most and held >= self._share():
            return None
        self._waiting.pop(client, None)
        self._held[client] = held + 1
        self._in_flight += 1
        return Slot(self, client)

    def held_by(self, client: str) -> int:
        """Return how many places *client* holds."""
        return self._held.get(client, 0)

    def give_back(self, client: str) -> None:
        """Take one of *client*'s places back; :class:`Slot` sees to it that this happens once for each."""
        self._in_flight -= 1
        held = self._held[client]
        if held == 1:
            del self._held[client]
        else:
            self._held[client] = held - 1

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


class Slot:
    """One place, held until it is released; a context manager that lets go however its request ends."""

    __slots__ = ("_admission", "_client", "_released")

    def __init__(self, admission: Admission, client: str) -> None:
        self._admission = admission
        self._client = client
        self._released = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()

    def release(self) -> None:
        """Give the place back; a second time is harmless."""
        if not self._released:
            self._released = True
            self._admission.give_back(self._client)
