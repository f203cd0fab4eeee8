"""Tests of errors in Anthropic's envelope."""

from __future__ import annotations

import json
from typing import Any

import pytest

from proxy.core.errors import (
    ContextTooLong,
    CredentialsMissing,
    InvalidRequest,
    ModelNotFound,
    ModelUnavailable,
    NotFound,
    Overloaded,
    ProxyError,
    UnrepairableHistory,
    UpstreamFault,
    UpstreamTimeout,
)
from proxy.core.failures import Evidence
from proxy.core.key_errors import (
    BudgetExceeded,
    KeyExpired,
    LimitsUnavailable,
    ModelNotAllowed,
    RateLimited,
    RequestNeverFits,
)
from proxy.ingress.anthropic_messages.errors import (
    error_headers,
    overflow_message,
    status_of,
    write_error,
)
from proxy.ingress.anthropic_messages.message_places import MessagePlaces
from proxy.ingress.token_numbers import TokenNumbers
from sanitizers.native import Span

SPANS = [Span(range(1), range(1, 2)), Span(range(1, 2), range(2, 4)), Span(range(2, 3), range(4, 5))]
OWN_LIMIT = (
    "This model's maximum context length is 200000 tokens, 180000 of them for the prompt. However, your request comes "
    "to about 190000 tokens after everything was cut that may be (from 250000; the hard limit is 100 %)."
)
BOTH = "input length and `max_tokens` exceed context limit: 150000 + 64000 > 200000"
NO_ROOM = (
    "'max_tokens' of 64000 tokens leaves no room: the request comes to about 7900 of the model's 8192 tokens."
)


def described(error: ProxyError, **arguments: Any) -> dict[str, Any]:
    """Return the error's part of the envelope, which must be complete."""
    body = json.loads(write_error(error, "req_1", **arguments))
    assert body.keys() == {"type", "error", "request_id"}
    assert (body["type"], body["request_id"]) == ("error", "req_1")
    found: dict[str, Any] = body["error"]
    return found


def overflow(words: str, status: int = 400) -> UpstreamFault:
    """Return a provider's overflow, as it comes from the failure table."""
    fault = UpstreamFault(words, upstream_status=400, evidence=Evidence(status))
    fault.code = "context_length_exceeded"  # type: ignore[misc]  # the class has the usual one
    return fault


@pytest.mark.parametrize(
    ("error", "status", "kind"),
    [
        (InvalidRequest("x"), 400, "invalid_request_error"),
        (NotFound("x"), 404, "not_found_error"),
        (Overloaded("x"), 503, "api_error"),
        (UpstreamTimeout("x"), 504, "timeout_error"),
        (UpstreamFault("x"), 502, "api_error"),
        (UpstreamFault("x", upstream_status=503), 529, "overloaded_error"),
        (UpstreamFault("x", upstream_status=529), 529, "overloaded_error"),
        (UpstreamFault("x", upstream_status=402), 402, "billing_error"),
        (UpstreamFault("x", upstream_status=413), 413, "request_too_large"),
        (overflow("The body is too large.", 413), 413, "request_too_large"),
        (overflow("prompt is too long: 9 tokens > 8 maximum", 413), 400, "invalid_request_error"),
        (UpstreamFault("x", upstream_status=418), 400, "invalid_request_error"),
        (CredentialsMissing("x"), 503, "api_error"),
        (RateLimited("parallel", 1), 429, "rate_limit_error"),
        (BudgetExceeded(1), 429, "rate_limit_error"),
        (ModelNotAllowed("m"), 403, "permission_error"),
        (RequestNeverFits(9, 8), 400, "invalid_request_error"),
        (KeyExpired(), 401, "authentication_error"),
        (LimitsUnavailable(), 503, "api_error"),
    ],
)
def test_error_has_anthropics_status_and_type(error: ProxyError, status: int, kind: str) -> None:
    assert (status_of(error), described(error)["type"]) == (status, kind)


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (InvalidRequest("It is wrong.", param="messages[2].content[0]"), "messages.1: It is wrong."),
        (
            InvalidRequest("'messages[4]' is wrong.", param="messages[4]"),
            "messages.2: 'messages.2' is wrong.",
        ),
        (InvalidRequest("It is wrong.", param="messages[0]"), "system: It is wrong."),
        (
            InvalidRequest("messages.1.content.2: no", param="messages.1.content.2"),
            "messages.1.content.2: no",
        ),
        (InvalidRequest("It is wrong.", param="stop"), "stop_sequences: It is wrong."),
        (InvalidRequest("It is wrong.", param="tools[3].function"), "tools: It is wrong."),
        (InvalidRequest("It is wrong."), "It is wrong."),
        (ModelNotFound("There is none.", param="model"), "model: There is none."),
        (UpstreamFault("messages[2] is the provider's word"), "messages[2] is the provider's word"),
    ],
)
def test_message_begins_with_the_clients_path(error: ProxyError, message: str) -> None:
    assert described(error, places=MessagePlaces(SPANS))["message"] == message


@pytest.mark.parametrize(
    ("error", "numbers", "message"),
    [
        (overflow("prompt is too long: 9 tokens > 8 maximum"), TokenNumbers(), overflow_message(9, 8)),
        (
            overflow(
                "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575)."
            ),
            TokenNumbers(5, 6),
            overflow_message(1_196_265, 1_048_575),
        ),
        (overflow("This exceeds the context window."), TokenNumbers(70, 60), overflow_message(70, 60)),
        (overflow("This exceeds the context window."), TokenNumbers(50, 60), overflow_message(61, 60)),
        (overflow("This exceeds the context window."), TokenNumbers(50), overflow_message(50, 49)),
        (overflow(f"{BOTH}, decrease input length"), TokenNumbers(), BOTH),
        (overflow(BOTH.replace("150000", "250000")), TokenNumbers(), overflow_message(250_000, 200_000)),
        (
            overflow(
                "This model's maximum context length is 32768 tokens. However, you requested 40000 tokens "
                "(8000 in the messages, 32000 in the completion)."
            ),
            TokenNumbers(),
            "input length and `max_tokens` exceed context limit: 8000 + 32000 > 32768",
        ),
        (ContextTooLong(OWN_LIMIT), TokenNumbers(), overflow_message(190_000, 180_000)),
        (ContextTooLong(NO_ROOM, param="max_tokens"), TokenNumbers(), overflow_message(8_193, 8_192)),
    ],
)
def test_overflow_has_anthropics_words(error: ProxyError, numbers: TokenNumbers, message: str) -> None:
    """Claude Code compacts on these words alone, whatever the provider says."""
    assert described(error, numbers=numbers)["message"] == message
    assert status_of(error) == 400


def test_details_have_the_code_and_the_broken_rules() -> None:
    error = UnrepairableHistory("A rule is broken.", violations=[{"rule": "x", "index": 1}])

    assert described(error)["details"]["error_code"] == "illegal_history"
    assert described(error)["details"]["violations"] == [{"rule": "x", "index": 1}]


@pytest.mark.parametrize(
    ("error", "retry"),
    [
        (ModelUnavailable("m", ["KEY"], label="m"), "false"),
        (CredentialsMissing("x"), "false"),
        (Overloaded("x"), None),
        (InvalidRequest("x"), None),
    ],
)
def test_headers_have_the_id_and_forbid_a_try_that_cannot_help(error: ProxyError, retry: str | None) -> None:
    headers = error_headers(error, "req_1")

    assert headers["request-id"] == "req_1"
    assert headers.get("x-should-retry") == retry
