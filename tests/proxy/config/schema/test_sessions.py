"""Tests of the section ``sessions``."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.config import ConfigurationError
from tests.proxy.config.samples import load, settings_of


def test_responses_are_stored_by_default_for_seven_days() -> None:
    """The defaults are those of the documents."""
    sessions = settings_of().sessions

    assert sessions.model_dump() == {
        "enabled": True,
        "turns": 0,
        "retention": 604_800.0,
        "max_mib": 256,
        "max_mib_per_key": 64,
    }


@pytest.mark.parametrize(("text", "enabled"), [("true", True), ("false", False)])
def test_variable_may_switch_sessions(text: str, enabled: bool) -> None:
    """One file can serve deployments with and without a shared store."""
    loaded = load(environ={"FLAG": text}, sessions={"enabled": "os.environ/FLAG"})

    assert loaded.settings.sessions.enabled is enabled


@pytest.mark.parametrize(
    "section",
    [
        {"enabled": "yes"},
        {"enabled": "os.environ/UNSET"},
        {"turns": -1},
        {"turns": 10_001},
        {"max_mib": 0},
        {"max_mib_per_key": 0},
        {"max": 1},
    ],
)
def test_other_values_and_keys_are_refused(section: dict[str, Any]) -> None:
    """The fault names the key."""
    with pytest.raises(ConfigurationError) as caught:
        settings_of(sessions=section)

    assert f"sessions.{next(iter(section))}" in str(caught.value)
