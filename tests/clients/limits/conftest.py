"""The gateway of the limited keys."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.clients.limits.gateway import LimitedGateway, config_of, key_of, spend
from tests.clients.responses.conftest import relay_thread
from tests.clients.responses.relay import Relay
from tests.process.running import Served, serve
from tests.support.openai_emulator import OpenAIEmulator

__all__ = ["relay_thread"]


@pytest.fixture(scope="session")
def limited_process(directory: Path, openai_thread: OpenAIEmulator) -> Iterator[Served]:
    """Run a gateway with limited keys, one of which has spent its budget."""
    with serve(directory, config_of(openai_thread)) as process:
        spend(process, openai_thread, key_of("spent"))
        yield process


@pytest.fixture
def limited(relay_thread: Relay, limited_process: Served, openai_emulator: OpenAIEmulator) -> LimitedGateway:
    """Return the gateway before an emulator with nothing in its queue."""
    relay_thread.begin(limited_process.origin)
    return LimitedGateway(relay_thread, limited_process)
