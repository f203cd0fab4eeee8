"""Tests of errors in Google's shape."""

from __future__ import annotations

import pytest

from proxy.emulator.errors import (
    STATUSES,
    ErrorOptions,
    FieldViolation,
    error_body,
    invalid_payload,
    status_error,
)


@pytest.mark.parametrize(
    ("status", "name", "message"),
    [
        *((status, known.name, known.message) for status, known in STATUSES.items()),
        (418, "UNKNOWN", "Unknown error."),
    ],
)
def test_status_has_googles_name_and_text(status: int, name: str, message: str) -> None:
    """Each status has Google's name and text, and no details unless they are asked for."""
    error = {"code": status, "message": message, "status": name}

    assert error_body(status_error(status)) == {"error": error}
    assert error_body(status_error(status, ErrorOptions("Own."))) == {"error": {**error, "message": "Own."}}


def test_quota_error_has_its_details() -> None:
    """A 429 has ``ErrorInfo``, ``QuotaFailure`` and ``RetryInfo``, and the wait is in its text."""
    quota = "GenerateRequestsPerDayPerProjectPerModel-FreeTier"
    options = ErrorOptions(None, "RATE_LIMIT_EXCEEDED", 45.5, quota, "gemini-2.5-pro")

    error = error_body(status_error(429, options))["error"]

    info, failure, retry = error["details"]
    assert error["message"].endswith("limit: 0, model: gemini-2.5-pro\nPlease retry in 45.5s.")
    assert info["reason"] == "RATE_LIMIT_EXCEEDED"
    assert failure["violations"][0]["quotaId"] == quota
    assert retry == {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "45.5s"}


def test_every_field_violation_is_a_line_and_a_detail() -> None:
    """Every field violation is one line of the message and one detail, in the same order."""
    refusal = invalid_payload([FieldViolation("a", "First."), FieldViolation("", "Second.")])

    error = error_body(refusal)["error"]

    assert (error["code"], error["message"], error["status"]) == (400, "First.\nSecond.", "INVALID_ARGUMENT")
    assert error["details"] == [
        {
            "@type": "type.googleapis.com/google.rpc.BadRequest",
            "fieldViolations": [
                {"field": "a", "description": "First."},
                {"field": "", "description": "Second."},
            ],
        }
    ]
