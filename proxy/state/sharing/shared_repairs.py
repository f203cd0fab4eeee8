"""Shares the evidence for repairs with other processes through the store, and keeps it over a restart.

Each deployment has one value, which all processes change. A process reads it, adds its own observations, and swaps it
if nobody has changed it meanwhile. So no observation of another process is lost. No request waits for these exchanges.
Without an answer from the store, each process learns alone, and adds its newest observations later.
"""

from __future__ import annotations

import asyncio
import math
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable
from itertools import islice
from secrets import token_hex

from proxy.state import Store
from proxy.state.repairs.learned_repairs import Adopt
from proxy.state.repairs.repair_table import EMPTY, RepairEvent, RepairTable
from proxy.state.sharing.repair_values import (
    NOTHING_STORED,
    StoredRepairs,
    is_of_other_version,
    read_repairs,
    write_repairs,
)
from proxy.state.spaces import REPAIRS

PERIOD_S = 5.0
"""Seconds between two reads of the same table."""

_SLACK_S = 0.5
"""A poll may come this much too early and still read all tables, since timers are not exact."""

_USED_S = 3_600.0
"""Seconds after the last request to a deployment for which its table is read."""

_CAPACITY = 4_096
"""The most deployments whose tables are shared. A wildcard's clients may name any number of models."""

_AT_ONCE = 512
"""The most tables that one poll reads."""

_MAX_WAITING = 256
"""The most observations of one deployment that wait for the store. The oldest ones are dropped first."""


class _Shared:
    """The table of one deployment, and what waits to be written.

    *table* holds all that this process knows. *value* is the stored value that it was last seen with. *tried* is the
    name of the newest write, whose answer may have been lost, and *sent* is the number of observations in it.
    """

    __slots__ = ("sent", "table", "tried", "used", "value", "waiting")

    def __init__(self) -> None:
        self.table: RepairTable = EMPTY
        self.value: bytes | None = None
        self.waiting: deque[RepairEvent] = deque(maxlen=_MAX_WAITING)
        self.tried = ""
        self.sent = 0
        self.used = True

    def settle(self, stored: StoredRepairs) -> None:
        """Drop the observations of a write that was done although its answer was lost."""
        if self.tried and self.tried in stored.writes:
            self.note_written()

    def note_written(self) -> None:
        """Drop the observations of the newest write."""
        for _ in range(min(self.sent, len(self.waiting))):
            self.waiting.popleft()
        self.tried, self.sent = "", 0


class SharedRepairs:
    """Shares evidence through *store* (:class:`proxy.state.repairs.learned_repairs.RepairSharing`).

    *token* returns the random name of a write.
    """

    def __init__(self, store: Store, token: Callable[[], str] = lambda: token_hex(4)) -> None:
        self._store = store
        self._token = token
        self._shared: OrderedDict[str, _Shared] = OrderedDict()
        self._unread: dict[str, None] = {}
        self._dirty: dict[str, None] = {}
        self._used_at: dict[str, float] = {}
        self._full_at = -math.inf
        self._adopt: Adopt = lambda _identity, _table: None
        self.wanted = asyncio.Event()
        """Set where a poll is wanted soon: something was observed, or a deployment is used for the first time."""

    def attach(self, adopt: Adopt) -> None:
        """Call *adopt* with each changed table (:class:`proxy.state.repairs.learned_repairs.RepairSharing`)."""
        self._adopt = adopt

    def follow(self, identity: str) -> None:
        """Read a table from now on (:class:`proxy.state.repairs.learned_repairs.RepairSharing`)."""
        shared = self._shared.get(identity)
        if shared is not None:
            shared.used = True
        elif len(self._shared) < _CAPACITY:
            self._shared[identity] = _Shared()
            self._unread[identity] = None
            self.wanted.set()

    def publish(self, identity: str, event: RepairEvent) -> None:
        """Write an observation soon (:class:`proxy.state.repairs.learned_repairs.RepairSharing`)."""
        self.follow(identity)
        shared = self._shared.get(identity)
        if shared is None:
            return
        if len(shared.waiting) == _MAX_WAITING:
            shared.sent = max(0, shared.sent - 1)
        shared.waiting.append(event)
        shared.table = shared.table.add(event)
        self._dirty[identity] = None
        self.wanted.set()

    async def poll(self, now: float) -> None:
        """Read the tables that are due, and write what waits. Two polls must not run at the same time."""
        self.wanted.clear()
        if now >= self._full_at + PERIOD_S - _SLACK_S:
            self._full_at = now
            self._forget_idle(now)
            due = dict.fromkeys((*self._dirty, *islice(self._shared, _AT_ONCE)))
            for identity in due:
                self._shared.move_to_end(identity)
        else:
            due = dict.fromkeys((*self._dirty, *islice(self._unread, _AT_ONCE)))
        await self._exchange(list(due))
        if self._unread:
            self.wanted.set()

    async def _exchange(self, identities: Iterable[str]) -> None:
        asked = list(identities)
        if not asked:
            return
        found = await self._store.get(REPAIRS, asked, tenant="")
        async with asyncio.TaskGroup() as group:
            for identity in asked:
                self._unread.pop(identity, None)
                value, shared = found.get(identity), self._shared[identity]
                if value is not None and is_of_other_version(value):
                    self._dirty.pop(identity, None)  # this process learns alone
                elif self._take(identity, shared, value):
                    group.create_task(self._write(identity, shared, value))

    def _take(self, identity: str, shared: _Shared, value: bytes | None) -> bool:
        """Take over the stored *value*. Return True where something is to be written."""
        if value is None:  # the store lost it, or does not answer
            return bool(shared.table.entries or shared.waiting)
        if value != shared.value:
            stored = read_repairs(value)
            shared.settle(stored)
            shared.value = value
            self._set(identity, shared, stored.table, shared.waiting)
        return bool(shared.waiting)

    async def _write(self, identity: str, shared: _Shared, value: bytes | None) -> None:
        """Replace *value* by the table of *identity*. What is observed meanwhile waits for the next write."""
        self._dirty.pop(identity, None)
        stored = NOTHING_STORED if value is None else read_repairs(value)
        shared.tried, shared.sent = self._token(), len(shared.waiting)
        new = write_repairs(stored.with_write(shared.table, shared.tried))
        if value is None:
            put = await self._store.put(REPAIRS, {identity: new}, tenant="", absent_only=True)
            is_done = put.get(identity) == new
        else:
            is_done = await self._store.swap(REPAIRS, identity, value, new, tenant="")
        if is_done:
            shared.value = new
            shared.note_written()
        elif shared.waiting:
            self._dirty[identity] = None

    def _set(
        self, identity: str, shared: _Shared, table: RepairTable, further: Iterable[RepairEvent]
    ) -> None:
        for event in further:
            table = table.add(event)
        shared.table = table
        self._adopt(identity, table)

    def _forget_idle(self, now: float) -> None:
        for identity, shared in list(self._shared.items()):
            if shared.used:
                shared.used = False
                self._used_at[identity] = now
            elif not shared.waiting and now >= self._used_at.get(identity, now) + _USED_S:
                for kept in (self._shared, self._unread, self._dirty, self._used_at):
                    kept.pop(identity, None)
