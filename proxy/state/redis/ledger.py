"""The ledger on a Redis or Valkey server, which all replicas share. It needs the extra ``redis``.

A request waits for its claims, and nobody waits for settlements. One task sends what waits in one pipeline on one
connection, and reads the replies before it sends again. So the writes of a process arrive in order, and under load one
round trip serves many requests.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable, Sequence
from secrets import token_hex
from time import monotonic

from proxy.config.redis_address import RedisAddress
from proxy.core.deadlines import wait_at_most
from proxy.state.external.external_store import ExternalStore
from proxy.state.external.reply_limit import GRACE_TURNS
from proxy.state.external.sealed_entries import EntrySealer
from proxy.state.limits.claims import Change, Claims, Settlement, SpendClaim, Verdict
from proxy.state.limits.spend_book import AccountSpend, SpendBook
from proxy.state.redis.connection import ReplyError
from proxy.state.redis.connections import RedisConnections
from proxy.state.redis.exchange_spend import exchange_spend, leave
from proxy.state.redis.limit_arguments import Sender, admit_call, read_verdict, settle_call
from proxy.state.redis.scripts import Call, read_error, run_scripts
from proxy.state.redis.waiting_work import MOST_WAITING, Asked, Exchange, WaitingWork, Work

WAIT_S = 0.5
"""The most seconds that a request waits for its claims.

A server that does not answer is noticed sooner, by the limit of each reply. This limit is for claims that wait behind
others. It is long, since many requests at once keep the event loop busy, and would else all be held to a share alone.
"""

_EXCHANGE_S = 1.0
"""The most seconds of one batch. A busy event loop takes that long to read the replies of a whole batch."""

_CALL_S = 2.0
"""Longer than any call of the store takes, so that one call has ended before the next begins."""

_FLUSH_S = 1.0
_FLUSH_PAUSE_S = 0.005
_READ_AT_ONCE = 200


_DONE = Verdict(True, (), (), ())


class RedisLedger:
    """A :class:`proxy.state.limits.ledger.Ledger` on the server at *address*, over *book*.

    *store* is the store on the same server. It knows the names and the circuit. *wall* returns Unix time, and *clock*
    steady seconds.
    """

    is_shared = True

    def __init__(
        self,
        address: RedisAddress,
        store: ExternalStore,
        book: SpendBook,
        *,
        wall: Callable[[], float] = time.time,  # noqa: TID251 - periods of spend are wall-clock time
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self.replicas = 1
        self._connections = RedisConnections(address, _EXCHANGE_S)
        self._store = store
        self._book = book
        self._wall = wall
        self._clock = clock
        self._process = token_hex(8)
        self._version = 0
        self._waiting = WaitingWork()
        self._not_freed: deque[Settlement] = deque(maxlen=MOST_WAITING)
        """Places of ended requests that the server did not free, since it could not be reached."""

        self._is_sending = False

    async def admit(self, claims: Claims) -> Verdict | None:
        """Grant claims as :meth:`proxy.state.limits.ledger.Ledger.admit` does."""
        if not self._store.is_up:
            return None
        asked = Asked(claims, asyncio.get_running_loop().create_future())
        self._waiting.add(asked)
        try:
            await wait_at_most(asked.future, WAIT_S)
            for _ in range(
                GRACE_TURNS
            ):  # a busy loop finds the reply and the end of the wait at the same time
                if asked.future.done():
                    return asked.future.result()
                await asyncio.sleep(0)
            if asked.future.done():  # in the last of these turns: the claims may have been granted
                return asked.future.result()
        except asyncio.CancelledError:
            asked.is_given_up = True
            if asked.future.done():
                verdict = asked.future.result()
                if verdict is None:
                    self._free_later(claims)
                elif verdict.granted:
                    self._release(claims)
            raise
        asked.is_given_up = True
        return None

    def settle(self, settlement: Settlement) -> None:
        """End a request as :meth:`proxy.state.limits.ledger.Ledger.settle` does."""
        self._waiting.add_settlement(settlement)

    async def arrive(self, id_: str) -> None:
        """Wait as :meth:`proxy.state.limits.ledger.Ledger.arrive` says."""
        if self._store.is_up:
            await self._waiting.arrive(id_)

    async def exchange(self, spends: Sequence[AccountSpend]) -> bool:
        """Exchange spend as :meth:`proxy.state.limits.ledger.Ledger.exchange` does."""
        for start in range(0, max(1, len(spends)), _READ_AT_ONCE):
            if not self._store.is_up:
                return False
            part = Exchange(spends[start : start + _READ_AT_ONCE], asyncio.get_running_loop().create_future())
            self._waiting.add(part)
            await wait_at_most(part.future, _CALL_S)
            if not part.future.done() or part.future.result() is None:
                return False
        return True

    async def run(self) -> None:
        """Send what waits, until this coroutine is cancelled."""
        try:
            while True:
                await self._waiting.wait()
                while len(self._waiting):
                    await self._send()
        finally:
            await self._connections.give_up()

    async def flush(self) -> None:
        """Wait as :meth:`proxy.state.limits.ledger.Ledger.flush` says, and leave the other processes."""
        end = self._clock() + _FLUSH_S
        while (len(self._waiting) or self._is_sending) and self._store.is_up and self._clock() < end:
            self._waiting.hurry()
            await asyncio.sleep(_FLUSH_PAUSE_S)

        sender = Sender(self._process, 0, 0.0, 0.0)
        await self._store.work_on(lambda sealer: leave(self._connections, sealer, sender))

    async def _send(self) -> None:
        """Send the oldest work in one pipeline, and hand on the replies. An exchange goes alone."""
        batch = self._waiting.take()
        if not batch:
            return
        self._is_sending = True
        answered = None
        try:
            answered = await self._store.work_on(lambda sealer: self._call(batch, sealer))
        finally:
            self._is_sending = False
            for work in batch:
                if not isinstance(work, Settlement):
                    if not work.future.done():
                        work.future.set_result(None)
                        if isinstance(work, Asked) and work.is_given_up:
                            self._free_later(work.claims)
                    continue
                self._waiting.note_done(work)
                if not answered and work.parallel:
                    self._not_freed.append(Settlement(work.id, parallel=work.parallel))

    async def _call(self, batch: Sequence[Work], sealer: EntrySealer) -> bool:
        self._version += 1
        sender = Sender(self._process, self._version, self._clock(), self._wall())
        if isinstance(batch[0], Exchange):
            self.replicas = await exchange_spend(self._connections, sealer, sender, batch[0].spends)
            batch[0].future.set_result(_DONE)
            while self._not_freed:
                self._waiting.add(self._not_freed.popleft())
            return True
        calls, spends = list[Call](), list[tuple[SpendClaim, ...]]()
        for work in batch:
            if isinstance(work, Asked):
                calls.append(admit_call(work.claims, sealer, sender, self._book))
                spends.append(work.claims.spends)
            elif isinstance(work, Settlement):
                calls.append(settle_call(work, sealer, sender, self._book))
                spends.append(work.spends)
        sent = [[(spend, spend.changes) for spend in self._find(claims)] for claims in spends]
        replies = await run_scripts(self._connections, calls)
        for work, reply, written in zip(batch, replies, sent, strict=True):
            if isinstance(reply, ReplyError):
                self._store.count_error(read_error(reply).kind)
                if isinstance(work, Settlement) and work.parallel:
                    self._not_freed.append(Settlement(work.id, parallel=work.parallel))
            else:
                for spend, changes in written:
                    spend.written = max(spend.written, changes)
            if isinstance(work, Asked):
                self._hand_on(work, read_verdict(reply, work.claims))
        return True

    def _hand_on(self, asked: Asked, verdict: Verdict | None) -> None:
        """Reserve what was granted, before the next batch is written, and hand the verdict on."""
        if verdict is not None and verdict.granted:
            now = self._clock()
            for claim, spend in zip(asked.claims.spends, self._find(asked.claims.spends), strict=True):
                is_written = spend.is_written
                spend.reserve(claim.reserve_nano, now + claim.lifetime_s)
                if is_written:
                    spend.written = spend.changes
            if asked.is_given_up:
                self._release(asked.claims)
        if not asked.future.done():
            asked.future.set_result(verdict)

    def _find(self, claims: Sequence[SpendClaim]) -> list[AccountSpend]:
        return [self._book.spend_of(claim.account, claim.period) for claim in claims]

    def _free_later(self, claims: Claims) -> None:
        """Free the places that the server may have granted to a caller that is gone, before its reply was lost."""
        if claims.parallel:
            self._not_freed.append(Settlement(claims.id, parallel=claims.parallel))

    def _release(self, claims: Claims) -> None:
        """Give back what was granted to a caller that no longer waits."""
        for claim, spend in zip(claims.spends, self._find(claims.spends), strict=True):
            spend.unreserve(claim.reserve_nano)
        changes = tuple(Change(rate.bucket, rate.amount, 0) for rate in claims.rates)
        self.settle(Settlement(claims.id, changes, claims.parallel, claims.spends))
