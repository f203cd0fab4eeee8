"""A fixture for the tests of the table of dialects: a provider that records what arrives."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from tests.proxy.upstream.dialects.arriving import Provider, receiving


@pytest.fixture
async def provider() -> AsyncIterator[Provider]:
    """Serve a provider that records each request and refuses it."""
    async with receiving() as served:
        yield served
