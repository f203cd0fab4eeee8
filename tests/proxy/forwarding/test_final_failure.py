"""Tests of the failure that the client gets where several attempts failed."""

from __future__ import annotations

import pytest

from proxy.core.errors import AnswerUnusable
from proxy.core.failures import Cause
from proxy.forwarding.attempt_planner import Failure
from proxy.forwarding.final_failure import choose_final_failure
from proxy.planning.plan import Plan
from proxy.resilience.failure_table import Kind
from tests.proxy.forwarding.failing import failure_of

BUSY = failure_of(kind=Kind.RATE_LIMITED)
DOWN = failure_of()
BUSY_ELSEWHERE = failure_of(kind=Kind.RATE_LIMITED, of_asked_model=False)
WRONG = failure_of(kind=Kind.INVALID_REQUEST)
NOT_SENT = failure_of(kind=Kind.CONVERSION, counted=False, of_asked_model=False)
UNUSABLE = AnswerUnusable("x", cause=Cause.INVALID_ARGUMENTS, answer={"choices": []})
ANSWER = failure_of(UNUSABLE, Kind.INVALID_ARGUMENTS)
CUT = failure_of(may_repeat=False)


@pytest.mark.parametrize(
    ("failures", "told"),
    [
        pytest.param([BUSY, DOWN], DOWN, id="the last one"),
        pytest.param([WRONG, BUSY_ELSEWHERE], WRONG, id="the request's own fault, not the busy fallback"),
        pytest.param(
            [DOWN, BUSY_ELSEWHERE], BUSY_ELSEWHERE, id="a fallback's, where the request has no fault"
        ),
        pytest.param([BUSY, NOT_SENT], BUSY, id="not that a fallback cannot take the history"),
        pytest.param([NOT_SENT], NOT_SENT, id="that it cannot be sent, where nothing was"),
        pytest.param([ANSWER, DOWN], ANSWER, id="an answer that was not good enough"),
        pytest.param([ANSWER, CUT], CUT, id="what broke off an answer that had begun"),
    ],
)
def test_final_failure_is_the_most_informative_one(
    failures: list[Failure[Plan]], told: Failure[Plan]
) -> None:
    """An unusable answer comes first, then a permanent fault of the request, then the last call.

    A last failure that allows no repeat comes before all of these.
    """
    assert choose_final_failure(failures) is told
