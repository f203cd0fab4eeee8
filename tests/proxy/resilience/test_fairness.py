"""Tests fairness: a client with many requests leaves room for others, and may use all room when it is alone.

A place is one unit of the room that all clients share.
"""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from proxy.resilience import fairness as module
from proxy.resilience.fairness import Admission
from tests.support.held_places import HeldPlaces, acquire


def take(admission: Admission, client: str, now: float = 0.0) -> list[HeldPlaces]:
    """Take all places that *client* gets."""
    slots = []
    while (slot := acquire(admission, client, now)) is not None:
        slots.append(slot)
    return slots


@pytest.mark.parametrize("room", [1, 2, 3, 10, 512])
def test_a_single_client_gets_all_places(room: int) -> None:
    """A single client gets all places, and not one more."""
    admission = Admission(room)
    assert len(take(admission, "greedy")) == room == admission.in_flight
    assert acquire(admission, "other", 0.0) is None


def test_the_first_half_is_not_shared() -> None:
    """The first half of the places is not divided: one client gets 41 of 100, though its share is 10."""
    admission = Admission(100)
    assert None not in [acquire(admission, str(number), 0.0) for number in range(9)]
    assert len(take(admission, "greedy")) == 41
    assert acquire(admission, "0", 0.0) is not None


@pytest.mark.parametrize("room", [2, 3, 10, 512])
def test_a_newcomer_gets_the_next_place(room: int) -> None:
    """A newcomer gets the next free place.

    A client that asks first gets none while it holds its share of the places.
    """
    admission = Admission(room)
    slots = take(admission, "greedy")
    assert acquire(admission, "new", 0.0) is None
    slots.pop().release()
    assert take(admission, "greedy", 1.0) == []
    assert acquire(admission, "new", 1.0) is not None
    while len(slots) > (room + 1) // 2:
        slots.pop().release()
        assert take(admission, "greedy", 1.0) == []
    assert len(take(admission, "new", 1.0)) + 1 == room // 2


def test_a_refused_client_that_stays_away_is_forgotten() -> None:
    """A refused client that stays away for five seconds is forgotten, and its share goes to the others."""
    admission = Admission(10)
    slots = take(admission, "greedy")
    assert acquire(admission, "new", 0.0) is None
    slots.pop().release()
    assert acquire(admission, "greedy", 4.9) is None
    assert acquire(admission, "greedy", 5.0) is not None


def test_shares_leave_nothing_over() -> None:
    """Shares leave no place unused: three clients that ask for all of ten places take them all."""
    admission = Admission(10)
    assert None not in [acquire(admission, name, 0.0) for name in "abc"]
    assert [1 + len(take(admission, name)) for name in "abc"] == [4, 4, 2]


def test_more_clients_than_places_get_one_each() -> None:
    """With more clients than places, each client gets one place until none is left."""
    admission = Admission(4)
    assert [acquire(admission, str(number), 0.0) is not None for number in range(6)] == [True] * 4 + [
        False
    ] * 2


def test_with_one_waiting_shares_are_rounded_down() -> None:
    """With a waiting client, shares are rounded down.

    Two clients hold all of five places, and a waiting third client gets the next returned place.
    """
    admission = Admission(5)
    acquire(admission, "a", 0.0)
    slots = [acquire(admission, "b", 0.0), acquire(admission, "b", 0.0)]
    assert len(take(admission, "a")) == 2
    assert acquire(admission, "c", 0.0) is None
    assert slots[0] is not None
    slots[0].release()
    assert (take(admission, "a"), take(admission, "b")) == ([], [])
    assert acquire(admission, "c", 0.0) is not None


def test_a_share_is_at_least_one_place() -> None:
    """A share is at least one place, even if more clients wait than there are places."""
    admission = Admission(2)
    slots = [acquire(admission, "a", 0.0), acquire(admission, "b", 0.0)]
    assert [acquire(admission, str(number), 0.0) for number in range(5)] == [None] * 5
    assert slots[0] is not None
    slots[0].release()
    assert acquire(admission, "4", 0.0) is not None


def test_waiting_is_from_the_last_refusal() -> None:
    """A client's wait is counted from its last refusal.

    A client that asks again is remembered longer than one that does not.
    """
    admission = Admission(1)
    held = acquire(admission, "greedy", 0.0)
    for client, now in (("x", 0.0), ("y", 1.0), ("x", 4.0), ("greedy", 6.0)):
        assert acquire(admission, client, now) is None
    assert list(admission._waiting) == ["x"]
    assert held is not None


def test_waiting_clients_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """The number of waiting clients is bounded, since a client can use many addresses at no cost."""
    monkeypatch.setattr(module, "MAX_WAITING", 3)
    admission = Admission(1)
    held = acquire(admission, "greedy", 0.0)
    for number in range(50):
        assert acquire(admission, str(number), 0.0) is None
    assert list(admission._waiting) == ["47", "48", "49"]
    assert held is not None


@given(room=st.integers(2, 40), modest=st.lists(st.sampled_from("abc"), max_size=60), data=st.data())
def test_a_client_with_many_requests_does_not_starve_others(
    room: int, modest: list[str], data: st.DataObject
) -> None:
    """A client that fills the process does not starve others: each gets a place by its second request."""
    admission = Admission(room)
    slots = take(admission, "greedy")
    for now, client in enumerate(modest):
        slot = acquire(admission, client, now)
        if slot is None:
            slots.pop(data.draw(st.integers(0, len(slots) - 1))).release()
            slots += take(admission, "greedy", now)
            slot = acquire(admission, client, now)
        assert slot is not None
        slot.release()
        slots += take(admission, "greedy", now)


class Admissions(RuleBasedStateMachine):
    """Clients that come, go and are refused."""

    def __init__(self) -> None:
        super().__init__()
        self.room = 7
        self.admission = Admission(self.room)
        self.now = 0.0
        self.slots: list[tuple[str, HeldPlaces]] = []
        self.refused: dict[str, float] = {}

    def held(self, client: str) -> int:
        """Count a client's places."""
        return sum(holder == client for holder, _ in self.slots)

    @rule(seconds=st.sampled_from([0.5, 6.0]))
    def wait(self, seconds: float) -> None:
        """Let time pass."""
        self.now += seconds

    @rule(client=st.sampled_from("abcd"))
    def ask(self, client: str) -> None:
        """Ask for a place, and compare the answer with the rule of fairness."""
        waiting = {one for one, moment in self.refused.items() if self.now < moment + 5.0}
        active = len({holder for holder, _ in self.slots} | waiting | {client})
        share = max(1, self.room // active if waiting else -(-self.room // active))
        taken = len(self.slots)
        welcome = taken < self.room and ((taken + 1) * 2 <= self.room or self.held(client) < share)
        slot = acquire(self.admission, client, self.now)
        assert (slot is not None) is welcome
        if slot is not None:
            self.refused.pop(client, None)
            self.slots.append((client, slot))
        elif not self.held(client):
            self.refused[client] = self.now

    @precondition(lambda self: self.slots)
    @rule(data=st.data())
    def give_back(self, data: st.DataObject) -> None:
        """Release one of the held slots."""
        _, slot = self.slots.pop(data.draw(st.integers(0, len(self.slots) - 1)))
        slot.release()

    @invariant()
    def counted(self) -> None:
        """Clients hold at most as many places as there are, and every place is counted."""
        assert self.admission.in_flight == len(self.slots) <= self.room
        assert [self.admission.held_by(client) for client in "abcd"] == [
            self.held(client) for client in "abcd"
        ]


TestAdmissions = Admissions.TestCase
TestAdmissions.settings = settings(max_examples=settings().max_examples // 5)  # each example runs fifty steps


def test_a_request_may_take_several_places() -> None:
    """A request may take several places, which are returned together."""
    admission = Admission(100)
    slot = acquire(admission, "one", 0.0, 60)
    assert slot is not None
    assert acquire(admission, "one", 0.0, 41) is None
    assert admission.in_flight == slot.amount == 60
    slot.release()
    assert (admission.in_flight, admission.held_by("one")) == (0, 0)


def test_a_place_of_nothing_is_given_back_like_any() -> None:
    """A slot of zero places is released like any other. Two such slots of one client do not interfere."""
    admission = Admission(10)
    slots = [acquire(admission, "one", 0.0, 0) for _ in range(2)]
    for slot in slots:
        assert slot is not None
        slot.release()
    assert admission.in_flight == 0


def test_a_request_grows_while_there_is_room() -> None:
    """A request may grow while there is room. Without more room, the request keeps the places that it has."""
    admission = Admission(100)
    slot = acquire(admission, "one", 0.0, 10)
    assert slot is not None
    assert slot.grow(100, 0.0)
    assert not slot.grow(101, 0.0)
    assert admission.in_flight == slot.amount == 100


def test_the_only_request_of_a_client_may_be_larger_than_its_share() -> None:
    """The only request of a client may exceed its share.

    A second request may not, and the other clients keep their places.
    """
    admission = Admission(100)
    slots = [acquire(admission, name, 0.0, 10) for name in ("one", "two", "three")]
    first = slots[0]
    assert first is not None
    assert first.grow(60, 0.0)
    assert acquire(admission, "one", 0.0, 10) is None
    assert acquire(admission, "two", 0.0, 10) is not None
    assert acquire(admission, "four", 0.0, 11) is None
    assert acquire(admission, "four", 0.0, 10) is not None


def test_a_client_without_room_for_its_only_request_comes_first() -> None:
    """A client without room for its only request comes first: places that another client returns are kept for it."""
    admission = Admission(100)
    large = [acquire(admission, "greedy", 0.0, 30) for _ in range(3)]
    small = acquire(admission, "other", 0.0, 10)
    assert small is not None
    assert not small.grow(20, 0.0)
    small.release()
    assert large[0] is not None
    large[0].release()
    assert acquire(admission, "greedy", 1.0, 30) is None
    assert acquire(admission, "other", 1.0, 20) is not None


def test_a_kept_part_is_for_clients_that_hold_nothing() -> None:
    """A kept part is for clients that hold nothing.

    A client with many requests gets the other three quarters, and a new client gets the kept quarter.
    """
    admission = Admission(100, kept=0.25)
    held = [acquire(admission, "greedy", 0.0, 15) for _ in range(7)]
    assert sum(one is not None for one in held) == 5
    assert acquire(admission, "new", 0.0, 25) is not None


def test_the_only_request_of_a_client_may_have_the_kept_part() -> None:
    """The only request of a client may use the kept part, or a request of the largest size would never fit."""
    assert acquire(Admission(100, kept=0.25), "one", 0.0, 100) is not None
