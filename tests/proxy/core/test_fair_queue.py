"""Tests of the order of clients in a queue."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from proxy.core.fair_queue import FairQueue


def queue_of(*items: tuple[str, int]) -> FairQueue[int]:
    """Return a queue with *items*, which are pairs of a client and its work."""
    queue: FairQueue[int] = FairQueue()
    for client, item in items:
        queue.put(client, item)
    return queue


def test_clients_take_turns() -> None:
    """Clients take turns, so a late client waits for one piece of work of each other client."""
    queue = queue_of(("a", 1), ("a", 2), ("a", 3), ("b", 4), ("c", 5))
    order = []
    while (taken := queue.take()) is not None:
        order.append(taken)
        queue.done(taken[0])

    assert order == [("a", 1), ("b", 4), ("c", 5), ("a", 2), ("a", 3)]


def test_client_has_one_piece_of_work_in_progress() -> None:
    """A client's second piece of work begins after its first ends, even if no other client waits."""
    queue = queue_of(("a", 1), ("a", 2))
    assert queue.take() == ("a", 1)
    assert queue.take() is None

    queue.put("b", 3)
    assert queue.take() == ("b", 3)
    assert queue.take() is None

    queue.done("a")
    assert queue.take() == ("a", 2)


def test_discarded_work_is_not_begun() -> None:
    """Discarded work is not begun, and a client without other work loses its turn."""
    queue = queue_of(("a", 1), ("a", 2), ("b", 3))
    assert queue.discard("a", 1)
    assert queue.take() == ("a", 2)
    assert queue.discard("b", 3)
    assert not queue.discard("b", 3)
    assert queue.take() is None
    assert len(queue) == 0


@given(st.lists(st.tuples(st.sampled_from(["put", "take", "done", "discard"]), st.sampled_from("abc"))))
def test_no_work_is_lost_and_no_client_has_two_in_progress(moves: list[tuple[str, str]]) -> None:
    """For any order of moves, no work is lost and no client has two pieces in progress."""
    queue: FairQueue[int] = FairQueue()
    waiting: dict[str, list[int]] = {client: [] for client in "abc"}
    working: set[str] = set()
    for number, (move, client) in enumerate(moves):
        if move == "put":
            queue.put(client, number)
            waiting[client].append(number)
        elif move == "take":
            taken = queue.take()
            free = [one for one in "abc" if waiting[one] and one not in working]
            assert (taken is None) == (not free)
            if taken is not None:
                assert taken[0] in free
                assert taken[1] == waiting[taken[0]].pop(0)
                working.add(taken[0])
        elif move == "done" and client in working:
            working.discard(client)
            queue.done(client)
        elif move == "discard" and waiting[client]:
            assert queue.discard(client, waiting[client].pop())
        assert len(queue) == sum(map(len, waiting.values()))
