"""Tests of the order in which waiting clients get scarce places, such as slots for work in parallel."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.core.fair_turns import FairTurns

CLIENTS = "abcd"


def turns(places: int, asked: str, kept_free: int = 0) -> FairTurns[int]:
    """Return a ``FairTurns`` after each client in *asked* has asked for a place.

    A waiter is identified by the position of its letter in *asked*.
    """
    made: FairTurns[int] = FairTurns(places, kept_free=kept_free)
    for at, client in enumerate(asked):
        made.ask(client, at)
    return made


@pytest.mark.parametrize(
    ("places", "asked", "given_back", "served"),
    [
        (2, "aaa", "aa", [2, None]),  # in the order of arrival, within one client
        (2, "aaab", "a", [3]),  # a client without a place is served first
        (2, "aaaab", "aaa", [4, 2, 3]),
        (3, "aabaab", "a", [5]),  # both hold one, and b has done so for longer
        (3, "aabbaa", "a", [3]),
        (4, "aaaabbcc", "aaa", [4, 6, 5]),  # the clients take turns
        (1, "abcabc", "abc", [1, 2, 3]),
        (2, "ab", "ab", [None, None]),
    ],
)
def test_the_client_with_the_fewest_places_is_served(
    places: int, asked: str, given_back: str, served: list[int | None]
) -> None:
    """A returned place goes to the waiting client with the fewest places.

    Among clients with equally few places, the place goes to the client that has held that number longest.
    """
    made = turns(places, asked)

    assert [made.release(client) for client in given_back] == served


def test_last_places_are_for_clients_without_a_place() -> None:
    """The last places are kept for clients without a place, so that one client cannot have all."""
    made = turns(4, "", kept_free=2)

    assert [made.ask(client, at) for at, client in enumerate("aaabbcc")] == [
        True,
        True,
        False,
        True,
        False,
        True,
        False,
    ]
    assert made.release("a") is None  # three are taken, and the free one is kept for another client
    assert made.release("a") == 2
    assert made.held_by("a") == 1


def test_withdrawn_waiter_is_not_served() -> None:
    """A waiter can be withdrawn once, and not after it was served."""
    made = turns(1, "aaab")

    assert made.withdraw("a", 1)
    assert not made.withdraw("a", 1)
    assert made.release("a") == 3
    assert not made.withdraw("b", 3)
    assert made.waiting == 1


@pytest.mark.parametrize(
    ("asked", "asking", "dropped"), [("xaab", "b", 2), ("xabab", "b", 4), ("xab", "a", 1), ("xabb", "a", 3)]
)
def test_the_newest_of_the_longest_queue_is_dropped(asked: str, asking: str, dropped: int) -> None:
    """The newest waiter of the longest queue is dropped.

    Among equal queues, the asking client's queue is shortened.
    """
    assert turns(1, asked).drop_newest(asking) == dropped


@given(
    st.lists(st.tuples(st.sampled_from(["ask", "back", "withdraw", "drop"]), st.sampled_from(CLIENTS))),
    st.integers(1, 6),
    st.integers(0, 5),
)
def test_places_are_counted_and_given_fairly(
    steps: list[tuple[str, str]], places: int, kept_free: int
) -> None:
    """For any steps, places are counted right, and no client waits for a place that it may have."""
    made: FairTurns[int] = FairTurns(places, kept_free=min(kept_free, places - 1))
    held: Counter[str] = Counter()
    queues: dict[str, list[int]] = {client: [] for client in CLIENTS}
    for at, (step, client) in enumerate(steps):
        queue = queues[client]
        if step == "ask":
            if made.ask(client, at):
                held[client] += 1
            else:
                queue.append(at)
        elif step == "back" and held[client]:
            held[client] -= 1
            if (served := made.release(client)) is not None:
                of = next(one for one, waiting in queues.items() if served in waiting)
                assert queues[of].pop(0) == served
                assert held[of] == min(held[one] for one, waiting in queues.items() if waiting or one == of)
                held[of] += 1
        elif step == "withdraw" and queue:
            assert made.withdraw(client, queue.pop(len(queue) // 2))
        elif step == "drop" and any(queues.values()):
            longest = max(queues.values(), key=len)
            dropped = made.drop_newest(client)
            of = next(one for one, waiting in queues.items() if dropped in waiting)
            assert len(queues[of]) == len(longest)
            assert queues[of].pop() == dropped

        free = places - held.total()
        assert free >= 0
        assert made.waiting == sum(map(len, queues.values()))
        assert {one: made.held_by(one) for one in CLIENTS} == {one: held[one] for one in CLIENTS}
        waiting = [held[one] for one, queue in queues.items() if queue]
        if waiting:
            assert free == 0 or (min(waiting) > 0 and free <= kept_free)
