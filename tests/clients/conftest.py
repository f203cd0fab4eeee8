"""Fixtures of the processes that the clients talk to, started once per session and xdist worker."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.process.conftest import directory, gemini, gemini_process, http, openai_emulator, openai_thread
from tests.process.emulators import Gemini
from tests.process.running import Served, serve
from tests.support.openai_emulator import OpenAIEmulator

pytest.register_assert_rewrite(
    "tests.clients.gemini.cases",
    "tests.clients.judging",
    "tests.clients.messages.cases",
    "tests.clients.messages.gateways",
    "tests.clients.responses.running_cases",
)

__all__ = ["directory", "gemini", "gemini_process", "http", "openai_emulator", "openai_thread"]

GEMINI_MODEL = "gemini-3.6-flash"


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
