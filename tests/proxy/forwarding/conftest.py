"""Settings and short retry delays for tests of attempts."""

from __future__ import annotations

import pytest

from proxy.config import Settings
from tests.proxy.forwarding.attempting import settings_with_fallbacks


@pytest.fixture(autouse=True)
def short_retry_delays(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a retry wait for milliseconds, unless a provider asks for a longer delay."""
    monkeypatch.setattr("proxy.resilience.decide_action._BASE_S", 0.005)


@pytest.fixture
def settings() -> Settings:
    """Return settings with retries, a model with fallbacks, and a pool of two deployments."""
    return settings_with_fallbacks()
