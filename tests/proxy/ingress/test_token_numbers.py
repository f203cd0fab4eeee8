"""Tests of the numbers that a plan has counted."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from proxy.ingress.token_numbers import LOOSENESS, TokenNumbers, numbers_of
from proxy.observability.request_record import RequestRecord


def planned(sent: int, tokens: int | None, window: int | None, *, exact: bool = True) -> Any:
    """Return a plan with these numbers, and nothing else."""
    return SimpleNamespace(
        budget=SimpleNamespace(sent=sent, exact=exact, limit=SimpleNamespace(tokens=tokens, window=window))
    )


@pytest.mark.parametrize(
    ("plan", "expected"),
    [
        (None, TokenNumbers()),
        (SimpleNamespace(budget=None), TokenNumbers()),
        (planned(7, 90, 100), TokenNumbers(7, 90)),
        (planned(7, None, 100), TokenNumbers(7, 100)),
        (planned(7, None, None), TokenNumbers(7, 0)),
        (planned(LOOSENESS * 7, 90, 100, exact=False), TokenNumbers(7, 90)),
    ],
)
def test_numbers_are_those_of_the_last_plan(plan: Any, expected: TokenNumbers) -> None:
    facts = RequestRecord("req_1", "/v1/messages", 0.0)
    facts.plan = plan

    assert numbers_of(facts) == expected
