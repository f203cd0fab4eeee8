"""The work that waits for the ledger's one task: claims, settlements, and exchanges of spend.

Claims are sent at once. A settlement waits some milliseconds for claims to go out with, unless a client may soon ask
another replica for the place that it frees.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Sequence
from math import inf
from typing import TypeAlias

from proxy.core.deadlines import wait_at_most
from proxy.state.external.reply_limit import GRACE_TURNS
from proxy.state.limits.claims import Claims, Settlement, Verdict
from proxy.state.limits.ledger import FEW_PLACES
from proxy.state.limits.spend_book import AccountSpend

MOST_WAITING = 10_000
"""The most settlements that wait. Beyond that the oldest are dropped: their places and tokens come back with time."""

_BATCH = 64
_DELAY_S = 0.005
"""The seconds that a settlement waits for claims to go out with. A round trip then serves both."""

_ARRIVE_S = 0.025
"""The most seconds for which the end of an answer waits until its place is free on the server."""


class Asked:
    """Claims that wait for their verdict, until a time on the loop's clock (:mod:`proxy.core.deadlines`).

    *future* gets the verdict. It is done earlier where the caller was cancelled, and None where the time has passed.
    """

    __slots__ = ("claims", "future", "is_answered", "until")

    def __init__(self, claims: Claims, future: asyncio.Future[Verdict | None], until: float = inf) -> None:
        self.claims = claims
        self.future = future
        self.until = until
        self.is_answered = False
        """True once the server's answer was read."""

    def expire(self) -> None:
        """See :meth:`proxy.core.deadlines.Limited.expire`."""
        self.until = inf
        self._let_pass(GRACE_TURNS)

    def _let_pass(self, turns: int) -> None:
        """End the wait after some turns of the loop. A busy loop finds the reply and the end of the wait together."""
        if turns:
            self.future.get_loop().call_soon(self._let_pass, turns - 1)
        elif not self.future.done():
            self.future.set_result(None)


class Exchange:
    """Spend that waits to be written and read."""

    __slots__ = ("future", "spends")

    def __init__(self, spends: Sequence[AccountSpend], future: asyncio.Future[Verdict | None]) -> None:
        self.spends = spends
        self.future = future


Work: TypeAlias = Asked | Exchange | Settlement


class WaitingWork:
    """The work that waits, the oldest first."""

    def __init__(self) -> None:
        self._waiting: deque[Work] = deque()
        self._freeing: dict[str, asyncio.Future[None]] = {}
        """The ended requests whose places are being freed, by their ids."""

        self._wake = asyncio.Event()
        self._due: float | None = None
        """The loop's time at which the oldest waiting settlement is sent without claims."""

        self._timer: asyncio.TimerHandle | None = None
        """The timer for this. It is never cancelled, since a new timer for each batch would cost more."""

    def __len__(self) -> int:
        return len(self._waiting)

    async def wait(self) -> None:
        """Wait until there is work to do now."""
        await self._wake.wait()
        self._wake.clear()

    def hurry(self) -> None:
        """Let all work be done now."""
        self._wake.set()

    def add(self, work: Work) -> None:
        """Add *work*, which is to be done now."""
        self._waiting.append(work)
        self._wake.set()

    def add_settlement(self, settlement: Settlement) -> None:
        """Add *settlement*, which may wait for claims. Drop the oldest one where too many wait."""
        if len(self._waiting) >= MOST_WAITING:
            self._drop_settlement()
        self._waiting.append(settlement)
        is_awaited = False
        for place in settlement.parallel:
            if place.most <= FEW_PLACES:
                is_awaited = True
        if is_awaited:
            self._freeing[settlement.id] = asyncio.get_running_loop().create_future()
        if is_awaited or len(self._waiting) >= _BATCH:
            self._wake.set()
        elif self._due is None:
            loop = asyncio.get_running_loop()
            self._due = loop.time() + _DELAY_S
            if self._timer is None:
                self._timer = loop.call_at(self._due, self._end_delay)

    def take(self) -> list[Work]:
        """Remove and return the oldest work for one pipeline. An exchange goes alone."""
        self._due = None
        waiting, batch = self._waiting, list[Work]()
        while waiting and len(batch) < _BATCH:
            work = waiting[0]
            if work.__class__ is Exchange:
                return batch or [waiting.popleft()]
            waiting.popleft()
            if work.__class__ is not Asked or not work.future.done():  # else the caller is gone
                batch.append(work)
        return batch

    async def arrive(self, id_: str) -> None:
        """Wait until the settlement of the request *id_* is done, for a moment at most."""
        future = self._freeing.get(id_)
        if future is not None:
            self._wake.set()
            await wait_at_most(future, _ARRIVE_S)

    def note_done(self, settlement: Settlement) -> None:
        """Note that *settlement* has arrived, or never will."""
        if settlement.parallel and (future := self._freeing.pop(settlement.id, None)) is not None:
            future.set_result(None)

    def _end_delay(self) -> None:
        """Let settlements be sent, or wait again where they are newer than the timer."""
        self._timer = None
        if self._due is not None:
            loop = asyncio.get_running_loop()
            if self._due <= loop.time():
                self._wake.set()
            else:
                self._timer = loop.call_at(self._due, self._end_delay)

    def _drop_settlement(self) -> None:
        for number, work in enumerate(self._waiting):
            if isinstance(work, Settlement):
                del self._waiting[number]
                self.note_done(work)
                return
