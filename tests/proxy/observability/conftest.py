"""Short retry delays for the tests of metrics and logs."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def short_retry_delays(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a retry wait for milliseconds, unless a provider asks for a longer delay."""
    monkeypatch.setattr("proxy.resilience.decide_action._BASE_S", 0.005)
