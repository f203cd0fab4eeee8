"""Tests of the writes that wait for a store."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from proxy.state.external.write_queue import Write, WriteQueue
from proxy.state.spaces import SIGNATURES


def write(key: str, value: bytes | None = b"", until: float = 100.0) -> Write:
    """Return a write of the tenant ``t``."""
    return Write(SIGNATURES, "t", key, value, until)


def keys(writes: list[Write]) -> str:
    """Return the keys of *writes* as one text."""
    return "".join(one.key for one in writes)


def test_oldest_writes_go_first() -> None:
    """A newer write under a key replaces the older one, and takes a newer place."""
    queue = WriteQueue()
    for one in (write("a", b"1"), write("b"), write("a", b"2")):
        queue.add(one)

    taken = queue.take(10, 10_000, 0.0)

    assert keys(taken) == "ba"
    assert taken[1].value == b"2"
    assert (len(queue), queue.size_bytes, queue.taken) == (0, 0, 2)


def test_batches_are_bounded_in_number_and_bytes() -> None:
    """One write is taken however large it is."""
    queue = WriteQueue()
    for one in (write("a", bytes(3_000)), write("b"), write("c"), write("d")):
        queue.add(one)

    assert keys(queue.take(10, 1_500, 0.0)) == "a"
    assert keys(queue.take(2, 10_000, 0.0)) == "bc"
    assert keys(queue.take(2, 10_000, 0.0)) == "d"


def test_expired_writes_are_not_written() -> None:
    """A write whose lifetime has passed while it waited is dropped."""
    queue = WriteQueue()
    for one in (write("a", until=5.0), write("b", until=6.0)):
        queue.add(one)

    assert keys(queue.take(10, 10_000, 5.0)) == "b"
    assert queue.taken == 2


def test_full_queue_drops_the_oldest() -> None:
    """The number of dropped writes is returned."""
    queue = WriteQueue(max_bytes=3_000)

    assert [queue.add(write(key, bytes(500))) for key in "abcd"] == [0, 0, 1, 1]
    assert keys(queue.take(10, 10_000, 0.0)) == "cd"


def test_writes_that_failed_wait_before_all_others() -> None:
    """A newer write under the same key stays. Writes without room are left out, the oldest first."""
    queue = WriteQueue(max_bytes=4_000)
    for key in "abcd":
        queue.add(write(key, bytes(400)))
    taken = queue.take(3, 10_000, 0.0)
    queue.add(write("b", bytes(401)))
    queue.add(write("e", bytes(400)))

    queue.put_back(taken)

    left = queue.take(10, 10_000, 0.0)
    assert keys(left) == "cdbe"
    assert [len(one.value or b"") for one in left] == [400, 400, 401, 400]


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["add", "add", "take", "back"]), st.sampled_from("abcdef"), st.integers(0, 1_500)
        )
    )
)
def test_queue_never_exceeds_its_bound(steps: list[tuple[str, str, int]]) -> None:
    """The bytes are the sum of what waits, and no key waits twice."""
    queue, held = WriteQueue(max_bytes=4_000), list[Write]()
    for step, key, size in steps:
        if step == "add":
            queue.add(write(key, bytes(size)))
        elif step == "take":
            held = queue.take(2, size, 0.0)
        else:
            queue.put_back(held)
        assert queue.size_bytes <= 4_000

    left = queue.take(100, 100_000, 0.0)
    assert len({one.key for one in left}) == len(left)
    assert (len(queue), queue.size_bytes) == (0, 0)
