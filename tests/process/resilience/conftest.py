"""Fixtures of a process for each transport, with a failing provider, retries, fallbacks and short limits."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.process.emulators import Gemini
from tests.process.resilience.asking_again import LARGER, MAIN, SPARE, Asker
from tests.process.running import Served, serve
from tests.support.openai_emulator import OpenAIEmulator

NAMES = 200
"""Number of model names of each kind.

Each test uses its own name, so that tests share no retry budget and no circuit.
"""

DEADLINE_S = 60.0
FIRST_BYTE_S = 4.0
"""The limit for a stream's first byte. Even the first call on a slow machine is faster."""

IDLE_S = 3.0
WHOLE_S = 2.0
"""The ``timeout`` of the deployments ``slow-N``, for which a test waits."""


def entry(name: str, model: str, transport: str, api_base: str, **more: Any) -> dict[str, Any]:
    """Return an entry of the model list."""
    parameters = {"model": model, "api_key": "emulated", "api_base": api_base, **more}
    return {"model_name": name, "transport": transport, "litellm_params": parameters}


def configuration(
    transport: str, gemini: Gemini, openai_emulator: OpenAIEmulator, **router: Any
) -> dict[str, Any]:
    """Return the configuration of the process for all resilience tests.

    The names ``alone-N`` have no fallback, ``backed-N`` two, ``slow-N`` one and a short timeout. The names ``openai-N``
    use OpenAI's wire, without a fallback.
    """

    def gemini_entry(name: str, model: str, **more: Any) -> dict[str, Any]:
        return entry(name, f"gemini/{model}", transport, gemini.api_base, **more)

    numbers = range(NAMES)
    return {
        "model_list": [
            *(gemini_entry(f"alone-{number}", MAIN) for number in numbers),
            *(gemini_entry(f"backed-{number}", MAIN) for number in numbers),
            *(gemini_entry(f"slow-{number}", MAIN, timeout=WHOLE_S) for number in numbers),
            *(
                entry(f"openai-{number}", "openai/gpt-4.1", transport, openai_emulator.base_url)
                for number in numbers
            ),
            gemini_entry("spare", SPARE),
            gemini_entry("larger", LARGER),
        ],
        "general_settings": {"drain_delay": 0, "drain_grace": 2},
        "router_settings": {
            "num_retries": 2,
            "fallbacks": [{f"{kind}-{n}": ["spare"]} for kind in ("backed", "slow") for n in numbers],
            "context_window_fallbacks": [{f"backed-{number}": ["larger"]} for number in numbers],
            "cooldown_time": 5,
            "timeout": DEADLINE_S,
            "connect_timeout": 10,
            "first_byte_timeout": FIRST_BYTE_S,
            "idle_timeout": IDLE_S,
            "learn": "false",  # otherwise a test's refusal would repair the request of the next one in advance
            **router,
        },
    }


@pytest.fixture(scope="session")
def failing(
    directory: Path, gemini_process: Gemini, openai_thread: OpenAIEmulator, transport: str
) -> Iterator[Served]:
    """Run ``turnright serve`` with :func:`configuration`, for the tests that let its providers fail."""
    with serve(directory, configuration(transport, gemini_process, openai_thread)) as process:
        yield process


@pytest.fixture(params=[False, True], ids=["whole", "stream"])
def asker(request: pytest.FixtureRequest, http: httpx.Client, failing: Served, gemini: Gemini) -> Asker:
    """Return an asker for whole answers, then one for streams."""
    return Asker(http, failing, gemini, stream=request.param)


@pytest.fixture(scope="session")
def numbers(transport: str) -> Iterator[int]:
    """Return the numbers of unused model names, from 0 for each transport's process."""
    return iter(range(NAMES))


@pytest.fixture
def number(numbers: Iterator[int]) -> int:
    """Return the number in the model names that only this test uses."""
    return next(numbers)
