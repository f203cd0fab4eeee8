"""Tests of long times in the configuration."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.config import ConfigurationError
from proxy.config.durations import duration_text
from tests.proxy.config.samples import settings_of


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (14 * 86_400.0, "14 days"),
        (86_400, "1 day"),
        (3_600, "1 hour"),
        (36 * 3_600, "36 hours"),
        (60, "1 minute"),
        (90, "90 s"),
        (30.0, "30 s"),
        (0.5, "0.5 s"),
    ],
)
def test_lifetime_has_the_largest_whole_unit(seconds: float, text: str) -> None:
    """A lifetime is shown in the largest unit that gives a whole number."""
    assert duration_text(seconds) == text


@pytest.mark.parametrize(
    ("written", "seconds"),
    [
        ("7d", 604_800.0),
        ("12h", 43_200.0),
        ("30m", 1_800.0),
        ("90s", 90.0),
        (3_600, 3_600.0),
        ("3600", 3_600.0),
        (60.5, 60.5),
        ("365d", 31_536_000.0),
    ],
)
def test_seconds_and_texts_with_a_unit_are_read(written: Any, seconds: float) -> None:
    """The units are seconds, minutes, hours and days."""
    assert settings_of(sessions={"retention": written}).sessions.retention == seconds


@pytest.mark.parametrize(
    "written",
    ["7 d", "7w", "d", "", "-1d", "1.5d", "59s", 59, "366d", True, [7], "7d7d", "\u0667d", "9999999999d"],
)
def test_other_values_are_refused_with_their_key(written: Any) -> None:
    """No value is guessed."""
    with pytest.raises(ConfigurationError) as caught:
        settings_of(sessions={"retention": written})

    assert "sessions.retention" in str(caught.value)
