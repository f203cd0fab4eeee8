"""The table of open connections, and the rule that chooses the connection to close. Callers pass the current time.

    opened ─▶ waiting ──accepted request──▶ busy ─▶ idle ─▶ busy …
              │ no head within HEAD_S: closed

A connection is waiting until one of its requests has passed the key check. When there is no room, the oldest waiting
connection is closed, or a later one if the oldest has unread data. If none is waiting, the connection that has been
idle longest is closed. A busy one is never closed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Hashable, Iterable
from enum import Enum
from itertools import islice
from typing import Generic, NamedTuple, TypeVar

HEAD_S = 30.0
"""Seconds within which the first request head of a connection must be complete."""

_ADDRESS_SHARE = 4
"""The divisor of an address's share: a quarter of all connections may be waiting from one address."""

_EXAMINED = 16
"""The number of waiting connections that are examined to find one to close."""

KeyT = TypeVar("KeyT", bound=Hashable)


class Reason(Enum):
    """The reason for which a connection is closed early."""

    SLOW_HEAD = "slow_head"
    ADDRESS = "address"
    MAXIMUM = "maximum"
    IDLE = "idle"
    REFUSED = "refused"
    DESCRIPTORS = "descriptors"


class Closing(NamedTuple, Generic[KeyT]):
    """A connection that has to be closed. The table does not hold the connection any more."""

    key: KeyT
    reason: Reason


class ConnectionTable(Generic[KeyT]):
    """The open connections by *key*, at most *maximum* of them.

    Each method takes constant time, except for :meth:`overdue` and :meth:`shed`. Their time grows with the number of
    connections that they return.
    """

    def __init__(self, maximum: int) -> None:
        self._maximum = maximum
        self.has_unread: Callable[[KeyT], bool] = lambda _: False
        """Tells whether a connection has received data that is not read yet.

        The data may be a request, so such a connection is not the first to be closed.
        """

        self._waiting: dict[KeyT, str] = {}  # with its address; the oldest first, as in the dicts below
        self._by_address: dict[str, dict[KeyT, None]] = {}
        self._head_deadlines: dict[KeyT, float] = {}  # the time by which the first head must be complete
        self._accepted: set[KeyT] = set()
        self._idle: dict[KeyT, bool] = {}

    def __len__(self) -> int:
        """Return the number of open connections."""
        return len(self._waiting) + len(self._accepted)

    @property
    def maximum(self) -> int:
        """The largest number of open connections."""
        return self._maximum

    def resize(self, maximum: int) -> None:
        """Set another maximum.

        Surplus connections stay open. Until enough of them have ended, each new connection closes another or is
        refused.
        """
        self._maximum = maximum

    def open(self, key: KeyT, address: str, now: float) -> Closing[KeyT] | None:
        """Add a new connection from *address*.

        Returns the connection that must be closed for the new one, or the new one itself if it is refused. Returns None
        if there is room.
        """
        closing = None
        here = self._by_address.get(address)
        if here is not None and len(here) >= max(1, self._maximum // _ADDRESS_SHARE):
            closing = self._close(self._choose_oldest(here), Reason.ADDRESS)
        elif len(self) >= self._maximum:
            closing = self._make_room(Reason.MAXIMUM)
            if closing is None:
                return Closing(key, Reason.REFUSED)
        self._waiting[key] = address
        self._by_address.setdefault(address, {})[key] = None
        self._head_deadlines[key] = now + HEAD_S
        return closing

    def note_head(self, key: KeyT) -> None:
        """Note a complete request head that was not accepted.

        The connection may stay open, but it stays among the first to be closed.
        """
        self._head_deadlines.pop(key, None)

    def begin_request(self, key: KeyT) -> None:
        """Note that a request of the connection *key* was accepted and is being processed."""
        if not self._idle.pop(key, False) and key in self._waiting:
            self._forget_waiting(key)
            self._accepted.add(key)

    def end_request(self, key: KeyT) -> None:
        """Note that the accepted request of the connection *key* has ended."""
        if key in self._accepted:
            self._idle[key] = True

    def remove(self, key: KeyT) -> None:
        """Remove a connection that is closed."""
        if key in self._waiting:
            self._forget_waiting(key)
        self._accepted.discard(key)
        self._idle.pop(key, None)

    def next_deadline(self) -> float | None:
        """Return the time at which the next connection is overdue, or None if all have sent a head."""
        return next(iter(self._head_deadlines.values()), None)

    def overdue(self, now: float) -> list[Closing[KeyT]]:
        """Remove and return the connections that have sent no complete head in time."""
        found = []
        while (deadline := self.next_deadline()) is not None and deadline <= now:
            found.append(self._close(next(iter(self._head_deadlines)), Reason.SLOW_HEAD))
        return found

    def shed(self, count: int) -> list[Closing[KeyT]]:
        """Remove and return up to *count* connections to close. Used when file descriptors have run out."""
        found: list[Closing[KeyT]] = []
        while len(found) < count and (closing := self._make_room(Reason.DESCRIPTORS)) is not None:
            found.append(closing)
        return found

    def _choose_oldest(self, waiting: Iterable[KeyT]) -> KeyT:
        """Return the oldest of *waiting* that has no unread data.

        Falls back to the oldest one if all that are examined have unread data.
        """
        oldest = list(islice(waiting, _EXAMINED))
        return next((key for key in oldest if not self.has_unread(key)), oldest[0])

    def _make_room(self, reason: Reason) -> Closing[KeyT] | None:
        if self._waiting:
            return self._close(self._choose_oldest(self._waiting), reason)
        if self._idle:
            return self._close(next(iter(self._idle)), Reason.IDLE if reason is Reason.MAXIMUM else reason)
        return None

    def _close(self, key: KeyT, reason: Reason) -> Closing[KeyT]:
        self.remove(key)
        return Closing(key, reason)

    def _forget_waiting(self, key: KeyT) -> None:
        address = self._waiting.pop(key)
        here = self._by_address[address]
        del here[key]
        if not here:
            del self._by_address[address]
        self._head_deadlines.pop(key, None)


Connections = ConnectionTable[asyncio.BaseProtocol]
"""The type of the table that holds the connections of all listeners."""
