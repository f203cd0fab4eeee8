"""Tests of sessions in memory: bounds, expiry, and what is expected to stand."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from proxy.state.external.backend import ENTRY_BYTES, Bounds
from proxy.state.sessions.memory_records import MemoryRecords
from proxy.state.sessions.record_store import Change, Limits

ROOM = 100 + ENTRY_BYTES


def records(account: int = 10, in_all: int = 15, now: list[float] | None = None) -> MemoryRecords:
    """Return a store with room for a number of values of 100 bytes."""
    clock = now or [0.0]
    return MemoryRecords(Limits(60.0, Bounds(account * ROOM, in_all * ROOM)), lambda: clock[0])


async def keep(store: MemoryRecords, tenant: str, *keys: str) -> None:
    """Store a value of 100 bytes under each key."""
    for key in keys:
        assert await store.change(tenant, Change({key: key.encode().ljust(100)}))


async def test_key_beyond_its_bound_loses_its_least_recently_used_values() -> None:
    """A renewal is a use. Other clients lose nothing."""
    store = records()
    await keep(store, "red", "r")
    await keep(store, "blue", *"0123456789")
    await store.renew("blue", ["0", "missing"])
    await keep(store, "blue", "a", "b")

    assert set(await store.get("blue", "0123456789ab")) == set("03456789ab")
    assert set(await store.get("red", ["r"])) == {"r"}
    assert store.held_by("blue") == 10 * ROOM
    assert store.size_bytes == 11 * ROOM


async def test_beyond_the_bound_of_all_the_largest_client_loses() -> None:
    """A client with an equal share or less loses nothing to others."""
    store = records()
    await keep(store, "blue", *"0123456789")
    await keep(store, "red", *"abcdefg")

    assert set(await store.get("red", "abcdefg")) == set("abcdefg")
    assert set(await store.get("blue", "0123456789")) == set("23456789")
    assert store.size_bytes == 15 * ROOM


async def test_values_expire_after_their_last_use() -> None:
    """Reading alone is no use. Expired values leave no bytes and no client behind."""
    now = [0.0]
    store = records(now=now)
    await keep(store, "blue", "a", "b")
    now[0] = 40.0
    await store.renew("blue", ["a"])
    await store.get("blue", ["b"])
    now[0] = 60.0

    assert set(await store.get("blue", "ab")) == {"a"}
    assert store.size_bytes == ROOM
    now[0] = 100.0
    assert await store.get("blue", "ab") == {}
    assert (store.size_bytes, store._accounts) == (0, {})


async def test_new_limits_hold_from_the_next_change_on() -> None:
    """A reload may make the bounds smaller and the retention longer."""
    store = records()
    await keep(store, "blue", *"0123456789")
    store.limits = Limits(600.0, Bounds(3 * ROOM, 3 * ROOM))
    await keep(store, "blue", "a")

    assert set(await store.get("blue", "0123456789a")) == set("89a")


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["blue", "red", "green"]),
            st.sampled_from(["put", "remove", "renew", "clear", "expect", "wait"]),
            st.sampled_from("abcdef"),
            st.integers(0, 400),
        ),
        max_size=60,
    )
)
async def test_bytes_are_those_of_the_values_whatever_happens(steps: list[tuple[str, str, str, int]]) -> None:
    """The count is exact, the bounds hold, and no client sees another's values."""
    now = [0.0]
    store = records(3, 5, now)
    for tenant, what, key, size in steps:
        if what == "put":
            await store.change(tenant, Change({key: tenant.encode() + b"x" * size}))
        elif what == "remove":
            await store.change(tenant, Change(removed=[key]))
        elif what == "renew":
            await store.renew(tenant, [key])
        elif what == "clear":
            await store.clear(tenant)
        elif what == "expect":
            stands = (await store.get(tenant, [key])).get(key)
            assert not await store.change(tenant, Change({key: b"no"}, expected=(key, b"other")))
            assert await store.change(tenant, Change({key: tenant.encode()}, expected=(key, stands)))
        else:
            now[0] += size / 10
        for each in ("blue", "red", "green"):
            held = await store.get(each, "abcdef")
            assert store.held_by(each) == sum(len(value) + ENTRY_BYTES for value in held.values())
            assert store.held_by(each) <= 3 * ROOM
            assert all(value.startswith(each.encode()) for value in held.values())
        assert store.size_bytes <= 5 * ROOM


async def test_clearing_ends() -> None:
    """Many values are deleted in steps."""
    store = records(10_000, 10_000)
    await keep(store, "blue", *map(str, range(1_200)))
    await keep(store, "red", "r")

    assert [await store.clear("blue") for _ in range(4)] == [500, 500, 200, 0]
    assert set(await store.get("red", ["r"])) == {"r"}
