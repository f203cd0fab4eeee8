"""Tests of the error classes: status, type, cause, details, and whether a retry makes sense."""

from __future__ import annotations

from collections.abc import Iterator
from http import HTTPStatus

import pytest

import proxy.core.key_errors  # noqa: F401 - its classes are tested too
from proxy.core.errors import (
    AnswerUnusable,
    InvalidRequest,
    ProxyError,
    TooMuchWork,
    UnrepairableHistory,
    UpstreamFault,
    UpstreamTimeout,
    UpstreamUnreachable,
)
from proxy.core.failures import Cause

_CLIENT_TYPES = ("invalid_request_error", "authentication_error", "requests", "insufficient_quota")


def classes(base: type[ProxyError] = ProxyError) -> Iterator[type[ProxyError]]:
    """Yield all classes below *base*."""
    for cls in base.__subclasses__():
        yield cls
        yield from classes(cls)


@pytest.mark.parametrize("cls", list(classes()), ids=lambda cls: cls.__name__)
def test_client_errors_are_not_retryable_and_have_a_type_of_their_own(cls: type[ProxyError]) -> None:
    """A client error is not retryable and has a type of its own. A path that is not served is a client error too."""
    is_client_error = cls.status < 500 or cls.status == HTTPStatus.NOT_IMPLEMENTED

    assert not (cls.retryable and is_client_error)
    assert is_client_error == (cls.type in _CLIENT_TYPES)


def test_other_deployments_are_not_tried_after_too_much_work() -> None:
    """``TooMuchWork`` is no ``InvalidRequest``: only after the latter another deployment may be tried."""
    assert not issubclass(TooMuchWork, InvalidRequest)


@pytest.mark.parametrize(
    ("error", "status", "cause"),
    [
        (UpstreamFault("x"), 502, Cause.NOT_AN_ANSWER),
        (UpstreamFault("x", upstream_status=429), 429, Cause.REFUSED),
        (UpstreamFault("x", upstream_status=302), 502, Cause.REFUSED),
        (UpstreamFault("x", upstream_status=500, cause=Cause.OVERTIME), 500, Cause.OVERTIME),
        (UpstreamTimeout("x"), 504, Cause.FIRST_BYTE_TIMEOUT),
        (UpstreamUnreachable("x"), 502, Cause.UNREACHABLE),
        (AnswerUnusable("x", cause=Cause.EMPTY), 502, Cause.EMPTY),
    ],
)
def test_upstream_fault_has_the_providers_error_status(
    error: UpstreamFault, status: int, cause: Cause
) -> None:
    """An upstream fault has the provider's error status; a redirect becomes a 502."""
    assert (error.http_status, error.cause) == (status, cause)


def test_unrepairable_history_lists_violations_and_changes() -> None:
    """An unrepairable history lists its violations and changes, or has no details."""
    broken = UnrepairableHistory("x", rule="pairing", violations=[{"rule": "a"}])

    assert broken.details == {"violations": [{"rule": "a"}], "changes": []}
    assert (broken.rule, UnrepairableHistory("x").rule) == ("pairing", "illegal_history")
    assert UnrepairableHistory("x").details == {}
