"""The table of open connections, with the rule for the one to close. The clock is an argument.

    opened ─▶ waiting ──accepted request──▶ busy ─▶ idle ─▶ busy …
              │ no head within HEAD_S: closed

A connection waits until one of its requests has passed the key check. When there is no room the oldest waiting one is
closed; only where none waits the one that is idle longest. A busy one is never closed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Hashable, Iterable
from enum import Enum
from itertools import islice
from typing import Generic, NamedTuple, TypeVar

HEAD_S = 30.0
"""Seconds for the first request head of a connection, however slowly it comes."""

_SHARE = 4
"""The part of all connections, as a divisor, that may wait from one address."""

_LOOKED_AT = 16
"""Waiting connections that are looked at for one to close."""

KeyT = TypeVar("KeyT", bound=Hashable)


class Reason(Enum):
    """Why a connection is closed before its time."""

    SLOW_HEAD = "slow_head"
    ADDRESS = "address"
    MAXIMUM = "maximum"
    IDLE = "idle"
    REFUSED = "refused"
    DESCRIPTORS = "descriptors"


class Closing(NamedTuple, Generic[KeyT]):
    """A connection that has to be closed, which the table has forgotten already."""

    key: KeyT
    reason: Reason


class ConnectionTable(Generic[KeyT]):
    """The open connections by *key*; *maximum* is how many there may be.

    Each method takes constant time, but :meth:`overdue` and :meth:`shed`, which do for each connection they return.
    """

    def __init__(self, maximum: int) -> None:
        self._maximum = maximum
        self.has_unread: Callable[[KeyT], bool] = lambda _: False
        """Tells whether a connection has sent what is not read yet: it may be a request, and does not go first."""

        self._waiting: dict[KeyT, str] = {}  # with its address; all dicts have the oldest first
        self._by_address: dict[str, dict[KeyT, None]] = {}
        self._silent: dict[KeyT, float] = {}  # until when the first head has to be there
        self._accepted: set[KeyT] = set()
        self._idle: dict[KeyT, bool] = {}

    def __len__(self) -> int:
        """Return how many connections are open."""
        return len(self._waiting) + len(self._accepted)

    @property
    def maximum(self) -> int:
        """How many connections there may be."""
        return self._maximum

    def resize(self, maximum: int) -> None:
        """Take another maximum; connections that are too many then go as new ones come."""
        self._maximum = maximum

    def open(self, key: KeyT, address: str, now: float) -> Closing[KeyT] | None:
        """Take in a new connection from *address*, and return the one that has to go for it, which may be itself."""
        closing = None
        here = self._by_address.get(address)
        if here is not None and len(here) >= max(1, self._maximum // _SHARE):
            closing = self._close(self._choose(here), Reason.ADDRESS)
        elif len(self) >= self._maximum:
            closing = self._make_room(Reason.MAXIMUM)
            if closing is None:
                return Closing(key, Reason.REFUSED)
        self._waiting[key] = address
        self._by_address.setdefault(address, {})[key] = None
        self._silent[key] = now + HEAD_S
        return closing

    def hear(self, key: KeyT) -> None:
        """Note that a request head has come, which was not accepted: the connection may stay and goes first."""
        self._silent.pop(key, None)

    def begin(self, key: KeyT) -> None:
        """Note that a request was accepted and is worked on."""
        if not self._idle.pop(key, False) and key in self._waiting:
            self._forget_waiting(key)
            self._accepted.add(key)

    def end(self, key: KeyT) -> None:
        """Note that the request has ended."""
        if key in self._accepted:
            self._idle[key] = True

    def lost(self, key: KeyT) -> None:
        """Forget a connection that is closed."""
        if key in self._waiting:
            self._forget_waiting(key)
        self._accepted.discard(key)
        self._idle.pop(key, None)

    def next_deadline(self) -> float | None:
        """Return when the next connection may be overdue; None where all have sent a head."""
        return next(iter(self._silent.values()), None)

    def overdue(self, now: float) -> list[Closing[KeyT]]:
        """Return the connections that have sent no head in time."""
        found = []
        while (deadline := self.next_deadline()) is not None and deadline <= now:
            found.append(self._close(next(iter(self._silent)), Reason.SLOW_HEAD))
        return found

    def shed(self, count: int) -> list[Closing[KeyT]]:
        """Return up to *count* connections to close where descriptors have run out all the same."""
        found: list[Closing[KeyT]] = []
        while len(found) < count and (closing := self._make_room(Reason.DESCRIPTORS)) is not None:
            found.append(closing)
        return found

    def _choose(self, waiting: Iterable[KeyT]) -> KeyT:
        """Return the oldest of *waiting* that has nothing to read, or the oldest where the first ones all have."""
        oldest = list(islice(waiting, _LOOKED_AT))
        return next((key for key in oldest if not self.has_unread(key)), oldest[0])

    def _make_room(self, reason: Reason) -> Closing[KeyT] | None:
        if self._waiting:
            return self._close(self._choose(self._waiting), reason)
        if self._idle:
            return self._close(next(iter(self._idle)), Reason.IDLE if reason is Reason.MAXIMUM else reason)
        return None

    def _close(self, key: KeyT, reason: Reason) -> Closing[KeyT]:
        self.lost(key)
        return Closing(key, reason)

    def _forget_waiting(self, key: KeyT) -> None:
        address = self._waiting.pop(key)
        here = self._by_address[address]
        del here[key]
        if not here:
            del self._by_address[address]
        self._silent.pop(key, None)


Connections = ConnectionTable[asyncio.BaseProtocol]
"""The connections of all listeners."""
