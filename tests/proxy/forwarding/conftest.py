"""Settings for tests of attempts."""

from __future__ import annotations

import pytest

from proxy.config import Settings
from tests.proxy.forwarding.attempting import settings_with_fallbacks


@pytest.fixture
def settings() -> Settings:
    """Return settings that retry: one model with fallbacks, and a pool of two."""
    return settings_with_fallbacks()
