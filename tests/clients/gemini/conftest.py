"""The gateways of the clients that speak Gemini's own API, and the relay before them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.clients.gemini.gateways import Gateways, config_of
from tests.clients.messages.conftest import anthropic_thread
from tests.clients.responses.conftest import relay_thread
from tests.process.emulators import Gemini
from tests.process.running import Served, serve
from tests.support.emulated import Emulator
from tests.support.openai_emulator import OpenAIEmulator

__all__ = ["anthropic_thread", "relay_thread"]


@pytest.fixture(scope="session")
def gemini_alone(
    directory: Path, gemini_process: Gemini, openai_thread: OpenAIEmulator, anthropic_thread: Emulator
) -> Iterator[Served]:
    """Run a gateway with a store of its own."""
    with serve(directory, config_of(gemini_process, openai_thread, anthropic_thread)) as process:
        yield process


@pytest.fixture(scope="session")
def gemini_other(
    directory: Path, gemini_process: Gemini, openai_thread: OpenAIEmulator, anthropic_thread: Emulator
) -> Iterator[Served]:
    """Run a second gateway with a store of its own."""
    with serve(directory, config_of(gemini_process, openai_thread, anthropic_thread)) as process:
        yield process


@pytest.fixture
def gemini_gateways(
    request: pytest.FixtureRequest, gemini_alone: Served, gemini: Gemini, openai_emulator: OpenAIEmulator
) -> Gateways:
    """Return the gateways before emulators with nothing in their queues. The second starts where it is used."""

    def fixture(name: str) -> Any:
        return request.getfixturevalue(name)

    anthropic: Emulator = fixture("anthropic_thread")
    anthropic.clear()
    return Gateways(
        fixture("relay_thread"),
        gemini_alone,
        lambda: fixture("gemini_other"),
        gemini,
        openai_emulator,
        anthropic,
        fixture("directory"),
    )
