"""Tests of the error type in OpenTelemetry's metrics, which comes from a closed set."""

from __future__ import annotations

import asyncio

import pytest

from proxy.core.errors import ConversionFailed, UpstreamFault, UpstreamTimeout
from proxy.core.failures import Cause
from proxy.observability.gen_ai_names import OTHER
from proxy.observability.observed_upstream import error_type


@pytest.mark.parametrize(
    ("fault", "expected"),
    [
        (UpstreamFault("x", upstream_status=429), "429"),
        (UpstreamFault("x", upstream_status=599), OTHER),
        (UpstreamFault("x", upstream_status=-7), OTHER),
        (UpstreamTimeout("x"), "first_byte_timeout"),
        (UpstreamFault("x", cause=Cause.TRUNCATED), "truncated"),
        (ConversionFailed("x"), "conversion_failed"),
        (asyncio.CancelledError(), "cancelled"),
        (GeneratorExit(), "cancelled"),
        (RuntimeError("zzmadeup"), OTHER),
    ],
)
def test_type_of_an_error_comes_from_a_closed_set(fault: BaseException, expected: str) -> None:
    """A provider's text or unknown status is no label."""
    assert error_type(fault) == expected
