"""The ledger of a process with an SQLite file: it decides in memory, and keeps spend and buckets in the file.

One process uses the file. So nothing has to be asked, and a request waits only for the first look at its key's numbers.
Spend is written within some milliseconds after it has changed, reservations included. A reservation that the last
process left behind is charged as estimated, since its provider may have answered. Buckets are written each second.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Sequence
from time import monotonic

from proxy.state.external.backend import Backend, Entry
from proxy.state.external.external_store import ExternalStore
from proxy.state.external.sealed_entries import EntrySealer
from proxy.state.limits.claims import Claims, Settlement, Verdict
from proxy.state.limits.memory_ledger import MemoryLedger
from proxy.state.limits.periods import kept_s
from proxy.state.limits.spend_book import AccountSpend, SpendBook
from proxy.state.limits.spend_entry import SpendEntry, read_entry, write_entry

_CALL_S = 2.0
_BUCKETS_KEPT_S = 48 * 3_600.0
_RENEWED_S = 600.0
"""Seconds between two writes of unchanged spend. A full file drops what was not used for longest."""

_PAUSE_S = 0.5
"""Seconds until spend is written again that could not be written."""

_AT_ONCE = 500
_MOST_BUCKETS = 8_192
_FLUSH_S = 1.0


class SqliteLedger:
    """A :class:`proxy.state.limits.ledger.Ledger` over the file of *store*, and over *book*.

    *wall* returns Unix time, and *clock* steady seconds.
    """

    is_shared = False
    replicas = 1

    def __init__(
        self,
        store: ExternalStore,
        book: SpendBook,
        *,
        wall: Callable[[], float] = time.time,  # noqa: TID251 - buckets and spend outlive the process
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._store = store
        self._book = book
        self._wall = wall
        self._clock = clock
        self._memory = MemoryLedger(book, clock)
        self._wake = asyncio.Event()
        self._loading = asyncio.Lock()
        self._saved: dict[str, int] = {}
        """The tat of each bucket as the file has it, or as it was when it was first looked for."""

        self._renew_at = self._clock() + _RENEWED_S

    async def admit(self, claims: Claims) -> Verdict:
        """Grant claims as :meth:`proxy.state.limits.ledger.Ledger.admit` does."""
        spends = [self._book.spend_of(claim.account, claim.period) for claim in claims.spends]
        buckets = [rate.bucket.name for rate in claims.rates]
        if not all(spend.is_loaded for spend in spends) or not all(name in self._saved for name in buckets):
            await self._load(spends, buckets)
        verdict = self._memory.decide(claims)
        if verdict.granted and spends:
            self._wake.set()
        return verdict

    def settle(self, settlement: Settlement) -> None:
        """End a request as :meth:`proxy.state.limits.ledger.Ledger.settle` does."""
        self._memory.settle(settlement)
        self._wake.set()

    async def arrive(self, id_: str) -> None:
        """Return at once: there is no other process."""

    async def exchange(self, spends: Sequence[AccountSpend]) -> bool:
        """Write what has changed, and read what was not read yet. Return False where the file cannot be used."""
        is_done = await self._load(spends, ())
        now = self._clock()
        if now >= self._renew_at:
            self._renew_at = now + _RENEWED_S
            await self._write([spend for spend in self._book if spend.is_loaded])
        is_done = await self._write(self._unwritten()) and is_done
        return await self._save_buckets() and is_done

    async def run(self) -> None:
        """Write spend soon after it has changed, until this coroutine is cancelled."""
        while True:
            await self._wake.wait()
            self._wake.clear()
            while unwritten := self._unwritten():
                if not await self._write(unwritten):
                    await asyncio.sleep(_PAUSE_S)

    async def flush(self) -> None:
        """Write everything, for a second at most."""
        try:
            async with asyncio.timeout(_FLUSH_S):
                await self._write(self._unwritten())
                await self._save_buckets()
        except TimeoutError:
            return

    def _unwritten(self) -> list[AccountSpend]:
        return [spend for spend in self._book if not spend.is_written and spend.is_loaded]

    async def _load(self, spends: Iterable[AccountSpend], buckets: Iterable[str]) -> bool:
        """Read the numbers that another process left in the file. Return False where the file cannot be used."""
        async with self._loading:
            new_spends = [spend for spend in spends if not spend.is_loaded]
            new_buckets = [name for name in buckets if name not in self._saved]
            if not new_spends and not new_buckets:
                return True

            async def read(backend: Backend, sealer: EntrySealer) -> list[bytes | None]:
                names = [_spend_name(sealer, spend) for spend in new_spends]
                names += [sealer.limit_name("rate", name) for name in new_buckets]
                found = dict[str, bytes]()
                for start in range(0, len(names), _AT_ONCE):
                    found.update(await backend.get(names[start : start + _AT_ONCE]))
                return [_open(sealer, name, found, self._store.count_corrupt) for name in names]

            values = await self._store.ask(read, _CALL_S) if self._store.is_up else None
            if values is None:
                return False
            for spend, value in zip(new_spends, values, strict=False):
                _add_standing(spend, None if value is None else read_entry(value))
            for name, value in zip(new_buckets, values[len(new_spends) :], strict=True):
                self._add_bucket(name, value)
            self._wake.set()
            return True

    def _add_bucket(self, name: str, value: bytes | None) -> None:
        """Use the bucket of *value*, which is its tat in Unix time, unless this process used the bucket already."""
        now = int(self._clock() * 1_000_000)
        tat = self._memory.tats.get(name, now)
        if value is not None and value.isdigit():
            left_us = int(value) - int(self._wall() * 1_000_000)
            tat = max(tat, now + min(left_us, int(_BUCKETS_KEPT_S) * 1_000_000))
            self._memory.tats[name] = tat
        self._saved[name] = tat

    async def _write(self, spends: Sequence[AccountSpend]) -> bool:
        changes = [spend.changes for spend in spends]
        wall = self._wall()

        async def write(backend: Backend, sealer: EntrySealer) -> bool:
            entries = []
            for spend in spends:
                name = _spend_name(sealer, spend)
                value = write_entry(_entry_of(spend)).encode()
                entries.append(Entry(name, sealer.seal(name, value), kept_s(spend.period, wall)))
            return not await backend.put(entries)

        if not spends:
            return True
        if not self._store.is_up or not await self._store.ask(write, _CALL_S):
            return False
        for spend, count in zip(spends, changes, strict=True):
            spend.written = max(spend.written, count)
        return True

    async def _save_buckets(self) -> bool:
        """Write the buckets that have changed. A bucket that is full again needs no entry."""
        shift = int((self._wall() - self._clock()) * 1_000_000)
        changed = {name: tat for name, tat in self._memory.tats.items() if self._saved.get(name) != tat}

        async def save(backend: Backend, sealer: EntrySealer) -> bool:
            entries = []
            for bucket, tat in changed.items():
                name = sealer.limit_name("rate", bucket)
                entries.append(Entry(name, sealer.seal(name, b"%d" % (tat + shift)), _BUCKETS_KEPT_S))
            return not await backend.put(entries)

        if changed:
            if not self._store.is_up or not await self._store.ask(save, _CALL_S):
                return False
            self._saved.update(changed)
        if len(self._saved) > _MOST_BUCKETS:
            self._saved = {name: tat for name, tat in self._saved.items() if name in self._memory.tats}
        return True


def _spend_name(sealer: EntrySealer, spend: AccountSpend) -> str:
    return sealer.limit_name("spend", spend.account, spend.period.name)


def _open(
    sealer: EntrySealer, name: str, found: dict[str, bytes], count_corrupt: Callable[[], None]
) -> bytes | None:
    sealed = found.get(name)
    if sealed is None:
        return None
    value = sealer.open(name, sealed)
    if value is None:
        count_corrupt()
    return value


def _entry_of(spend: AccountSpend) -> SpendEntry:
    return SpendEntry(
        spend.changes, spend.nano, spend.estimated, spend.tokens, spend.requests, spend.reserved
    )


def _add_standing(spend: AccountSpend, stands: SpendEntry | None) -> None:
    """Add what the last process had written. Its running requests have ended with it."""
    spend.is_loaded = True
    if stands is not None:
        reserved = stands.reserved or 0
        spend.add(stands.nano + reserved, stands.estimated + reserved, stands.tokens, stands.requests)
