"""Tests of the errors of client keys: their words, waits and outcomes."""

from __future__ import annotations

from math import inf

import pytest

from proxy.core.key_errors import (
    BudgetExceeded,
    LimitKind,
    LimitsUnavailable,
    ModelNotAllowed,
    RateLimited,
    RequestNeverFits,
    RequestTooDear,
)


@pytest.mark.parametrize(
    ("wait_s", "seconds", "milliseconds"),
    [
        (0.0, "1", "1"),
        (0.0001, "1", "1"),
        (0.25, "1", "250"),
        (1.0, "1", "1000"),
        (1.0001, "2", "1001"),
        (59.9, "60", "59900"),
        (inf, "86400", "86400000"),
    ],
)
def test_waits_for_a_limit_are_rounded_up(wait_s: float, seconds: str, milliseconds: str) -> None:
    """A client that waits as long as it is told is never too early, by either header."""
    headers = RateLimited("requests", wait_s).headers

    assert headers == {"retry-after": seconds, "retry-after-ms": milliseconds}


@pytest.mark.parametrize(
    ("kind", "type_", "words"),
    [
        ("requests", "requests", "requests per minute of this key"),
        ("tokens", "tokens", "tokens per minute of this key"),
        ("parallel", "requests", "requests at one time of this key"),
    ],
)
def test_limits_of_rate_have_the_types_of_openai(kind: LimitKind, type_: str, words: str) -> None:
    """OpenAI has a type for requests and one for tokens. Requests at one time are requests."""
    error = RateLimited(kind, 1.2504)

    assert (error.http_status, error.type, error.code) == (429, type_, "rate_limit_exceeded")
    assert error.message == f"The limit of {words} is reached. Please try again in 1.251s."
    assert RateLimited("requests", 1).type == "requests"


def test_errors_of_a_team_name_the_team_as_the_keys() -> None:
    """The client learns whose limit it is, and never the name of the team."""
    assert "of the team of this key is reached" in RateLimited("tokens", 1, holder="team").message
    assert "budget of the team of this key" in BudgetExceeded(1, holder="team").message
    assert "the team of this key may use 10 at once" in RequestNeverFits(11, 10, holder="team").message
    assert (
        "the team of this key may spend $0.01 in all" in RequestTooDear(10**8, 10**7, holder="team").message
    )


@pytest.mark.parametrize(
    ("wait_s", "headers"),
    [
        (None, {"x-should-retry": "false"}),
        (inf, {"x-should-retry": "false"}),
        (86_399.2, {"x-should-retry": "false", "retry-after": "86400"}),
        (0.0, {"x-should-retry": "false", "retry-after": "1"}),
    ],
)
def test_used_up_budget_says_when_the_period_ends_and_that_no_retry_helps(
    wait_s: float | None, headers: dict[str, str]
) -> None:
    """The error has OpenAI's code for a used up budget. A budget without a period has no end."""
    error = BudgetExceeded(wait_s)

    assert (error.http_status, error.type, error.code) == (429, "insufficient_quota", "insufficient_quota")
    assert error.headers == headers


def test_name_of_a_model_that_is_not_allowed_is_cut() -> None:
    """A client cannot make an answer long by a long name."""
    assert len(ModelNotAllowed("x" * 10_000).message) < 300


def test_limits_without_a_store_are_retried_soon() -> None:
    """Only the store's failure ends as a 503."""
    error = LimitsUnavailable()

    assert (error.http_status, error.retryable, error.headers) == (503, True, {"retry-after": "1"})


def test_refusals_of_a_key_have_outcomes_of_their_own() -> None:
    """Alerts about providers do not count a client that is over its own limit."""
    assert RateLimited("requests", 1).outcome == "key_over_limit"
    assert BudgetExceeded(1).outcome == "key_over_budget"
    assert LimitsUnavailable().outcome == LimitsUnavailable.code
