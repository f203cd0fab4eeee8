"""Tests of errors in Google's envelope."""

from __future__ import annotations

import json
from typing import Any

import pytest

from proxy.core.errors import (
    AuthenticationFailed,
    ContextTooLong,
    Forbidden,
    InvalidRequest,
    MethodNotAllowed,
    ModelNotFound,
    Overloaded,
    ProxyError,
    RequestTooSlow,
    UnrepairableHistory,
    UpstreamFault,
    UpstreamTimeout,
)
from proxy.core.failures import Evidence
from proxy.core.key_errors import (
    BudgetExceeded,
    KeyExpired,
    LimitKind,
    LimitsUnavailable,
    ModelNotAllowed,
    RateLimited,
    RequestNeverFits,
)
from proxy.ingress.gemini_native.errors import overflow_message, status_of, write_error
from proxy.ingress.gemini_native.places import ContentPlaces
from proxy.ingress.token_numbers import TokenNumbers
from sanitizers.native import Span
from tests.support.gemini_grammar import find_error_faults

SPANS = [Span(range(1), range(1, 2)), Span(range(1, 2), range(2, 4)), Span(range(2, 3), range(4, 5))]
PLACES = ContentPlaces(SPANS)


def described(error: ProxyError, **arguments: Any) -> dict[str, Any]:
    """Return the error's part of the envelope, which must be complete."""
    body = json.loads(write_error(error, **arguments))
    assert find_error_faults(body, status_of(error)) == []
    found: dict[str, Any] = body["error"]
    return found


def details(error: ProxyError, **arguments: Any) -> dict[str, Any]:
    """Return the details of *error* by the names of their types."""
    return {one["@type"].rpartition(".")[2]: one for one in described(error, **arguments)["details"]}


def overflow(words: str, status: int = 400) -> UpstreamFault:
    """Return a provider's overflow, as it comes from the failure table."""
    fault = UpstreamFault(words, upstream_status=400, evidence=Evidence(status))
    fault.code = "context_length_exceeded"  # type: ignore[misc]  # the class has the usual one
    return fault


@pytest.mark.parametrize(
    ("error", "code", "status"),
    [
        (InvalidRequest("x"), 400, "INVALID_ARGUMENT"),
        (AuthenticationFailed("x"), 401, "UNAUTHENTICATED"),
        (Forbidden("x"), 403, "PERMISSION_DENIED"),
        (ModelNotFound("x"), 404, "NOT_FOUND"),
        (MethodNotAllowed("x"), 405, "UNIMPLEMENTED"),
        (RequestTooSlow("x"), 408, "DEADLINE_EXCEEDED"),
        (overflow("The body is too large.", 413), 413, "INVALID_ARGUMENT"),
        (overflow("prompt is too long: 9 tokens > 8 maximum", 413), 400, "INVALID_ARGUMENT"),
        (UpstreamFault("x", upstream_status=402), 400, "FAILED_PRECONDITION"),
        (UpstreamFault("x", upstream_status=409), 409, "ABORTED"),
        (UpstreamFault("x", upstream_status=418), 400, "INVALID_ARGUMENT"),
        (UpstreamFault("x", upstream_status=429), 429, "RESOURCE_EXHAUSTED"),
        (UpstreamFault("x", upstream_status=500), 500, "INTERNAL"),
        (UpstreamFault("x"), 502, "UNAVAILABLE"),
        (UpstreamFault("x", upstream_status=520), 502, "UNAVAILABLE"),
        (UpstreamFault("x", upstream_status=529), 503, "UNAVAILABLE"),
        (Overloaded("x"), 503, "UNAVAILABLE"),
        (RateLimited("requests", 1), 429, "RESOURCE_EXHAUSTED"),
        (BudgetExceeded(1), 429, "RESOURCE_EXHAUSTED"),
        (ModelNotAllowed("m"), 403, "PERMISSION_DENIED"),
        (RequestNeverFits(9, 8), 400, "INVALID_ARGUMENT"),
        (KeyExpired(), 401, "UNAUTHENTICATED"),
        (LimitsUnavailable(), 503, "UNAVAILABLE"),
        (UpstreamTimeout("x"), 504, "DEADLINE_EXCEEDED"),
    ],
)
def test_error_has_googles_code_and_status(error: ProxyError, code: int, status: str) -> None:
    found = described(error)

    assert (status_of(error), found["code"], found["status"]) == (code, code, status)


@pytest.mark.parametrize(
    ("error", "message", "field"),
    [
        (
            InvalidRequest("It is wrong.", param="messages[2].role"),
            "contents[1]: It is wrong.",
            "contents[1]",
        ),
        (
            InvalidRequest("'messages[4]' is wrong.", param="messages[4]"),
            "'contents[2]' is wrong.",
            "contents[2]",
        ),
        (InvalidRequest("No.", param="messages[0]"), "systemInstruction: No.", "systemInstruction"),
        (
            InvalidRequest("'contents[0].parts[1]' must be an object.", param="contents[0].parts[1]"),
            "'contents[0].parts[1]' must be an object.",
            "contents[0].parts[1]",
        ),
        (InvalidRequest("No.", param="top_p"), "generationConfig.topP: No.", "generationConfig.topP"),
        (InvalidRequest("No."), "No.", None),
        (UpstreamFault("messages[2] is the provider's word"), "messages[2] is the provider's word", None),
    ],
)
def test_fault_of_a_field_has_the_clients_path(error: ProxyError, message: str, field: str | None) -> None:
    found = described(error, places=PLACES)
    violations = details(error, places=PLACES).get("BadRequest", {}).get("fieldViolations", [])

    assert found["message"] == message
    assert violations == ([] if field is None else [{"field": field, "description": message}])


@pytest.mark.parametrize("status", [429, 503])
def test_delay_is_told_in_the_details(status: int) -> None:
    """gemini-cli reads the delay there. A rate limit has it in its words too, as Google's has."""
    error = UpstreamFault("It is busy.", upstream_status=status)
    error.headers["Retry-After"] = "3"

    assert details(error)["RetryInfo"]["retryDelay"] == "3s"
    assert described(error)["message"] == "It is busy." + " Please retry in 3s." * (status == 429)


@pytest.mark.parametrize("delay", ["", "x", "Wed, 21 Oct 2026 07:28:00 GMT", "-1", "٣", "9" * 99])
def test_delay_that_is_no_number_is_not_told(delay: str) -> None:
    error = UpstreamFault("It is busy.", upstream_status=429)
    error.headers["Retry-After"] = delay

    assert "RetryInfo" not in details(error)
    assert described(error)["message"] == "It is busy."


def test_delay_in_the_providers_words_is_not_told_twice() -> None:
    error = UpstreamFault("Busy. Please retry in 2.5s.", upstream_status=429)
    error.headers["Retry-After"] = "3"

    assert described(error)["message"] == "Busy. Please retry in 2.5s."


@pytest.mark.parametrize(
    ("error", "numbers", "message"),
    [
        (overflow("prompt is too long: 9 tokens > 8 maximum"), TokenNumbers(), overflow_message(9, 8)),
        (overflow("This exceeds the context window."), TokenNumbers(70, 60), overflow_message(70, 60)),
        (
            ContextTooLong("The request comes to about 9 tokens. The model takes 8 tokens."),
            TokenNumbers(),
            overflow_message(9, 8),
        ),
    ],
)
def test_overflow_has_googles_words(error: ProxyError, numbers: TokenNumbers, message: str) -> None:
    assert described(error, numbers=numbers)["message"] == message
    assert status_of(error) == 400


def test_details_have_the_code_and_the_broken_rules() -> None:
    error = UnrepairableHistory("A rule is broken.", violations=[{"rule": "x", "index": 1}])
    found = details(error)

    assert found["ErrorInfo"]["metadata"] == {"code": "illegal_history"}
    assert found["ErrorInfo"]["reason"] == "ILLEGAL_HISTORY"
    assert found["Struct"]["value"]["violations"] == [{"rule": "x", "index": 1}]
    assert "Struct" not in details(InvalidRequest("x"))


def test_field_of_a_deployment_keeps_its_name() -> None:
    error = InvalidRequest("No.", param="top_p")
    error.of_deployment = True

    assert described(error)["message"] == "top_p: No."


@pytest.mark.parametrize(("code", "ids"), [("insufficient_quota", ["PerDay"]), ("rate_limit_exceeded", [])])
def test_used_up_quota_is_told_as_a_daily_one(code: str, ids: list[str]) -> None:
    """gemini-cli would otherwise ask four times for nothing."""
    fault = UpstreamFault("Quota exceeded.", upstream_status=429)
    fault.code = code  # type: ignore[misc]  # the class has the usual one

    violations = details(fault).get("QuotaFailure", {"violations": []})["violations"]

    assert [one["quotaId"] for one in violations] == ids


@pytest.mark.parametrize(
    ("kind", "wait_s", "delay", "quota"),
    [
        ("requests", 0.25, "0.25s", "GenerateRequestsPerMinutePerKey"),
        ("tokens", 61.0, "61s", "GenerateTokensPerMinutePerKey"),
        ("parallel", 1.0, "1s", "ConcurrentRequestsPerKey"),
    ],
)
def test_limit_of_a_key_has_googles_details_and_words(
    kind: LimitKind, wait_s: float, delay: str, quota: str
) -> None:
    """The exact wait stands in the details and in the message, once each. gemini-cli waits so long."""
    error = RateLimited(kind, wait_s)
    found = details(error)

    assert found["RetryInfo"]["retryDelay"] == delay
    assert [one["quotaId"] for one in found["QuotaFailure"]["violations"]] == [quota]
    assert described(error)["message"] == f"{error.reason} Please retry in {delay}."


def test_used_up_budget_is_told_as_a_daily_quota() -> None:
    """gemini-cli asks no more, and learns when the period ends."""
    found = details(BudgetExceeded(86_400))

    assert [one["quotaId"] for one in found["QuotaFailure"]["violations"]] == ["PerDay"]
    assert found["RetryInfo"]["retryDelay"] == "86400s"
    assert "RetryInfo" not in details(BudgetExceeded(None))
