"""What a failed attempt is read as: its row of the failure table."""

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
def test_an_attempt_without_a_call_is_read_by_its_class(error: ProxyError, kind: Kind) -> None:
    """No provider said anything."""
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
async def test_a_call_that_failed_is_read_by_status_and_cause(
    error: ProxyError, cause: Cause | None, kind: Kind
) -> None:
    """The cause that is given stands in place of the error's own."""
    assert (await read_sent(error, NO_WORDS, 0, cause))[0].kind is kind
