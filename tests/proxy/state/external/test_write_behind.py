"""Tests of the writes that are made behind requests."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

import pytest

from proxy.state.external.backend import FaultKind
from proxy.state.external.guarded_backend import GuardedBackend
from proxy.state.external.sealed_entries import EntrySealer
from proxy.state.external.write_behind import WriteBehind
from proxy.state.external.write_queue import Write
from proxy.state.spaces import SIGNATURES
from tests.support.dictionary_backend import CountedEvents, DictionaryBackend
from tests.support.waiting import until

SEALER = EntrySealer("tr", b"s" * 32)


class Writing:
    """A queue of writes with its backend, its listener and a clock that a test moves."""

    def __init__(self) -> None:
        self.backend, self.events, self.now = DictionaryBackend(), CountedEvents(), 0.0
        self.guard = GuardedBackend(self.backend, self.events, self._prepare)
        self.writes = WriteBehind(self.backend, self.guard, lambda: SEALER, self.events, lambda: self.now)

    async def _prepare(self) -> None:
        pass

    def add(self, *keys: str, value: bytes | None = b"1") -> None:
        """Let a write of each key wait."""
        self.writes.add([Write(SIGNATURES, "t", key, value, self.now + 100.0) for key in keys])

    def stands(self, key: str) -> bool:
        """Return True where the backend holds *key*."""
        return SEALER.name(SIGNATURES, "t", key) in self.backend.values


@asynccontextmanager
async def writing(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Writing]:
    """Run the writes while the context lasts. A store that failed is looked at 100 times a second."""
    monkeypatch.setattr("proxy.state.external.write_behind._RETRY_S", 0.01)
    monkeypatch.setattr("proxy.state.external.guarded_backend._PING_S", 0.02)
    one = Writing()
    async with one.guard.running(one.writes.run):
        yield one


async def test_joined_write_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    """A joined write is done, with what is left of its lifetime, and so are all writes before it."""
    async with writing(monkeypatch) as one:
        one.add(*(f"k{number}" for number in range(300)))
        one.now = 40.0
        await one.writes.join(10.0)

        assert all(one.stands(f"k{number}") for number in range(300))
        assert set(one.backend.lifetimes.values()) == {60.0}
        assert one.backend.calls["put"] == 3
        assert (len(one.writes.queue), one.events.waiting) == (0, 0)


async def test_slow_write_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """The caller goes on at its limit, and the write is still made."""
    async with writing(monkeypatch) as one:
        one.backend.frozen = asyncio.Event()
        one.add("k")
        await one.writes.join(0.01)
        assert not one.stands("k")

        one.backend.frozen.set()
        await until(lambda: one.stands("k"))


async def test_nobody_waits_for_a_store_that_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Writes wait for the store until it is well again. Their callers do not wait at all."""
    async with writing(monkeypatch) as one:
        one.backend.fail(FaultKind.CONNECTION)
        one.add("a")
        await until(lambda: not one.guard.is_up)

        one.add("b")
        async with asyncio.timeout(5):
            await one.writes.join(60.0)
        assert one.events.waiting > 0

        one.backend.fail(None)
        await until(lambda: one.stands("a") and one.stands("b"))


async def test_nobody_waits_after_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    """After one failed look-up no write is joined, though the circuit is closed: a request waits for one of both."""
    async with writing(monkeypatch) as one:
        one.backend.fail(FaultKind.TIMEOUT, "get")
        await one.guard.call(partial(one.backend.get, ["a"]))
        one.backend.frozen = asyncio.Event()
        one.add("a")
        async with asyncio.timeout(0.5):
            await one.writes.join(60.0)
        assert one.guard.is_up
        one.backend.frozen.set()


@pytest.mark.parametrize("kind", [FaultKind.FULL, FaultKind.READ_ONLY])
async def test_store_that_takes_no_writes_is_left_alone(
    monkeypatch: pytest.MonkeyPatch, kind: FaultKind
) -> None:
    """A single write is tried after a second, and the change of state is told once."""
    async with writing(monkeypatch) as one:
        one.backend.fail(kind, "put")
        one.add("a")
        await one.writes.join(10.0)
        assert one.events.changes == ["up", f"no writes: {kind} 1 s"]
        assert one.guard.is_up

        one.add("b")
        await one.writes.join(60.0)
        one.now = 0.9
        await asyncio.sleep(0.05)
        assert one.backend.calls["put"] == 1

        one.now = 1.0
        await until(lambda: one.backend.calls["put"] == 2)
        one.backend.fail(None)
        await asyncio.sleep(0.05)
        assert one.backend.calls["put"] == 2
        one.now = 2.0
        await until(lambda: one.stands("a") and one.stands("b"))
        assert one.events.changes == ["up", f"no writes: {kind} 1 s", "writes"]


async def test_store_that_refuses_every_write_is_asked_with_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """A refusal does not open the circuit. The waiting writes still do not keep the process busy."""
    async with writing(monkeypatch) as one:
        monkeypatch.setattr("proxy.state.external.write_behind._RETRY_S", 60.0)
        one.backend.fail(FaultKind.REFUSED, "put")
        one.add("a")
        await asyncio.sleep(0.1)

        assert one.guard.is_up
        assert one.backend.calls["put"] == 1


async def test_deletion_tells_nothing_of_a_full_store(monkeypatch: pytest.MonkeyPatch) -> None:
    """A full store still deletes. Only a write that it takes shows that it has room again."""
    async with writing(monkeypatch) as one:
        one.backend.fail(FaultKind.FULL, "put")
        one.add("a", value=None)
        one.add("b")
        await one.writes.join(10.0)
        for one.now in (1.0, 2.0, 3.0):
            await asyncio.sleep(0.05)

        assert one.backend.calls["delete"] == 1
        assert one.events.changes == ["up", f"no writes: {FaultKind.FULL} 1 s"]


async def test_deletions_keep_their_place(monkeypatch: pytest.MonkeyPatch) -> None:
    """The newest of a write and a deletion under one key counts."""
    async with writing(monkeypatch) as one:
        one.add("a", "b")
        await one.writes.join(10.0)
        one.add("a", value=None)
        one.add("b", value=None)
        one.add("b", value=b"2")
        await one.writes.join(10.0)

        assert (one.stands("a"), one.stands("b")) == (False, True)


async def test_full_queue_drops_the_oldest_writes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Dropped writes are counted."""
    async with writing(monkeypatch) as one:
        one.backend.fail(FaultKind.CONNECTION)
        for number in range(200):
            one.add(f"k{number}", value=bytes(64 * 2**10))

        assert one.events.errors[FaultKind.DROPPED] == 200 - 8 * 2**20 // (64 * 2**10 + 512)
        assert one.events.waiting <= 8 * 2**20
        one.backend.fail(None)
        await until(lambda: one.stands("k199"))
        assert not one.stands("k0")


async def test_end_of_the_process_writes_the_queue(monkeypatch: pytest.MonkeyPatch) -> None:
    """The flush waits for the writes, and not for a store that is down."""
    async with writing(monkeypatch) as one:
        one.add(*(f"k{number}" for number in range(300)))
        await one.writes.flush()
        assert len(one.writes.queue) == 0

        one.backend.fail(FaultKind.CONNECTION)
        await until(lambda: not one.guard.is_up)
        one.add("x")
        async with asyncio.timeout(0.5):
            await one.writes.flush()


async def test_refused_deletion_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """A store that answers a deletion with an error is not asked again and again, and takes the later writes."""
    async with writing(monkeypatch) as one:
        one.backend.fail(FaultKind.REFUSED, "delete")
        one.add("gone", value=None)
        await until(lambda: one.writes.is_idle)
        one.add("k")
        await until(lambda: one.stands("k"))

        assert one.backend.calls["delete"] == 1
        assert one.events.errors == {FaultKind.REFUSED: 1}
        assert one.guard.is_up
