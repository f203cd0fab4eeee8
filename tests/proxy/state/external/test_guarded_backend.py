"""Tests of the limits, the circuit and the ping around a backend."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

import pytest

from proxy.state.external.backend import FaultKind, StoreFault, StoreInUse
from proxy.state.external.guarded_backend import GuardedBackend
from tests.support.dictionary_backend import CountedEvents, DictionaryBackend
from tests.support.waiting import until


class Guarded:
    """A guarded backend with its backend and its listener."""

    def __init__(self) -> None:
        self.backend = DictionaryBackend({"a": b"1"})
        self.events = CountedEvents()
        self.prepared = 0
        self.prepare_fault: StoreFault | None = None
        self.guard = GuardedBackend(self.backend, self.events, self.prepare)

    async def prepare(self) -> None:
        """Count the call, and fail if the test wants it."""
        self.prepared += 1
        if self.prepare_fault is not None:
            raise self.prepare_fault

    async def get(self) -> object:
        """Ask the backend for a value through the guard."""
        return await self.guard.call(partial(self.backend.get, ["a"]), wait_s=0.02)


@asynccontextmanager
async def guarded(monkeypatch: pytest.MonkeyPatch, ping_s: float = 60.0) -> AsyncIterator[Guarded]:
    """Run a guarded backend with *ping_s* between two pings."""
    monkeypatch.setattr("proxy.state.external.guarded_backend._PING_S", ping_s)
    one = Guarded()
    async with one.guard.running():
        yield one


async def test_backend_is_used_after_a_ping(monkeypatch: pytest.MonkeyPatch) -> None:
    """The backend is opened, pinged and prepared before the first call, and closed at the end."""
    async with guarded(monkeypatch) as one:
        assert one.guard.is_up
        assert one.events.changes == ["up"]
        assert await one.get() == {"a": b"1"}
        assert (one.backend.calls["open"], one.backend.calls["ping"], one.prepared) == (1, 1, 1)

    assert one.backend.calls["close"] == 1
    assert await one.get() is None


async def test_slow_call_is_left_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    """The request goes on without a value. The call ends by itself, and counts as an answer."""
    async with guarded(monkeypatch) as one:
        one.backend.frozen = asyncio.Event()

        assert await one.get() is None
        one.backend.frozen.set()
        await asyncio.sleep(0.01)

        assert one.events.errors.total() == 0
        assert await one.get() == {"a": b"1"}


async def test_client_that_leaves_cuts_off_no_call(monkeypatch: pytest.MonkeyPatch) -> None:
    """A cancelled request does not cancel its call, whose reply would be left in the connection."""
    async with guarded(monkeypatch) as one:
        one.backend.frozen = asyncio.Event()
        ended = []

        async def operation() -> None:
            await one.backend.ping()
            ended.append(True)

        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.01):
                await one.guard.call(operation, wait_s=10)
        one.backend.frozen.set()
        await asyncio.sleep(0.01)

        assert ended == [True]


async def test_three_failures_open_the_circuit_and_a_ping_closes_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """While the circuit is open, the backend gets nothing but pings. Each change of state is told once."""
    async with guarded(monkeypatch, ping_s=0.05) as one:
        one.backend.fail(FaultKind.CONNECTION)
        for _ in range(50):
            assert await one.get() is None

        assert not one.guard.is_up
        assert one.backend.calls["get"] <= 3
        await asyncio.sleep(0.2)
        assert one.events.changes == ["up", "down: connection"]

        one.backend.fail(None)
        await until(lambda: one.guard.is_up)
        assert await one.get() == {"a": b"1"}
        assert one.events.changes == ["up", "down: connection", "up"]


@pytest.mark.parametrize("kind", [FaultKind.FULL, FaultKind.READ_ONLY, FaultKind.REFUSED])
async def test_answered_refusals_do_not_open_the_circuit(
    monkeypatch: pytest.MonkeyPatch, kind: FaultKind
) -> None:
    """A full or read-only store still reads, and so stays in use. The failures are counted."""
    async with guarded(monkeypatch) as one:
        one.backend.fail(kind)
        for _ in range(9):
            await one.get()

        assert one.guard.is_up
        assert one.events.errors == {kind: 9}


async def test_store_that_is_down_at_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    """The start goes on without the store, says so once, and uses the store when it comes."""
    monkeypatch.setattr("proxy.state.external.guarded_backend._PING_S", 0.02)
    one = Guarded()
    one.backend.fail(FaultKind.CONNECTION)
    async with one.guard.running():
        assert not one.guard.is_up
        await asyncio.sleep(0.1)
        assert one.events.changes == ["down: connection"]

        one.backend.fail(None)
        await until(lambda: one.guard.is_up)
        assert one.events.changes == ["down: connection", "up"]


async def test_store_that_hangs_at_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    """The start waits a bounded time for a store that never answers."""
    monkeypatch.setattr("proxy.state.external.guarded_backend._OPEN_S", 0.02)
    one = Guarded()
    one.backend.frozen = asyncio.Event()
    async with asyncio.timeout(10), one.guard.running():
        assert one.events.changes == ["down: timeout"]
        one.backend.frozen.set()


async def test_store_that_cannot_be_prepared_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the secret, no name can be made."""
    one = Guarded()
    one.prepare_fault = StoreFault(FaultKind.READ_ONLY)
    async with one.guard.running():
        assert not one.guard.is_up
        assert one.events.changes == ["down: read_only"]


async def test_unforeseen_error_fails_no_request(monkeypatch: pytest.MonkeyPatch) -> None:
    """An error of a client library counts as a lost connection, in calls and in pings."""
    async with guarded(monkeypatch, ping_s=0.02) as one:

        async def broken() -> int:
            raise ValueError("not foreseen")

        assert await one.guard.call(broken) is None
        one.backend.ping = broken  # type: ignore[assignment, method-assign]  # a library's fault
        await until(lambda: not one.guard.is_up)

        assert set(one.events.errors) == {FaultKind.CONNECTION}


async def test_calls_at_a_time_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Calls beyond six wait for a place, and give up if that takes longer than their limit."""
    async with guarded(monkeypatch) as one:
        one.backend.frozen = asyncio.Event()
        begun = one.backend.calls["get"]

        async with asyncio.TaskGroup() as group:
            for _ in range(20):
                group.create_task(one.get())
            await asyncio.sleep(0.1)
            assert one.backend.calls["get"] - begun == 6
            one.backend.frozen.set()
        await asyncio.sleep(0.01)

        assert one.backend.calls["get"] - begun == 6


async def test_call_that_never_ends_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """A call that nobody waits for any more still ends, and gives its place back."""
    monkeypatch.setattr("proxy.state.external.guarded_backend._LONGEST_S", 0.03)
    async with guarded(monkeypatch) as one:
        one.backend.frozen = asyncio.Event()
        async with asyncio.TaskGroup() as group:
            for _ in range(6):
                group.create_task(one.get())

        await until(lambda: one.events.errors[FaultKind.TIMEOUT] == 6)
        one.backend.frozen = None
        assert await one.get() == {"a": b"1"}


async def test_error_that_nobody_foresaw_does_not_end_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    """The process starts without the store. Only a file that another process uses ends the start."""
    one = Guarded()

    async def fail() -> None:
        raise RuntimeError("a secret")

    monkeypatch.setattr(one.backend, "open", fail)
    async with one.guard.running():
        assert not one.guard.is_up
    assert one.events.changes == [f"down: {FaultKind.CONNECTION}"]

    async def refuse() -> None:
        raise StoreInUse

    monkeypatch.setattr(one.backend, "open", refuse)
    with pytest.raises(StoreInUse):
        async with one.guard.running():
            pass


async def test_background_work_takes_no_place_and_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its failures open the circuit as those of other calls do."""
    async with guarded(monkeypatch) as one:
        get = partial(one.backend.get, ["a"])
        assert await one.guard.call_alone(get) == {"a": b"1"}
        one.backend.frozen = asyncio.Event()
        async with asyncio.TaskGroup() as group:
            for _ in range(6):
                group.create_task(one.get())
            await asyncio.sleep(0.005)
            alone = group.create_task(one.guard.call_alone(get))
            await asyncio.sleep(0.005)
            one.backend.frozen.set()
        assert alone.result() == {"a": b"1"}

        one.backend.fail(FaultKind.CONNECTION)
        for _ in range(3):
            assert await one.guard.call_alone(get) is None
        assert not one.guard.is_up
        asked = one.backend.calls["get"]
        assert await one.guard.call_alone(get) is None
        assert one.backend.calls["get"] == asked
    assert await one.guard.call_alone(get) is None
