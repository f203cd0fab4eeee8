"""Tests of the choice of the ledger."""

from __future__ import annotations

from pathlib import Path

import pytest

from proxy.state.create_limiter import create_limiter
from proxy.state.create_store import create_store
from tests.support.dictionary_backend import CountedEvents
from tests.support.limited_keys import limited


class Events(CountedEvents):
    """Listens to files that are set aside, too."""

    def set_aside(self, file: str, reason: str) -> None:
        """Do nothing."""


@pytest.mark.parametrize(
    ("url", "ledger"),
    [
        ("memory://", "MemoryLedger"),
        ("sqlite:///{}/store.db", "SqliteLedger"),
        ("redis://127.0.0.1:1", "RedisLedger"),
    ],
)
async def test_ledger_is_that_of_the_store(url: str, ledger: str, tmp_path: Path) -> None:
    settings = limited({"name": "a", "rpm_limit": 1}, store={"url": url.format(tmp_path)})
    limiter = create_limiter(settings, create_store(settings.store, Events()))

    assert type(limiter._ledger).__name__ == ledger
    assert limiter.limits_of("a") is not None
