"""Tests of the store outside the process: replicas over one backend, and a backend that fails."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

import pytest

from proxy.state.external.backend import FaultKind
from proxy.state.external.external_store import MOST_ASKED, ExternalStore
from proxy.state.external.sealed_entries import LARGEST_VALUE
from proxy.state.memory import MemoryStore
from proxy.state.spaces import COOLDOWNS, PROBES, SIGNATURES
from tests.support.dictionary_backend import CountedEvents, DictionaryBackend
from tests.support.waiting import until


class Replica:
    """One process's store, with its own memory, over a backend that replicas share."""

    def __init__(self, values: dict[str, bytes], secret: bytes | None = None) -> None:
        self.backend, self.events, self.now = DictionaryBackend(values), CountedEvents(), 0.0
        self.store = ExternalStore(
            self.backend, MemoryStore(100_000), "tr", secret, self.events, lambda: self.now
        )


@asynccontextmanager
async def replicas(count: int, values: dict[str, bytes] | None = None) -> AsyncIterator[list[Replica]]:
    """Run *count* replicas over one dictionary."""
    shared = {} if values is None else values
    async with AsyncExitStack() as stack:
        running = [Replica(shared) for _ in range(count)]
        for one in running:
            await stack.enter_async_context(one.store.running())
        yield running


async def test_value_of_one_replica_is_found_by_the_others() -> None:
    """Once ``put`` has returned, every replica can read the value, for its tenant alone."""
    async with replicas(3) as (first, second, third):
        await first.store.put(SIGNATURES, {"call_1": b"signed"}, tenant="blue")

        assert await second.store.get(SIGNATURES, ["call_1", "call_2"], tenant="blue") == {
            "call_1": b"signed"
        }
        assert await third.store.get(SIGNATURES, ["call_1"], tenant="red") == {}
        assert await third.store.get(SIGNATURES, ["call_1"], tenant="") == {}


async def test_backend_holds_nothing_that_it_was_told() -> None:
    """Names and values hold neither the tenant nor the key."""
    values: dict[str, bytes] = {}
    async with replicas(1, values) as (one,):
        await one.store.put(SIGNATURES, {"call_secret": b"signed"}, tenant="tenant-name")

        stored = "".join(values) + repr(values)
        assert "call_secret" not in stored
        assert "tenant-name" not in stored
        assert one.backend.lifetimes[next(name for name in values if "signatures" in name)] == 14 * 86_400.0


async def test_cached_values_are_read_once() -> None:
    """A value that never changes is read from the backend once. A missing value is asked for each time."""
    async with replicas(2) as (first, second):
        for one in (first, second):
            one.backend.calls.clear()  # the secret was read
        await first.store.put(SIGNATURES, {"a": b"1"}, tenant="t")
        for _ in range(3):
            assert await second.store.get(SIGNATURES, ["a"], tenant="t") == {"a": b"1"}
        assert (first.backend.calls["get"], second.backend.calls["get"]) == (0, 1)

        await second.store.get(SIGNATURES, ["b"], tenant="t")
        await first.store.put(SIGNATURES, {"b": b"2"}, tenant="t")
        assert await second.store.get(SIGNATURES, ["a", "b"], tenant="t") == {"a": b"1", "b": b"2"}
        assert second.backend.calls["get"] == 3


async def test_request_without_keys_asks_nothing() -> None:
    """A request that needs nothing makes no call."""
    async with replicas(1) as (one,):
        before = dict(one.backend.calls)
        assert await one.store.get(SIGNATURES, [], tenant="t") == {}
        assert dict(one.backend.calls) == before


async def test_changing_values_are_always_read() -> None:
    """A value that other replicas change is not cached, and a write that waits is read."""
    async with replicas(2) as (first, second):
        await first.store.put(COOLDOWNS, {"a": b"1"}, tenant="")
        assert await second.store.get(COOLDOWNS, ["a"], tenant="") == {"a": b"1"}
        await first.store.put(COOLDOWNS, {"a": b"2"}, tenant="", lifetime_s=30.0)
        assert await second.store.get(COOLDOWNS, ["a"], tenant="") == {"a": b"2"}
        assert 29.0 < min(first.backend.lifetimes.values()) <= 30.0


async def test_write_that_is_not_done_is_read() -> None:
    """The process reads its own write and its own deletion while a slow store is busy with them."""
    async with replicas(1) as (one,):
        await one.store.put(COOLDOWNS, {"a": b"1", "b": b"2"}, tenant="")
        one.backend.frozen = asyncio.Event()
        await one.store.put(COOLDOWNS, {"a": b"3"}, tenant="")
        await one.store.delete(COOLDOWNS, ["b"], tenant="")

        assert await one.store.get(COOLDOWNS, ["a", "b"], tenant="") == {"a": b"3"}
        one.backend.frozen.set()
        await until(lambda: one.backend.calls["delete"] == 1)
        assert await one.store.get(COOLDOWNS, ["a", "b"], tenant="") == {"a": b"3"}


async def test_end_of_the_run_finishes_the_writes() -> None:
    """A write that nobody waited for is done when the run has ended."""
    values: dict[str, bytes] = {}
    async with replicas(1, values) as (one,):
        await one.store.put(COOLDOWNS, {"a": b"1"}, tenant="")
        assert len(values) == 2
        await one.store.delete(COOLDOWNS, ["a"], tenant="")

    assert len(values) == 1


async def test_one_of_many_puts_an_absent_value() -> None:
    """All replicas learn which value stands. The owner alone replaces or deletes it."""
    async with replicas(3) as all_of_them:
        results = await asyncio.gather(
            *(
                one.store.put(PROBES, {"k": bytes([number])}, tenant="", absent_only=True)
                for number, one in enumerate(all_of_them)
            )
        )
        [winner] = {result["k"] for result in results}
        owner = all_of_them[winner[0]]
        other = all_of_them[(winner[0] + 1) % 3]

        assert not await other.store.swap(PROBES, "k", b"x", None, tenant="")
        assert await owner.store.swap(PROBES, "k", winner, b"done", tenant="")
        assert await other.store.get(PROBES, ["k"], tenant="") == {"k": b"done"}
        assert await other.store.swap(PROBES, "k", b"done", None, tenant="")
        assert await owner.store.get(PROBES, ["k"], tenant="") == {}


async def test_garbage_is_a_miss_that_is_counted() -> None:
    """Values that this store did not seal are missing. They can be replaced, even by conditional writes."""
    values: dict[str, bytes] = {}
    async with replicas(2, values) as (first, second):
        await first.store.put(COOLDOWNS, {"a": b"1"}, tenant="")
        for name in values:
            values[name] = b"\x01 something else"

        assert await second.store.get(COOLDOWNS, ["a"], tenant="") == {}
        assert second.events.errors == {FaultKind.CORRUPT: 1}
        assert await second.store.put(COOLDOWNS, {"a": b"2"}, tenant="", absent_only=True) == {"a": b"2"}
        assert await first.store.get(COOLDOWNS, ["a"], tenant="") == {"a": b"2"}


async def test_value_above_the_bound_is_not_written() -> None:
    """The value is counted, and those beside it are written."""
    async with replicas(2) as (first, second):
        await first.store.put(SIGNATURES, {"a": bytes(LARGEST_VALUE + 1), "b": b"2"}, tenant="t")

        assert first.events.errors == {FaultKind.TOO_LARGE: 1}
        assert await second.store.get(SIGNATURES, ["a", "b"], tenant="t") == {"b": b"2"}


@pytest.mark.long
@pytest.mark.parametrize("kind", list(FaultKind))
async def test_no_failure_reaches_a_request(kind: FaultKind) -> None:
    """The memory of the process still answers. The conditional writes say that they know nothing."""
    async with replicas(1) as (one,):
        await one.store.put(SIGNATURES, {"a": b"1"}, tenant="t")
        one.backend.fail(kind)
        for _ in range(5):
            await one.store.put(SIGNATURES, {"b": b"2"}, tenant="t")
            assert await one.store.get(SIGNATURES, ["a", "b", "c"], tenant="t") == {"a": b"1", "b": b"2"}
            assert await one.store.put(PROBES, {"k": b"1"}, tenant="", absent_only=True) == {}
            assert not await one.store.swap(PROBES, "k", b"1", b"2", tenant="")
            await one.store.delete(PROBES, ["k"], tenant="")
        assert one.events.errors[kind] > 0


async def test_open_circuit_asks_nothing() -> None:
    """Look-ups are skipped and counted while the circuit is open."""
    async with replicas(1) as (one,):
        one.backend.fail(FaultKind.CONNECTION)
        for _ in range(3):
            await one.store.get(SIGNATURES, ["a"], tenant="t")
        calls = one.backend.calls["get"]  # the secret's too

        for _ in range(7):
            await one.store.get(SIGNATURES, ["a"], tenant="t")

        assert one.backend.calls["get"] == calls == 4
        assert one.events.skipped == 7
        assert not one.store.is_up


async def test_replicas_agree_on_the_secret_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """A replica that started over an emptied store and the older ones agree after the next ping."""
    monkeypatch.setattr("proxy.state.external.guarded_backend._PING_S", 0.02)
    values: dict[str, bytes] = {}
    async with replicas(1, values) as (old,):
        values.clear()
        async with replicas(1, values) as (new,):

            async def crosses() -> bool:
                await old.store.put(COOLDOWNS, {"a": b"1"}, tenant="")
                return await new.store.get(COOLDOWNS, ["a"], tenant="") == {"a": b"1"}

            async with asyncio.timeout(10):
                while not await crosses():  # noqa: ASYNC110 - a ping in the background has no event
                    await asyncio.sleep(0.01)


async def test_configured_secret_is_not_kept_in_the_store() -> None:
    """Processes with one configured secret need none in the store. Another secret finds nothing."""
    values: dict[str, bytes] = {}
    async with AsyncExitStack() as stack:
        one, same, other = (Replica(values, secret) for secret in (b"a" * 32, b"a" * 32, b"b" * 32))
        for replica in (one, same, other):
            await stack.enter_async_context(replica.store.running())
        assert values == {}

        await one.store.put(SIGNATURES, {"a": b"1"}, tenant="t")

        assert await same.store.get(SIGNATURES, ["a"], tenant="t") == {"a": b"1"}
        assert await other.store.get(SIGNATURES, ["a"], tenant="t") == {}


async def test_store_is_memory_outside_its_run() -> None:
    """Before and after the run, values are kept in memory alone."""
    one = Replica({})

    await one.store.put(SIGNATURES, {"a": b"1"}, tenant="t")
    assert await one.store.get(SIGNATURES, ["a"], tenant="t") == {"a": b"1"}
    assert one.backend.calls.total() == 0

    async with one.store.running():
        await until(lambda: bool(one.backend.calls["put"]))
    one.store.resize(0)
    assert await one.store.get(SIGNATURES, ["a"], tenant="t") == {}


async def test_one_look_up_asks_for_a_limited_number_of_keys() -> None:
    """A client may send any number of ids. The newest, which stand last, are asked for."""
    async with replicas(2) as (first, second):
        await first.store.put(SIGNATURES, {"old": b"1", "new": b"2"}, tenant="t")
        keys = ["old", *(f"made-up-{number}" for number in range(MOST_ASKED - 1)), "new"]

        assert await second.store.get(SIGNATURES, keys, tenant="t") == {"new": b"2"}
        assert len(second.backend.asked) == MOST_ASKED
        assert await first.store.get(SIGNATURES, keys, tenant="t") == {"old": b"1", "new": b"2"}
