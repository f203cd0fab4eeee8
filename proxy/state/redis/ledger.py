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
from proxy.core.deadlines import limit_watch_of, wait_at_most
from proxy.state.external.external_store import ExternalStore
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
        self._connections = RedisConnections(address, is_limited=False)  # the store limits each batch
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
        loop = asyncio.get_running_loop()
        asked = Asked(claims, loop.create_future(), loop.time() + WAIT_S)
        watch = limit_watch_of(loop)
        watch.watch(asked)
        self._waiting.add(asked)
        try:
            return await asked.future
        except asyncio.CancelledError:
            if not asked.future.cancelled():  # the verdict came together with the cancellation
                verdict = asked.future.result()
                if verdict is None:
                    self._free_later(claims)
                elif verdict.granted:
                    self._release(claims)
            raise
        finally:
            watch.forget(asked)

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
                if work.__class__ is Asked:
                    if not work.is_answered:
                        self._give_up(work)
                elif isinstance(work, Settlement):
                    self._waiting.note_done(work)
                    if not answered and work.parallel:
                        self._not_freed.append(Settlement(work.id, parallel=work.parallel))
                elif not work.future.done():
                    work.future.set_result(None)

    async def _call(self, batch: Sequence[Work], sealer: EntrySealer) -> bool:
        self._version += 1
        sender = Sender(self._process, self._version, self._clock(), self._wall())
        if isinstance(batch[0], Exchange):
            self.replicas = await exchange_spend(self._connections, sealer, sender, batch[0].spends)
            batch[0].future.set_result(_DONE)
            while self._not_freed:
                self._waiting.add(self._not_freed.popleft())
            return True
        spend_of = self._book.spend_of
        calls, sent = list[Call](), list[tuple[list[AccountSpend], list[int]]]()
        for work in batch:
            if isinstance(work, Asked):
                spends = [spend_of(claim.account, claim.period) for claim in work.claims.spends]
                calls.append(admit_call(work.claims, spends, sealer, sender))
            elif isinstance(work, Settlement):
                spends = [spend_of(claim.account, claim.period) for claim in work.spends]
                calls.append(settle_call(work, spends, sealer, sender))
            else:
                continue
            sent.append((spends, [spend.changes for spend in spends]))
        replies = await run_scripts(self._connections, calls)
        for work, reply, (spends, changes) in zip(batch, replies, sent, strict=True):
            if reply.__class__ is ReplyError:
                self._store.count_error(read_error(reply).kind)
                if isinstance(work, Settlement) and work.parallel:
                    self._not_freed.append(Settlement(work.id, parallel=work.parallel))
            else:
                for spend, written in zip(spends, changes, strict=True):
                    if written > spend.written:
                        spend.written = written
            if work.__class__ is Asked:
                self._hand_on(work, read_verdict(reply, work.claims), spends)
        return True

    def _hand_on(self, asked: Asked, verdict: Verdict | None, spends: Sequence[AccountSpend]) -> None:
        """Reserve what was granted from *spends*, before the next batch is written, and hand the verdict on."""
        asked.is_answered = True
        is_waiting = not asked.future.done()
        if verdict is not None and verdict.granted:
            now = self._clock()
            for claim, spend in zip(asked.claims.spends, spends, strict=True):
                is_written = spend.written >= spend.changes
                spend.reserve(claim.reserve_nano, now + claim.lifetime_s)
                if is_written:
                    spend.written = spend.changes
            if not is_waiting:
                self._release(asked.claims)
        if is_waiting:
            asked.future.set_result(verdict)

    def _give_up(self, asked: Asked) -> None:
        """Tell the caller of *asked* that the server gave no answer."""
        if asked.future.done():
            self._free_later(asked.claims)
        else:
            asked.future.set_result(None)

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
