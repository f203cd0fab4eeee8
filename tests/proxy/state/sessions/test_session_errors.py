"""Tests of the errors of sessions."""

from __future__ import annotations

from proxy.state.sessions.session_errors import HistoryTooLong, SessionsUnavailable


def test_store_that_cannot_be_asked_is_a_503_to_be_tried_again() -> None:
    """The client is told when."""
    error = SessionsUnavailable()

    assert (error.http_status, error.code, error.retryable) == (503, "sessions_unavailable", True)
    assert error.headers == {"retry-after": "2"}


def test_history_that_is_too_long_is_a_400_that_names_the_setting() -> None:
    """Clients that compact by themselves know the code."""
    error = HistoryTooLong(32 * 2**20, "previous_response_id")

    assert (error.http_status, error.code, error.param) == (
        400,
        "context_length_exceeded",
        "previous_response_id",
    )
    assert "33,554,432 bytes" in error.message
    assert "`sessions.turns`" in error.message
