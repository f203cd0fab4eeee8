"""Tests of the rules by which one factor is proposed, taken over and used."""

from __future__ import annotations

import pytest

from proxy.state.lessons import DeploymentLessons, no_lessons
from proxy.state.sharing.lesson_values import MOST_GENERATION, Factor, write_factor
from proxy.state.sharing.shared_factor import Proposal, SharedFactor
from sanitizers.budget.calibration import Calibration
from tests.proxy.planning.budgets.shapes import deployment_of

STANDS = Factor(3, 1.2, own=True, observed=True)
MOVE = Proposal(1.4, own=True, observed=True)
RAISE = Proposal(1.4, own=True, observed=True, raised=True)


@pytest.fixture
def factor() -> SharedFactor:
    """Return a factor that stands in the store."""
    factor = SharedFactor()
    factor.see(write_factor(STANDS))
    return factor


def lessons(live: float, sticky: float, observations: int) -> DeploymentLessons:
    """Return lessons with a factor of their own."""
    found = no_lessons(deployment_of())
    found.calibration, found.has_factor = Calibration(live, sticky, observations), True
    return found


def test_a_proposal_names_the_next_generation(factor: SharedFactor) -> None:
    assert SharedFactor().value_of(MOVE) == write_factor(Factor(1, 1.4, own=True, observed=True))
    assert factor.value_of(MOVE) == write_factor(Factor(4, 1.4, own=True, observed=True))


def test_the_last_generation_is_followed_by_the_first(factor: SharedFactor) -> None:
    """A stored number that is as large as can be read must not end the sharing."""
    factor.see(write_factor(Factor(MOST_GENERATION, 1.2, own=True, observed=True)))
    assert factor.value_of(MOVE) == SharedFactor().value_of(MOVE)


def test_what_stands_already_is_not_proposed(factor: SharedFactor) -> None:
    assert factor.propose(MOVE)
    assert not factor.propose(Proposal(1.2, own=True, observed=True))
    assert factor.proposal is None
    assert factor.propose(Proposal(1.2, own=False, observed=True))


@pytest.mark.parametrize("sticky", [0.4, 3.1])
def test_an_implausible_factor_is_not_proposed(factor: SharedFactor, sticky: float) -> None:
    assert not factor.propose(Proposal(sticky, own=True, observed=True, raised=True))


@pytest.mark.parametrize("sticky", [1.2, 1.3])
def test_a_raise_that_waits_is_not_replaced_by_a_smaller_factor(factor: SharedFactor, sticky: float) -> None:
    """Two entries may name one deployment. The requests of one do not take away what the other's overflow taught."""
    factor.propose(RAISE)
    assert factor.propose(Proposal(sticky, own=True, observed=True))
    assert factor.proposal is RAISE
    factor.propose(Proposal(1.5, own=True, observed=True))
    assert factor.proposal is not RAISE


def test_a_winner_stands(factor: SharedFactor) -> None:
    factor.propose(MOVE)
    new = factor.value_of(MOVE)
    assert factor.settle(MOVE, new, new)
    assert (factor.proposal, factor.known) == (None, new)
    assert factor.standing == Factor(4, 1.4, own=True, observed=True)


def test_a_newer_proposal_waits_behind_the_winner(factor: SharedFactor) -> None:
    factor.propose(MOVE)
    new = factor.value_of(MOVE)
    newer = Proposal(1.7, own=True, observed=True)
    factor.propose(newer)
    factor.settle(MOVE, new, new)
    assert factor.proposal is newer


def test_a_loser_takes_what_stands(factor: SharedFactor) -> None:
    other = Factor(4, 1.3, own=True, observed=True)
    factor.propose(MOVE)
    assert not factor.settle(MOVE, factor.value_of(MOVE), write_factor(other))
    assert (factor.proposal, factor.standing) == (None, other)


@pytest.mark.parametrize(("stands", "waits"), [(1.3, True), (1.4, False), (1.5, False)])
def test_a_raise_loses_only_to_a_factor_as_large(factor: SharedFactor, stands: float, waits: bool) -> None:
    factor.propose(RAISE)
    factor.see(write_factor(Factor(4, stands, own=True, observed=True)))
    assert (factor.proposal is RAISE) == waits


def test_a_value_that_was_seen_before_ends_no_proposal(factor: SharedFactor) -> None:
    factor.propose(MOVE)
    factor.see(write_factor(STANDS))
    assert factor.proposal is MOVE


def test_a_write_is_due_ten_seconds_after_the_last(factor: SharedFactor) -> None:
    assert not factor.is_due(0.0)
    factor.propose(MOVE)
    assert factor.is_due(0.0)
    factor.note_written(0.0)
    assert not factor.is_due(9.9)
    assert factor.is_due(10.0)


def test_the_factor_that_stands_is_used(factor: SharedFactor) -> None:
    """A newest factor that is far away follows. Otherwise two processes would overrule each other forever."""
    near, far = lessons(1.25, 1.0, 4), lessons(1.7, 1.7, 4)
    for each in (near, far):
        factor.apply_to(each)
    assert near.calibration == Calibration(1.25, 1.2, 4)
    assert far.calibration == Calibration(1.2, 1.2, 4)
    assert near.has_own_factor


def test_a_new_process_begins_with_what_stands(factor: SharedFactor) -> None:
    new = no_lessons(deployment_of())
    factor.apply_to(new)
    assert new.calibration == Calibration(1.2, 1.2, 1)
    assert (new.has_factor, new.has_own_factor) == (True, True)


def test_a_factor_without_an_answer_keeps_the_large_margin(factor: SharedFactor) -> None:
    factor.see(write_factor(Factor(4, 1.3, own=False, observed=False)))
    new = no_lessons(deployment_of())
    factor.apply_to(new)
    assert new.calibration == Calibration(1.3, 1.3, 0)
    assert not new.has_own_factor


def test_a_proposal_that_waits_keeps_the_factor_as_it_is(factor: SharedFactor) -> None:
    held, small = lessons(1.4, 1.0, 4), lessons(1.0, 1.0, 4)
    factor.propose(MOVE)
    factor.apply_to(held)
    assert held.calibration == Calibration(1.4, 1.0, 4)
    factor.propose(RAISE)
    factor.apply_to(small)
    assert small.calibration == Calibration(1.0, 1.4, 4)


def test_a_value_of_another_version_ends_the_sharing(factor: SharedFactor) -> None:
    factor.propose(RAISE)
    factor.see(b'{"v":2}')
    assert factor.is_foreign
    assert factor.proposal is None
    assert not factor.propose(RAISE)
    factor.see(write_factor(STANDS))
    assert factor.propose(RAISE)
