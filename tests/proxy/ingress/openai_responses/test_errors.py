"""Errors name the client's own fields, and their codes make codex stop, wait or send again."""

from __future__ import annotations

import json

import pytest

from proxy.core.errors import (
    AnswerUnusable,
    AuthenticationFailed,
    BodyTooLarge,
    ContextTooLong,
    CredentialsMissing,
    DeadlineExceeded,
    InternalFault,
    InvalidRequest,
    ModelNotFound,
    ModelUnavailable,
    Overloaded,
    ProxyError,
    TooMuchWork,
    UnrepairableHistory,
    UpstreamFault,
    UpstreamTimeout,
    UpstreamUnreachable,
)
from proxy.core.failures import Cause
from proxy.core.key_errors import (
    BudgetExceeded,
    LimitsUnavailable,
    ModelNotAllowed,
    RateLimited,
    RequestNeverFits,
)
from proxy.ingress.openai_responses.errors import describe_failure, rename_param, write_error
from sanitizers.native import Span

SPANS = (
    Span(range(0), range(1)),
    Span(range(1), range(1, 2)),
    Span(range(1, 4), range(2, 3)),
    Span(range(4, 5), range(3, 4)),
)


def refused(status: int, code: str | None = None, **headers: str) -> UpstreamFault:
    """Return a provider's refusal, with the *code* and headers that a client gets."""
    fault = UpstreamFault("Refused.", upstream_status=status)
    fault.code = code or fault.code  # type: ignore[misc]
    fault.headers.update({name.replace("_", "-"): value for name, value in headers.items()})
    return fault


STOPS = ("context_length_exceeded", "insufficient_quota", "invalid_prompt")
CODES: tuple[tuple[str, ProxyError], ...] = (
    ("context_length_exceeded", ContextTooLong("Too long.")),
    ("context_length_exceeded", refused(400, "context_length_exceeded")),
    ("insufficient_quota", refused(429, "insufficient_quota", x_should_retry="false")),
    ("insufficient_quota", BudgetExceeded(60)),
    ("invalid_prompt", InvalidRequest("Wrong.")),
    ("invalid_prompt", ModelNotAllowed("m")),
    ("invalid_prompt", RequestNeverFits(9, 8)),
    ("invalid_prompt", UnrepairableHistory("Broken.")),
    ("invalid_prompt", ModelNotFound("None.")),
    ("invalid_prompt", BodyTooLarge("Big.")),
    ("invalid_prompt", AuthenticationFailed("Who?")),
    ("invalid_prompt", TooMuchWork("Much.")),
    ("invalid_prompt", ModelUnavailable("m", ["KEY"], label="m")),
    ("invalid_prompt", CredentialsMissing("no key")),
    ("invalid_prompt", refused(400)),
    ("invalid_prompt", refused(400, "content_filter")),
    ("invalid_prompt", refused(401)),
    ("invalid_prompt", refused(403)),
    ("invalid_prompt", refused(404)),
    ("invalid_prompt", refused(422)),
    ("invalid_prompt", refused(500, x_should_retry="false")),
    ("rate_limit_exceeded", refused(429)),
    ("rate_limit_exceeded", refused(429, "rate_limit_exceeded", Retry_After="3")),
    ("rate_limit_exceeded", refused(503)),
    ("rate_limit_exceeded", refused(529)),
    ("rate_limit_exceeded", Overloaded("Busy.")),
    ("rate_limit_exceeded", RateLimited("tokens", 1.5)),
    ("rate_limit_exceeded", LimitsUnavailable()),
    ("server_error", refused(500)),
    ("server_error", refused(408)),
    ("server_error", refused(409)),
    ("server_error", refused(400, x_should_retry="true")),
    ("server_error", UpstreamTimeout("Slow.")),
    ("server_error", UpstreamUnreachable("Gone.")),
    ("server_error", DeadlineExceeded("Late.")),
    ("server_error", InternalFault("Defect.")),
    ("server_error", UpstreamFault("Broke off.", cause=Cause.TRUNCATED)),
    ("server_error", AnswerUnusable("Empty.", cause=Cause.EMPTY)),
)


@pytest.mark.parametrize(("code", "error"), CODES)
def test_the_code_steers_the_client(code: str, error: ProxyError) -> None:
    """Permanent faults stop codex, busy servers make it wait, and others make it send again."""
    assert describe_failure(error)["code"] == code


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (refused(429, Retry_After="3"), "Refused. Please try again in 3s."),
        (refused(429, Retry_After="Wed, 21 Oct 2026 07:28:00 GMT"), "Refused. Please try again in 5s."),
        (Overloaded("Busy."), "Busy. Please try again in 5s."),
        (Overloaded("Please try again in 1.5s."), "Please try again in 1.5s."),
        (
            RateLimited("requests", 0.25),
            "The limit of requests per minute of this key is reached. Please try again in 0.25s.",
        ),
        (UpstreamTimeout("Slow."), "Slow."),
    ],
)
def test_a_busy_server_says_how_long_to_wait(error: ProxyError, message: str) -> None:
    """The wait stands in the message, where codex reads it."""
    assert describe_failure(error)["message"] == message


@pytest.mark.parametrize(
    ("param", "own"),
    [
        (None, None),
        ("model", "model"),
        ("temperature", "temperature"),
        ("max_completion_tokens", "max_output_tokens"),
        ("max_tokens", "max_output_tokens"),
        ("response_format.json_schema.schema", "text.format"),
        ("reasoning_effort", "reasoning.effort"),
        ("verbosity", "text.verbosity"),
        ("tools[3].function.parameters", "tools"),
        ("messages", "input"),
        ("messages[0].content", "input"),
        ("messages[1].role", "input[0]"),
        ("messages[2].tool_calls[1].id", "input[1]"),
        ("messages[3]", "input[4]"),
        ("messages[99]", "input"),
        ("", ""),
    ],
)
def test_the_param_is_a_field_of_the_responses_api(param: str | None, own: str | None) -> None:
    """A field of chat is named as the client knows it, and a message by its first item."""
    assert rename_param(param, SPANS) == own


@pytest.mark.parametrize(("param", "own"), [("messages[1]", "input"), ("messages[3]", "input[2]")])
def test_items_of_the_stored_conversation_have_no_place(param: str, own: str) -> None:
    """The items before the request's own are not counted."""
    assert rename_param(param, SPANS, earlier=2) == own


def test_an_error_has_the_envelope_of_openai() -> None:
    """The envelope is that of chat, with further fields where the error has some."""
    error = UnrepairableHistory("Broken.", param="messages[2].content", violations=[{"rule": "x"}])

    found = json.loads(write_error(error, SPANS))["error"]

    assert (found["message"], found["type"]) == ("Broken.", "invalid_request_error")
    assert (found["param"], found["code"]) == ("input[1]", "illegal_history")
    assert found["violations"] == [{"rule": "x"}]
