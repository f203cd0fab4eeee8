"""Tests of the status, code and headers of the error that a client finally gets."""

from __future__ import annotations

import pytest

from proxy.core.errors import CredentialsMissing, UpstreamFault
from proxy.core.failures import Cause
from proxy.resilience.client_error import refused_key_message, set_client_error
from proxy.resilience.failure_table import TABLE, Kind, Row, find_row
from proxy.resilience.read_error import NO_ERROR_FACTS

ROWS: dict[Kind, Row] = {row.kind: row for row in reversed(TABLE)}


def told(
    kind: Kind, status: int | None, asked_s: float | None = None, headers: dict[str, str] | None = None
) -> UpstreamFault:
    """Return the error that a client gets for a failure of *kind* under *status*."""
    cause = Cause.TRUNCATED if status is None else None
    fault = UpstreamFault("No.", cause=cause, upstream_status=status)
    fault.headers.update(headers or {})
    set_client_error(fault, ROWS[kind], asked_s)
    return fault


@pytest.mark.parametrize(
    ("kind", "status", "code"),
    [
        (Kind.CONTEXT_OVERFLOW, 413, "context_length_exceeded"),
        (Kind.CONTENT_FILTER, 400, "content_filter"),
        (Kind.QUOTA_EXHAUSTED, 402, "insufficient_quota"),
        (Kind.RATE_LIMITED, 429, "rate_limit_exceeded"),
        (Kind.SERVER_ERROR, 500, "upstream_error"),
    ],
)
def test_codes_are_openais(kind: Kind, status: int, code: str) -> None:
    """The codes are OpenAI's, since agents act on them. Other kinds keep the error's own code."""
    assert told(kind, status).code == code


@pytest.mark.parametrize("status", [400, 413, 422, 500])
def test_an_overflow_is_a_400(status: int) -> None:
    """An overflow becomes a 400, since clients look for the overflow's code under this status.

    Other failures keep the provider's status.
    """
    assert told(Kind.CONTEXT_OVERFLOW, status).http_status == 400
    assert told(Kind.SERVER_ERROR, 503).http_status == 503


@pytest.mark.parametrize(("status", "seen"), [(400, 401), (500, 401), (401, 401), (403, 403)])
def test_a_refused_key_is_a_401_or_403_that_names_the_proxys_key(status: int, seen: int) -> None:
    """A key that xAI refuses with a 400 gives a 401.

    The proxy's message names its own key, since the provider's words would seem to mean the client's key.
    """
    fault = told(Kind.KEY_REFUSED, status)

    assert fault.http_status == seen
    assert "x-should-retry" not in fault.headers  # the status says it
    if status != seen:
        assert fault.message == refused_key_message(seen)
    assert "the proxy's key (status 403)" in refused_key_message(403)


def test_missing_credentials_keep_their_status_and_are_not_tried_again() -> None:
    """The header ``x-should-retry: false`` keeps SDKs from retrying a 503."""
    fault = CredentialsMissing("NoCredentialsError")
    set_client_error(fault, find_row(fault.cause, NO_ERROR_FACTS), None)

    assert (fault.http_status, fault.code) == (503, "credentials_missing")
    assert fault.headers == {"x-should-retry": "false"}
    assert "NoCredentialsError" not in fault.message


@pytest.mark.parametrize(("asked_s", "header"), [(0.2, "1"), (6.1, "7"), (30.0, "30"), (None, None)])
def test_a_delay_is_a_header_in_whole_seconds(asked_s: float | None, header: str | None) -> None:
    """The delay is rounded up, and never 0."""
    assert told(Kind.RATE_LIMITED, 429, asked_s).headers.get("Retry-After") == header


def test_no_delay_where_a_retry_is_useless() -> None:
    """A used-up quota has no ``Retry-After``, since it does not return after the provider's short delay."""
    assert "Retry-After" not in told(Kind.QUOTA_EXHAUSTED, 429, 45.0).headers


@pytest.mark.parametrize(
    ("kind", "status", "header"),
    [
        (Kind.QUOTA_EXHAUSTED, 429, "false"),
        (Kind.CONVERSION, None, "false"),
        (Kind.RATE_LIMITED, 429, None),
        (Kind.SERVER_ERROR, 500, None),
        (Kind.TOO_EARLY, 425, "true"),
        (Kind.INVALID_REQUEST, 400, None),
    ],
)
def test_should_retry_is_sent_where_the_status_misleads(
    kind: Kind, status: int | None, header: str | None
) -> None:
    """SDKs retry 408, 409, 429 and statuses from 500 on. The header is sent where that would be wrong."""
    assert told(kind, status).headers.get("x-should-retry") == header


def test_the_provider_s_own_headers_stay() -> None:
    """A provider's header is matched without regard to case, and is not replaced."""
    fault = told(Kind.QUOTA_EXHAUSTED, 429, 45.0, headers={"retry-after": "3", "X-Should-Retry": "true"})

    assert fault.headers == {"retry-after": "3", "X-Should-Retry": "true"}


def test_code_that_clients_act_on_stays_the_providers() -> None:
    """A client that continues an unknown response must send its whole history (codex-lb#1817)."""
    fault = UpstreamFault("Not found.", upstream_status=400)
    set_client_error(fault, ROWS[Kind.INVALID_REQUEST], None, frozenset({"previous_response_not_found", "x"}))

    assert (fault.code, fault.param) == ("previous_response_not_found", "previous_response_id")
    other = UpstreamFault("No.", upstream_status=400)
    set_client_error(other, ROWS[Kind.INVALID_REQUEST], None, frozenset({"x"}))
    assert (other.code, other.param) == ("upstream_error", None)
