"""The gateways of the clients that speak the Responses API, and the relay before them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.clients.responses.gateways import Gateways, config_of
from tests.clients.responses.relay import Relay, relaying
from tests.process.emulators import Gemini, in_a_thread
from tests.process.running import Served, serve
from tests.support.emulated import Emulator
from tests.support.openai_emulator import OpenAIEmulator
from tests.support.responses_emulator import RESPONSES
from tests.support.store_servers import valkey_server


@pytest.fixture(scope="session")
def relay_thread() -> Iterator[Relay]:
    """Run the relay in a thread."""
    with relaying() as relay:
        yield relay


@pytest.fixture(scope="session")
def responses_thread() -> Iterator[Emulator]:
    """Run the emulator of responses in a thread."""
    with in_a_thread({"responses": RESPONSES}) as emulators:
        yield emulators["responses"]


@pytest.fixture(scope="session")
def alone(
    directory: Path, gemini_process: Gemini, openai_thread: OpenAIEmulator, responses_thread: Emulator
) -> Iterator[Served]:
    """Run a gateway with a store of its own."""
    with serve(directory, config_of(gemini_process, openai_thread, responses_thread)) as process:
        yield process


@pytest.fixture(scope="session")
def replicas(
    directory: Path, gemini_process: Gemini, openai_thread: OpenAIEmulator, responses_thread: Emulator
) -> Iterator[tuple[Served, Served]]:
    """Run two gateways that share a store."""
    with valkey_server() as store:
        config = config_of(gemini_process, openai_thread, responses_thread, store.url)
        with serve(directory, config) as one, serve(directory, config) as other:
            yield one, other


@pytest.fixture
def gateways(
    request: pytest.FixtureRequest, alone: Served, gemini: Gemini, openai_emulator: OpenAIEmulator
) -> Gateways:
    """Return the gateways before emulators with nothing in their queues. The replicas start where they are used."""

    def fixture(name: str) -> Any:
        return request.getfixturevalue(name)

    responses: Emulator = fixture("responses_thread")
    responses.clear()
    relay = fixture("relay_thread")
    return Gateways(relay, alone, lambda: fixture("replicas"), gemini, openai_emulator, responses)
