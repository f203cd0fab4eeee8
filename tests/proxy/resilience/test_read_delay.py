"""Tests of reading the delay that a provider asks for, in all notations."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.resilience.read_delay import read_delay, read_duration

NOW = 1_800_000_000.0  # Fri, 15 Jan 2027 08:00:00 GMT


@pytest.mark.parametrize(
    ("headers", "delay"),
    [
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "0"}, 0.0),
        ({"retry-after": "1.5"}, 1.5),
        ({"retry-after": "Fri, 15 Jan 2027 08:00:30 GMT"}, 30.0),
        ({"retry-after": "Fri, 15 Jan 2027 07:00:00 GMT"}, 0.0),
        ({"retry-after-ms": "250"}, 0.25),
        ({"retry-after-ms": "2500", "retry-after": "3"}, 3.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-5"}, None),
        ({"retry-after": ""}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "99999999999999999999"}, 366 * 86_400.0),
        ({}, None),
    ],
)
def test_a_delay_in_headers_is_read(headers: dict[str, str], delay: float | None) -> None:
    """A header gives the delay in seconds, in milliseconds or as a date. Other texts are ignored."""
    assert read_delay(headers, (), (), now=NOW) == delay


@pytest.mark.parametrize(
    ("text", "delay"),
    [
        ("Please retry in 45.578569677s.", 45.578569677),
        ("Please try again in 6m0s.", 360.0),
        ("Please try again in 1h2m3.5s.", 3723.5),
        ("Please try again in 20ms.", 0.02),
        ("Please retry after 20 seconds.", 20.0),
        ("Retry after 3 minutes", 180.0),
        ("try again in 2 hours", 7200.0),
        ("try again later", None),
        ("The model said: retry", None),
    ],
)
def test_a_delay_in_words_is_read(text: str, delay: float | None) -> None:
    """The sentences are Gemini's, OpenAI's and Azure's."""
    assert read_delay({}, (), (text,), now=NOW) == delay


@pytest.mark.parametrize(
    ("value", "delay"),
    [
        ("45s", 45.0),
        ("45.578s", 45.578),
        ({"seconds": 3, "nanos": 500_000_000}, 3.5),
        ({"seconds": "3"}, 3.0),
        (12, 12.0),
        (True, None),
        (-1, None),
        (None, None),
        ({"seconds": []}, None),
        ({"seconds": 10**400}, None),
    ],
)
def test_a_delay_in_retry_info_is_read(value: Any, delay: float | None) -> None:
    """Google's ``RetryInfo`` has its delay as a text, a number or an object with seconds and nanoseconds."""
    assert read_delay({}, ({"retryDelay": value},), (), now=NOW) == delay


@pytest.mark.parametrize(
    ("text", "seconds"), [("1d", 86_400.0), ("5", 5.0), ("s", None), ("5x", None), ("", None)]
)
def test_durations_are_read(text: str, seconds: float | None) -> None:
    """The notations are Go's and protobuf's."""
    assert read_duration(text) == seconds
