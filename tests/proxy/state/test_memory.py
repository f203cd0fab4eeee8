"""Tests of the store in memory, which is bounded and drops the least recently used values first."""

from __future__ import annotations

import heapq

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.state import MemoryStore
from proxy.state.spaces import Space

S, OTHER = Space("s", 60.0, "numbers", cached=True), Space("other", 60.0, "other numbers", cached=True)
TIMED = Space("timed", 60.0, "numbers that expire")


async def test_a_stored_value_is_found_in_its_space() -> None:
    """A value is in its own space, and in no other."""
    store = MemoryStore(10_000)

    await store.put(S, {"k": b"1", "l": b"2"}, tenant="t")
    await store.put(OTHER, {"k": b"3"}, tenant="t")

    assert await store.get(S, ["k", "l", "m"], tenant="t") == {"k": b"1", "l": b"2"}
    assert await store.get(OTHER, ["k", "l"], tenant="t") == {"k": b"3"}


async def test_a_value_is_gone_after_its_lifetime() -> None:
    """The writer's lifetime replaces the space's. A new value has a new lifetime."""
    now = 0.0
    store = MemoryStore(10_000, lambda: now)
    await store.put(TIMED, {"k": b"1", "l": b"2"}, tenant="t")
    await store.put(TIMED, {"m": b"3"}, tenant="t", lifetime_s=90.0)
    now = 50.0
    await store.put(TIMED, {"l": b"4"}, tenant="t")

    now = 60.0

    assert await store.get(TIMED, "klm", tenant="t") == {"l": b"4", "m": b"3"}
    assert len(store) == 2


async def test_conditional_writes() -> None:
    """A value that stands is kept by ``absent_only``, and is replaced or deleted by a swap that knows it."""
    store = MemoryStore(10_000)

    assert await store.put(S, {"k": b"1"}, tenant="t", absent_only=True) == {"k": b"1"}
    assert await store.put(S, {"k": b"2", "l": b"3"}, tenant="t", absent_only=True) == {"k": b"1", "l": b"3"}
    assert not await store.swap(S, "k", b"2", b"4", tenant="t")
    assert await store.swap(S, "k", b"1", b"4", tenant="t")
    assert await store.swap(S, "l", b"3", None, tenant="t")

    assert await store.get(S, "kl", tenant="t") == {"k": b"4"}
    await store.delete(S, "kl", tenant="t")
    assert (len(store), store.size_bytes) == (0, 0)


async def test_the_least_recently_used_value_is_dropped_first() -> None:
    """Reading a value is a use."""
    store = MemoryStore(2_000)
    await store.put(S, dict.fromkeys("123", b"x" * 300), tenant="t")
    await store.get(S, ["1"], tenant="t")

    await store.put(S, {"4": b"x" * 300}, tenant="t")

    assert set(await store.get(S, list("1234"), tenant="t")) == {"1", "3", "4"}


async def test_value_larger_than_the_store_is_not_kept() -> None:
    """A value larger than the store evicts no other value."""
    store = MemoryStore(2_000)
    await store.put(S, {"k": b"x"}, tenant="t")

    await store.put(S, {"l": b"x" * 2_000}, tenant="t")

    assert await store.get(S, ["k", "l"], tenant="t") == {"k": b"x"}


async def test_tenant_neither_finds_nor_replaces_another_s_value() -> None:
    """The empty name is a tenant of its own."""
    store = MemoryStore(10_000)

    await store.put(S, {"k": b"1"}, tenant="a")
    await store.put(S, {"k": b"2"}, tenant="b")
    await store.put(S, {"l": b"3"}, tenant="")

    assert await store.get(S, "kl", tenant="a") == {"k": b"1"}
    assert await store.get(S, "kl", tenant="b") == {"k": b"2"}
    assert await store.get(S, "kl", tenant="") == {"l": b"3"}
    assert await store.get(S, "kl", tenant="c") == {}


async def test_the_largest_tenant_loses_a_value() -> None:
    """The largest tenant is the one with the most bytes, not with the most values.

    This tenant loses its least recently used value.
    """
    store = MemoryStore(4_000)
    await store.put(S, {"large": bytes(2_000), "newer": bytes(10)}, tenant="a")
    await store.put(S, dict.fromkeys("123", bytes(10)), tenant="b")

    await store.put(S, {"new": bytes(700)}, tenant="c")

    assert await store.get(S, ["large", "newer"], tenant="a") == {"newer": bytes(10)}
    assert len(await store.get(S, "123", tenant="b")) == 3
    assert len(await store.get(S, ["new"], tenant="c")) == 1


class Model:
    """A simple model of the store: a list for each tenant, the least recently used value first."""

    def __init__(self, max_bytes: int) -> None:
        self.max_bytes = max_bytes
        self.held: dict[str, list[tuple[str, int]]] = {}

    def size(self, tenant: str) -> int:
        """Return the bytes of a tenant."""
        return sum(size + 256 for _, size in self.held.get(tenant, []))

    def use(self, tenant: str, key: str) -> None:
        """Make a value the newest of its tenant."""
        values = self.held.get(tenant, [])
        self.held[tenant] = sorted(values, key=lambda one: one[0] == key)

    def put(self, tenant: str, key: str, size: int) -> None:
        """Store a value of *size* bytes."""
        values = [one for one in self.held.get(tenant, []) if one[0] != key]
        self.held[tenant] = [*values, (key, size)] if size + 256 <= self.max_bytes else values
        self.fit()

    def fit(self) -> None:
        """Drop the values beyond the limit."""
        while sum(map(self.size, self.held)) > self.max_bytes:
            del self.held[max(self.held, key=lambda tenant: (self.size(tenant), [-ord(c) for c in tenant]))][
                0
            ]


STEPS = st.tuples(
    st.sampled_from(["put", "put", "put", "get", "resize"]),
    st.sampled_from("abc"),
    st.sampled_from("123456"),
    st.integers(0, 2_500),
)


@given(st.lists(STEPS, max_size=60))
async def test_each_tenant_keeps_its_share(steps: list[tuple[str, str, str, int]]) -> None:
    """The store agrees with the model in sizes and values.

    A tenant within its share loses no value to other tenants.
    """
    store, model = MemoryStore(4_000), Model(4_000)
    for step, tenant, key, size in steps:
        before = {one: store.held_by(one) for one in "abc"}
        if step == "put":
            await store.put(S, {key: bytes(size)}, tenant=tenant)
            model.put(tenant, key, size)
            share = model.max_bytes / 3
            assert all(
                store.held_by(one) == before[one] for one in "abc" if one != tenant and before[one] <= share
            )
        elif step == "get":
            await store.get(S, [key], tenant=tenant)
            model.use(tenant, key)
        else:
            model.max_bytes = 2_000 + size
            store.resize(model.max_bytes)
            model.fit()

        assert store.size_bytes == sum(map(store.held_by, "abc")) <= model.max_bytes
        assert {one: store.held_by(one) for one in "abc"} == {one: model.size(one) for one in "abc"}
        assert len(store) == sum(map(len, model.held.values()))
    for tenant, values in model.held.items():
        assert await store.get(S, "123456", tenant=tenant) == {key: bytes(size) for key, size in values}


async def test_the_heap_of_tenants_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten thousand puts push at most two heap entries each on average, and the heap stays bounded."""
    pushed = 0

    def count(heap: list[tuple[int, str]], item: tuple[int, str]) -> None:
        nonlocal pushed
        pushed += 1
        heapq.heappush(heap, item)
        assert len(heap) <= 2 * 1_000 + 65

    monkeypatch.setattr("proxy.state.memory.heappush", count)
    store = MemoryStore(500_000)
    for number in range(10_000):
        await store.put(S, {f"{number}": b"x" * 50}, tenant=f"{number * 7_919 % 1_000}")

    assert 10_000 < pushed <= 20_000
    assert len(store) == 500_000 // 306
    await store.put(S, {"x": b""}, tenant="last")
    store.resize(0)
    assert (store.size_bytes, len(store)) == (0, 0)
