"""Tests the action after a failed attempt, and its delay."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.resilience.decide_action import LONGEST_WAIT_S, Action, Situation, Step, back_off, decide_action
from proxy.resilience.failure_table import ANY, TABLE, Fallback, Kind, Row


@given(tries=st.integers(1, 2_000), random=st.floats(0, 1, exclude_max=True))
def test_delay_is_random_below_a_doubling_bound(tries: int, random: float) -> None:
    """The delay is random below a bound that doubles up to eight seconds."""
    bound = min(8.0, 0.5 * 2 ** min(tries - 1, 10))
    assert back_off(tries, None, random) == pytest.approx(bound * random)


@given(asked=st.floats(0, 1_000), random=st.floats(0, 1, exclude_max=True))
def test_the_provider_s_delay_is_the_shortest(asked: float, random: float) -> None:
    """The provider's delay is a lower bound. Jitter spreads the retries over the time after this bound."""
    assert asked <= back_off(3, asked, random) <= asked * 1.2 + 1e-9


ROWS = {row.kind: row for row in reversed(TABLE)}
FIRST = Situation(
    tries=1,
    tries_of_kind=1,
    num_retries=2,
    left_s=60.0,
    another_ready=False,
    budget_left=True,
    can_repair=False,
    can_fall_back=False,
)
RETRY, FALL_BACK, GIVE_UP, REPAIR = Step.RETRY, Step.FALL_BACK, Step.GIVE_UP, Step.REPAIR


@pytest.mark.parametrize(
    ("kind", "asked", "change", "step"),
    [
        (Kind.SERVER_ERROR, None, {}, RETRY),
        (Kind.SERVER_ERROR, None, {"tries": 2}, RETRY),
        (Kind.SERVER_ERROR, None, {"tries": 3}, GIVE_UP),
        (Kind.SERVER_ERROR, None, {"tries": 3, "can_fall_back": True}, FALL_BACK),
        (Kind.SERVER_ERROR, None, {"num_retries": 0}, GIVE_UP),
        (Kind.SERVER_ERROR, None, {"budget_left": False}, GIVE_UP),
        (Kind.SERVER_ERROR, None, {"num_retries": 0, "higher_order_ready": True}, RETRY),
        (Kind.SERVER_ERROR, None, {"budget_left": False, "higher_order_ready": True}, RETRY),
        (Kind.SERVER_ERROR, None, {"num_retries": 0, "higher_order_ready": True, "left_s": 0.0}, GIVE_UP),
        (Kind.CONTENT_FILTER, None, {"higher_order_ready": True}, GIVE_UP),
        (Kind.SERVER_ERROR, None, {"budget_left": False, "can_fall_back": True}, FALL_BACK),
        (Kind.SERVER_ERROR, None, {"left_s": 0.0}, GIVE_UP),
        (Kind.RATE_LIMITED, 2.0, {}, RETRY),
        (Kind.RATE_LIMITED, 30.0, {}, RETRY),
        (Kind.RATE_LIMITED, 31.0, {}, GIVE_UP),
        (Kind.RATE_LIMITED, 31.0, {"can_fall_back": True}, FALL_BACK),
        (Kind.RATE_LIMITED, 31.0, {"another_ready": True}, RETRY),
        (Kind.RATE_LIMITED, 31.0, {"another_ready": True, "budget_left": False}, GIVE_UP),
        (Kind.KEY_REFUSED, None, {"another_ready": True, "budget_left": False}, RETRY),
        (Kind.RATE_LIMITED, 20.0, {"left_s": 10.0}, GIVE_UP),
        (Kind.QUOTA_EXHAUSTED, 45.0, {}, GIVE_UP),
        (Kind.QUOTA_EXHAUSTED, 45.0, {"can_fall_back": True}, FALL_BACK),
        (Kind.QUOTA_EXHAUSTED, 45.0, {"another_ready": True, "can_fall_back": True}, RETRY),
        (Kind.KEY_REFUSED, None, {"another_ready": True}, RETRY),
        (Kind.OVERLOADED, None, {}, RETRY),
        (Kind.OVERLOADED, None, {"tries": 2, "tries_of_kind": 2}, GIVE_UP),
        (Kind.OVERLOADED, None, {"tries": 2, "tries_of_kind": 1}, RETRY),
        (Kind.CONTEXT_OVERFLOW, None, {"another_ready": True}, GIVE_UP),
        (Kind.CONTEXT_OVERFLOW, None, {"can_fall_back": True}, FALL_BACK),
        (Kind.CONTENT_FILTER, None, {"another_ready": True}, GIVE_UP),
        (Kind.CONTENT_FILTER, None, {"another_ready": True, "can_fall_back": True}, FALL_BACK),
        (Kind.INVALID_REQUEST, None, {"another_ready": True}, GIVE_UP),
        (Kind.INVALID_REQUEST, None, {"can_repair": True, "num_retries": 0}, REPAIR),
        (Kind.INVALID_REQUEST, None, {"can_fall_back": True}, FALL_BACK),
        (Kind.DEADLINE, None, {"another_ready": True, "can_fall_back": True}, GIVE_UP),
        (Kind.INVALID_ARGUMENTS, None, {}, RETRY),
        (Kind.INVALID_ARGUMENTS, None, {"tries": 2, "tries_of_kind": 2, "can_fall_back": True}, GIVE_UP),
    ],
)
def test_the_action_of_a_row_in_a_situation(
    kind: Kind, asked: float | None, change: dict[str, object], step: Step
) -> None:
    """A failure's row and the request's situation decide the action."""
    assert decide_action(ROWS[kind], asked, replace(FIRST, **change), 0.5).step is step  # type: ignore[arg-type]


def test_another_deployment_is_asked_at_once() -> None:
    """Another ready deployment is called at once, since a wait helps only the failed one."""
    assert decide_action(ROWS[Kind.RATE_LIMITED], 20.0, replace(FIRST, another_ready=True), 0.9) == Action(
        RETRY
    )


@given(
    row=st.sampled_from(TABLE),
    asked=st.none() | st.floats(0, 10_000),
    situation=st.builds(
        Situation,
        tries=st.integers(1, 6),
        tries_of_kind=st.integers(1, 6),
        num_retries=st.integers(0, 4),
        left_s=st.floats(-1, 1_000),
        another_ready=st.booleans(),
        budget_left=st.booleans(),
        can_repair=st.booleans(),
        can_fall_back=st.booleans(),
    ),
    random=st.floats(0, 1, exclude_max=True),
)
def test_every_action_is_within_limits_and_deadline(
    row: Row, asked: float | None, situation: Situation, random: float
) -> None:
    """Every action stays within the deadline and the limits of retries.

    A wait is at least as long as the requested delay. A refused request is never repeated unchanged.
    """
    action = decide_action(row, asked, situation, random)

    if action.wait_s:
        assert action.step is RETRY
        assert action.wait_s <= situation.left_s
        assert action.wait_s <= LONGEST_WAIT_S * 1.2
        assert action.wait_s >= (asked or 0.0)
    if action.step is RETRY:
        assert situation.tries <= situation.num_retries
        assert not row.repair
        assert situation.budget_left or (situation.another_ready and row.fallback is Fallback.AT_ONCE)
        assert row.retries in (ANY, 0) or situation.tries_of_kind <= row.retries
        assert row.retries or situation.another_ready
    if action.step is FALL_BACK:
        assert situation.can_fall_back
        assert row.fallback is not Fallback.NEVER
    if action.step is REPAIR:
        assert row.repair
        assert situation.can_repair
