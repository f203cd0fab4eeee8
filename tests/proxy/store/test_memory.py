"""What is kept in memory: bounded, and what is used stays longest."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from proxy.store import MemoryStore


async def test_what_was_put_is_there() -> None:
    """Within its space, and nothing else."""
    store = MemoryStore(10_000)

    await store.put("a", {"k": b"1", "l": b"2"})
    await store.put("b", {"k": b"3"})

    assert await store.get("a", ["k", "l", "m"]) == {"k": b"1", "l": b"2"}
    assert await store.get("b", ["k", "l"]) == {"k": b"3"}


async def test_the_longest_unused_goes_first() -> None:
    """Asking for a value is using it."""
    store = MemoryStore(2_000)
    await store.put("a", dict.fromkeys("123", b"x" * 300))
    await store.get("a", ["1"])

    await store.put("a", {"4": b"x" * 300})

    assert set(await store.get("a", list("1234"))) == {"1", "3", "4"}


async def test_a_value_takes_the_place_of_the_one_before() -> None:
    """Its size, too."""
    store = MemoryStore(2_000)
    await store.put("a", {"k": b"x" * 1_000})
    await store.put("a", {"k": b"y"})

    assert await store.get("a", ["k"]) == {"k": b"y"}
    assert store.size_bytes < 500


async def test_a_value_larger_than_all_is_not_kept() -> None:
    """And pushes nothing out."""
    store = MemoryStore(2_000)
    await store.put("a", {"k": b"x"})

    await store.put("a", {"l": b"x" * 2_000})

    assert await store.get("a", ["k", "l"]) == {"k": b"x"}


@given(st.lists(st.tuples(st.sampled_from("abcdefgh"), st.integers(0, 3_000))))
async def test_it_is_bounded(puts: list[tuple[str, int]]) -> None:
    """Whatever comes, in whatever order; and the newest value that fits is there."""
    store = MemoryStore(4_000)
    for key, size in puts:
        await store.put("s", {key: bytes(size)})

        assert store.size_bytes <= 4_000
        assert len(store) * 256 <= store.size_bytes
        if size <= 4_000 - 256:
            assert await store.get("s", [key]) == {key: bytes(size)}
