"""Tests of when a circuit opens, how long it stays open, and when it closes."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, invariant, rule

from proxy.resilience.circuit import Circuit, State, Ticket

COOLDOWN_S = 5.0


def count_failure(circuit: Circuit, now: float) -> None:
    """Let a call fail."""
    circuit.count_failure(circuit.enter(now), now)


def succeed(circuit: Circuit, now: float) -> None:
    """Let a call succeed."""
    circuit.succeed(circuit.enter(now), now)


def opened(now: float = 0.0, cooldown_s: float = COOLDOWN_S) -> Circuit:
    """Return a circuit that three failures have opened."""
    circuit = Circuit(cooldown_s)
    for _ in range(3):
        count_failure(circuit, now)
    return circuit


@pytest.mark.parametrize(
    ("outcomes", "opens"),
    [
        ("xx", False),
        ("xxx", True),
        ("xx.xx", True),  # four of five
        ("xx.x", False),  # three of four are no record
        ("x.x.x", True),  # three of five
        (".x.x.x", False),  # half is not more than half
        (".x.x.xx", True),
        ("......xx.", False),
        ("......xxx", True),
    ],
)
def test_three_failures_in_a_row_or_most_of_five_open_a_circuit(outcomes: str, opens: bool) -> None:
    """Three failures in a row open a circuit, or more than half of at least five calls.

    `x` is a failed call and `.` a success, one second apart.
    """
    circuit = Circuit(COOLDOWN_S)
    for second, outcome in enumerate(outcomes):
        assert circuit.allows(second)
        (count_failure if outcome == "x" else succeed)(circuit, second)
    assert (circuit.state(len(outcomes)) is State.OPEN) is opens


def test_old_calls_do_not_count() -> None:
    """The counts cover 30 seconds."""
    circuit = Circuit(COOLDOWN_S)
    count_failure(circuit, 0)
    succeed(circuit, 0)
    count_failure(circuit, 0)
    succeed(circuit, 40)
    count_failure(circuit, 40)
    assert circuit.state(40) is State.CLOSED


def test_cooldown_doubles_up_to_a_minute_until_an_answer() -> None:
    """The cooldowns are 5, 10, 20, 40, 60 and 60 seconds, and 5 again after an answer."""
    circuit = opened(0.0)
    now, waits = 0.0, []
    for _ in range(6):
        waits.append(circuit.due - now)
        now = circuit.due
        assert circuit.state(now) is State.HALF_OPEN
        count_failure(circuit, now)
    assert waits == [5, 10, 20, 40, 60, 60]
    now = circuit.due
    succeed(circuit, now)
    assert circuit.state(now) is State.CLOSED
    for _ in range(3):
        count_failure(circuit, now)
    assert circuit.due - now == COOLDOWN_S


def test_begun_answer_that_fails_does_not_reset_the_doubling() -> None:
    """The beginning of an answer closes the circuit, but only a complete answer resets the doubling."""
    circuit = opened(0.0)
    now = circuit.due
    probe = circuit.enter(now)
    circuit.note_answer_started(probe)
    assert circuit.state(now) is State.CLOSED
    circuit.count_failure(probe, now)
    count_failure(circuit, now)
    assert circuit.state(now) is State.CLOSED
    count_failure(circuit, now)
    assert circuit.due - now == 2 * COOLDOWN_S


def test_a_cooldown_above_a_minute_is_kept() -> None:
    """A configured cooldown above a minute is neither doubled nor shortened."""
    circuit = opened(0.0, cooldown_s=300.0)
    assert circuit.due == 300.0
    count_failure(circuit, 300.0)
    assert circuit.due == 600.0


@pytest.mark.parametrize(
    ("verdict", "asked_s", "lasts_s"),
    [
        ("cool_down", None, COOLDOWN_S),
        ("cool_down", 0.0, 0.0),
        ("cool_down", 2.5, 2.5),
        ("cool_down", 90.0, 90.0),
        ("cool_down", 1e9, 3600.0),
        ("cool_down", math.inf, 3600.0),
        ("cool_down", math.nan, 0.0),
        ("cool_down", -3.0, 0.0),
        ("cool_down_long", None, 60.0),
        ("cool_down_long", 45.0, 60.0),
        ("cool_down_long", 600.0, 600.0),
        ("cool_down_long", 1e9, 3600.0),
    ],
)
def test_provider_s_delay_opens_the_circuit_within_bounds(
    verdict: str, asked_s: float | None, lasts_s: float
) -> None:
    """The circuit is open for the provider's delay, within bounds, and then takes a probe."""
    circuit = Circuit(COOLDOWN_S)
    ticket = circuit.enter(100.0)
    (circuit.cool_down if verdict == "cool_down" else circuit.cool_down_long)(ticket, asked_s, 100.0)
    assert circuit.due == 100.0 + lasts_s
    assert circuit.state(100.0 + lasts_s) is State.HALF_OPEN
    assert circuit.allows(100.0 + lasts_s)
    if lasts_s:
        assert circuit.state(99.99 + lasts_s) is State.OPEN
        assert not circuit.allows(99.99 + lasts_s)


def test_shorter_delay_does_not_shorten_an_open_circuit() -> None:
    """Of two delays, the one that ends later counts."""
    circuit = Circuit(COOLDOWN_S)
    first, second = circuit.enter(0.0), circuit.enter(0.0)
    circuit.cool_down_long(first, 600.0, 0.0)
    circuit.cool_down(second, 1.0, 0.0)
    assert circuit.due == 600.0


def test_half_open_circuit_takes_one_probe_at_a_time() -> None:
    """A second call is not a probe. A probe that ends without a result lets the next probe in."""
    circuit = opened(0.0)
    probe = circuit.enter(10.0)
    assert circuit.is_probe(probe)
    assert not circuit.allows(10.0)
    other = circuit.enter(10.0)
    assert not circuit.is_probe(other)
    circuit.leave(other)
    assert not circuit.allows(10.0)
    circuit.leave(probe)
    assert circuit.allows(10.0)
    assert circuit.state(10.0) is State.HALF_OPEN


def test_a_probe_that_answers_lets_the_next_probe_in() -> None:
    """A long answer does not block the probe of the next outage."""
    circuit = opened(0.0)
    probe = circuit.enter(10.0)
    circuit.note_answer_started(probe)
    for _ in range(3):
        count_failure(circuit, 11.0)
    assert circuit.state(100.0) is State.HALF_OPEN
    assert circuit.allows(100.0)


def test_calls_that_fail_together_open_the_circuit_once() -> None:
    """Twenty calls that fail in one outage open the circuit once, for five seconds."""
    circuit = Circuit(COOLDOWN_S)
    tickets = [circuit.enter(0.0) for _ in range(20)]
    for ticket in tickets[:10]:
        circuit.count_failure(ticket, 1.0)
    assert circuit.due == 6.0
    for ticket in tickets[10:]:
        circuit.count_failure(ticket, 7.0)
    assert circuit.state(7.0) is State.HALF_OPEN


def test_answer_to_an_earlier_call_does_not_close_the_circuit() -> None:
    """A call that began before a rate limit may succeed, and its answer proves nothing."""
    circuit = Circuit(COOLDOWN_S)
    before, refused = circuit.enter(0.0), circuit.enter(0.0)
    circuit.cool_down(refused, 30.0, 1.0)
    circuit.succeed(before, 2.0)
    assert circuit.state(2.0) is State.OPEN


def test_a_call_made_while_open_may_close_it_and_does_not_prolong_it() -> None:
    """A pool whose circuits are all open is still called. The failures of these calls are expected."""
    circuit = opened(0.0)
    for _ in range(10):
        count_failure(circuit, 1.0)
    assert circuit.due == COOLDOWN_S
    succeed(circuit, 2.0)
    assert circuit.state(2.0) is State.CLOSED
    count_failure(circuit, 2.0)
    assert circuit.state(2.0) is State.CLOSED  # with a clean record


@given(st.lists(st.sampled_from(["count_failure", "cool_down", "cool_down_long"]), min_size=1, max_size=20))
def test_a_cooldown_of_0_never_opens(verdicts: list[str]) -> None:
    """A cooldown of 0 switches the circuit off."""
    circuit = Circuit(0.0)
    for now, verdict in enumerate(verdicts):
        ticket = circuit.enter(now)
        if verdict == "count_failure":
            circuit.count_failure(ticket, now)
        else:
            (circuit.cool_down if verdict == "cool_down" else circuit.cool_down_long)(ticket, 100.0, now)
        assert circuit.state(now) is State.CLOSED
        assert circuit.allows(now)


class Circuits(RuleBasedStateMachine):
    """Calls that begin, end in any way and in any order, or never report a result."""

    tickets = Bundle[Ticket]("tickets")

    def __init__(self) -> None:
        super().__init__()
        self.circuit = Circuit(COOLDOWN_S)
        self.now = 0.0
        self.under_way: list[Ticket] = []

    @rule(seconds=st.sampled_from([0.0, 0.5, 5.0, 20.0, 100.0, 4000.0]))
    def wait(self, seconds: float) -> None:
        """Let time pass."""
        self.now += seconds

    @rule(target=tickets)
    def enter(self) -> Ticket:
        """Begin a call."""
        welcome, state = self.circuit.allows(self.now), self.circuit.state(self.now)
        ticket = self.circuit.enter(self.now)
        assert self.circuit.is_probe(ticket) is (welcome and state is State.HALF_OPEN)
        self.under_way.append(ticket)
        return ticket

    @rule(
        ticket=consumes(tickets),
        verdict=st.sampled_from(["count_failure", "cool_down", "cool_down_long", "succeed", "nothing"]),
    )
    def end(self, ticket: Ticket, verdict: str) -> None:
        """End a call, with or without a verdict."""
        if verdict == "count_failure":
            self.circuit.count_failure(ticket, self.now)
        elif verdict == "cool_down":
            self.circuit.cool_down(ticket, 30.0, self.now)
        elif verdict == "cool_down_long":
            self.circuit.cool_down_long(ticket, None, self.now)
        elif verdict == "succeed":
            self.circuit.succeed(ticket, self.now)
        self.circuit.leave(ticket)
        self.circuit.leave(ticket)
        self.under_way.remove(ticket)
        assert not self.circuit.is_probe(ticket)

    @rule(ticket=tickets)
    def answer(self, ticket: Ticket) -> None:
        """Begin an answer. The call is still in flight."""
        self.circuit.note_answer_started(ticket)

    @invariant()
    def at_most_one_probe(self) -> None:
        """Check that at most one call in flight is a probe."""
        assert sum(map(self.circuit.is_probe, self.under_way)) <= 1

    @invariant()
    def never_stuck(self) -> None:
        """Check that the circuit is due within 60 seconds, and then takes a call if none is in flight."""
        assert self.circuit.due <= self.now + 60.0
        if not self.under_way:
            assert self.circuit.allows(max(self.now, self.circuit.due))

    @invariant()
    def closed_ones_take_everything(self) -> None:
        """Check that a closed circuit takes every call after any number of probes."""
        if self.circuit.state(self.now) is State.CLOSED:
            assert self.circuit.allows(self.now)


TestCircuits = Circuits.TestCase
TestCircuits.settings = settings(max_examples=settings().max_examples // 5)  # each is fifty steps
