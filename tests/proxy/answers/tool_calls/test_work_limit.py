"""Tests of the limit of steps that one answer's checks share."""

from __future__ import annotations

import pytest

from proxy.answers.tool_calls.work_limit import WorkLimit, WorkLimitExceeded


def test_each_use_costs_one_step_more_than_its_number() -> None:
    """Each call of ``spend`` costs one step more than its argument, so that even ``spend(0)`` reaches the limit."""
    limit = WorkLimit(left=3)

    limit.spend(0)
    limit.spend(1)

    assert limit.left == 0
    with pytest.raises(WorkLimitExceeded):
        limit.spend(0)


def test_a_used_up_limit_stays_used_up() -> None:
    """After a call of ``spend`` that exceeds the limit, ``spend(0)`` is refused too."""
    limit = WorkLimit(left=5)

    with pytest.raises(WorkLimitExceeded):
        limit.spend(9)
    with pytest.raises(WorkLimitExceeded):
        limit.spend(0)
