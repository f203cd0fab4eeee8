"""The proxy before a scripted upstream, with settings that retry and fall back."""

from __future__ import annotations

import pytest

from proxy.config import Settings
from tests.proxy.forwarding.text.asking import plain_settings


@pytest.fixture
def settings() -> Settings:
    """Return settings that retry, on one model with a fallback, and a pool of two."""
    return plain_settings()
