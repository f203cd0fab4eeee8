"""Tests how a failed attempt is matched to its row of the failure table."""

from __future__ import annotations

import pytest

from proxy.core.errors import ContextTooLong, InvalidRequest, ProxyError, UpstreamFault
from proxy.core.failures import Cause
from proxy.forwarding.read_failure import read_sent, read_unsent
from proxy.resilience.failure_table import Kind
from proxy.resilience.request_words import NO_WORDS


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (ContextTooLong("x"), Kind.CONTEXT_OVERFLOW),
        (InvalidRequest("x"), Kind.CONVERSION),
        (UpstreamFault("x", upstream_status=400), Kind.INVALID_REQUEST),
    ],
    ids=["too long for the model", "not to be planned", "refused before"],
)
def test_failure_before_a_call_has_the_row_of_its_class(error: ProxyError, kind: Kind) -> None:
    """A failure before a call has the row of its error's class, since the provider sent no error to read."""
    assert read_unsent(error)[0].kind is kind


@pytest.mark.parametrize(
    ("error", "cause", "kind"),
    [
        (UpstreamFault("x", upstream_status=503), None, Kind.UNAVAILABLE),
        (UpstreamFault("x", cause=Cause.TRUNCATED), None, Kind.TRUNCATED),
        (UpstreamFault("x", cause=Cause.DEADLINE), Cause.OVERTIME, Kind.OVERTIME),
        (InvalidRequest("x"), None, Kind.CONVERSION),
    ],
    ids=["its status", "its cause", "the cause that is given", "the wire cannot say it"],
)
async def test_failed_call_has_the_row_of_its_status_and_cause(
    error: ProxyError, cause: Cause | None, kind: Kind
) -> None:
    """A failed call has the row of its status and cause. A given cause replaces the error's own."""
    assert (await read_sent(error, NO_WORDS, 0, cause))[0].kind is kind
