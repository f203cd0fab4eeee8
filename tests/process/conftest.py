"""Fixtures of proxy processes and emulated providers on real sockets, started once per session and xdist worker."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.process.emulators import Gemini, in_a_thread, openai_in_a_thread
from tests.process.providers import WIRES, Everywhere, serve_everywhere
from tests.process.running import Served, emulate, serve
from tests.support.emulated import Emulator
from tests.support.openai_emulator import OpenAIEmulator


@pytest.fixture(scope="session")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the directory of the processes' configurations and outputs."""
    return tmp_path_factory.mktemp("processes")


@pytest.fixture(scope="session")
def http() -> Iterator[httpx.Client]:
    """Return a client that keeps its connections."""
    with httpx.Client(timeout=60, trust_env=False) as client:
        yield client


@pytest.fixture(scope="session")
def gemini_process(directory: Path, http: httpx.Client) -> Iterator[Gemini]:
    """Run ``turnright emulate`` for the session, and yield its control endpoints."""
    with emulate(directory) as origin:
        yield Gemini(origin, http)


@pytest.fixture
def gemini(gemini_process: Gemini) -> Gemini:
    """Return the Gemini emulator with nothing in its queues and its journal."""
    gemini_process.clear()
    return gemini_process


@pytest.fixture(scope="session")
def openai_thread() -> Iterator[OpenAIEmulator]:
    """Run the OpenAI emulator in a thread."""
    with openai_in_a_thread() as emulator:
        yield emulator


@pytest.fixture
def openai_emulator(openai_thread: OpenAIEmulator) -> OpenAIEmulator:
    """Return the OpenAI emulator without recorded requests and queued faults."""
    openai_thread.requests.clear()
    openai_thread.faults.clear()
    return openai_thread


@pytest.fixture(scope="session", params=["litellm", "direct"])
def transport(request: pytest.FixtureRequest) -> str:
    """Return each transport in turn, so that every test runs on both."""
    chosen: str = request.param
    return chosen


@pytest.fixture(scope="session")
def served(
    directory: Path, gemini_process: Gemini, openai_thread: OpenAIEmulator, transport: str
) -> Iterator[Served]:
    """Run ``turnright serve`` in front of Gemini's and OpenAI's emulators, without retries."""
    config = {
        "model_list": [
            {
                "model_name": "gemini/*",
                "transport": transport,
                "litellm_params": {
                    "model": "gemini/*",
                    "api_key": "emulated",
                    "api_base": gemini_process.api_base,
                },
            },
            {
                "model_name": "openai/*",
                "transport": transport,
                "litellm_params": {
                    "model": "openai/*",
                    "api_key": "emulated",
                    "api_base": openai_thread.base_url,
                },
            },
        ],
        "general_settings": {"drain_delay": 0, "drain_grace": 2},
        "router_settings": {"num_retries": 0, "cooldown_time": 0},
    }
    with serve(directory, config) as process:
        yield process


@pytest.fixture(scope="session")
def emulators() -> Iterator[dict[str, Emulator]]:
    """Run the emulators of all wires but Gemini's."""
    with in_a_thread(WIRES) as running:
        yield running


@pytest.fixture(scope="session")
def everywhere(
    directory: Path, gemini_process: Gemini, emulators: dict[str, Emulator]
) -> Iterator[Everywhere]:
    """Run ``turnright serve`` in front of every provider."""
    with serve_everywhere(directory, gemini_process, emulators) as running:
        yield running
