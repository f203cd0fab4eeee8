"""The processes that the clients talk to: once per session (and xdist worker), as in ``tests/process``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.process.emulators import Gemini, openai_in_a_thread
from tests.process.running import Served, emulate, serve
from tests.support.openai_emulator import OpenAIEmulator

pytest.register_assert_rewrite("tests.clients.judging")

GEMINI_MODEL = "gemini-3.6-flash"


@pytest.fixture(scope="session")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return where the processes' configurations and outputs lie."""
    return tmp_path_factory.mktemp("clients")


@pytest.fixture(scope="session")
def gemini_process(directory: Path) -> Iterator[Gemini]:
    """Run ``turnright emulate``."""
    with emulate(directory) as origin, httpx.Client(timeout=30, trust_env=False) as http:
        yield Gemini(origin, http)


@pytest.fixture
def gemini(gemini_process: Gemini) -> Gemini:
    """Return the Gemini emulator with nothing in its queues and its journal."""
    gemini_process.clear()
    return gemini_process


@pytest.fixture(scope="session")
def openai_thread() -> Iterator[OpenAIEmulator]:
    """Run the OpenAI emulator."""
    with openai_in_a_thread() as emulator:
        yield emulator


@pytest.fixture
def openai_emulator(openai_thread: OpenAIEmulator) -> OpenAIEmulator:
    """Return the OpenAI emulator with nothing in its queues."""
    openai_thread.requests.clear()
    openai_thread.faults.clear()
    return openai_thread


@pytest.fixture(scope="session")
def served(directory: Path, gemini_process: Gemini, openai_thread: OpenAIEmulator) -> Iterator[Served]:
    """Run ``turnright serve``: a Gemini model on each transport, and one that falls back to OpenAI's."""
    gemini = {"model": f"gemini/{GEMINI_MODEL}", "api_key": "emulated", "api_base": gemini_process.api_base}
    gpt = {"model": "openai/gpt-4.1", "api_key": "emulated", "api_base": openai_thread.base_url}
    config = {
        "model_list": [
            {"model_name": f"gemini/{GEMINI_MODEL}", "litellm_params": gemini},
            {"model_name": "through-litellm", "transport": "litellm", "litellm_params": gemini},
            {"model_name": "gem", "litellm_params": gemini},
            {"model_name": "gpt", "litellm_params": gpt},
        ],
        "general_settings": {"drain_delay": 0, "drain_grace": 2},
        "router_settings": {"num_retries": 0, "cooldown_time": 0, "fallbacks": [{"gem": ["gpt"]}]},
    }
    with serve(directory, config) as process:
        yield process
