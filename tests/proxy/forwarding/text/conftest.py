"""Settings with retries and fallbacks for the tests of embeddings and text completions."""

from __future__ import annotations

import pytest

from proxy.config import Settings
from tests.proxy.forwarding.text.asking import plain_settings


@pytest.fixture
def settings() -> Settings:
    """Return settings with retries, a model with a fallback, and a pool of two deployments."""
    return plain_settings()
