"""Tests of the reports of usage that come before an answer is complete."""

from __future__ import annotations

from proxy.core.usage_so_far import UsageReports


def test_call_without_a_stream_has_no_report() -> None:
    """Nobody has set the reader of a call that ended before its answer began."""
    reports = UsageReports()
    assert reports.read() is None
    assert reports.parts == []
