"""Shared fixtures of the proxy's tests: settings, a scripted upstream, the served proxy, its log, and emulators."""

from __future__ import annotations

import io
import json
import logging
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from typing import Any

import aiohttp
import pytest

from proxy.config import Settings
from proxy.emulator import serving as serving_gemini
from proxy.observability import logs
from proxy.observability.logs import configure_logs
from proxy.upstream.select_transport import SelectingUpstream
from tests.proxy.emulator.conftest import Client as GeminiEmulator
from tests.support.openai_emulator import OpenAIEmulator, serving_openai
from tests.support.proxied import GEMINI, Proxied, proxied, settings_of
from tests.support.scripted_upstream import ScriptedUpstream

OUR_KEY = "sk-ours-5d0f7c1e"
TRANSPORTS = pytest.mark.parametrize("transport", ["litellm", "direct"])
"""Runs a test on both transports. The test uses the fixture `transport` or `real`."""

LogLines = Callable[[], list[dict[str, Any]]]


@pytest.fixture
def settings() -> Settings:
    """Return settings with one Gemini model. A module that needs other settings overrides this fixture."""
    return settings_of()


@pytest.fixture
async def upstream() -> ScriptedUpstream:
    """Return an upstream that gives good answers unless a test scripts other answers."""
    return ScriptedUpstream()


@pytest.fixture
async def proxy(settings: Settings, upstream: ScriptedUpstream) -> AsyncIterator[Proxied]:
    """Serve the proxy in front of the scripted upstream."""
    async with proxied(settings, upstream) as served:
        yield served


@pytest.fixture
def log_text() -> Iterator[io.StringIO]:
    """Send the log to a stream, with the process's configuration. The logging is restored afterwards."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    stream = io.StringIO()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(logs, "_log", logs.get_log())
        configure_logs(stream)
        yield stream
    root.handlers[:] = handlers
    root.setLevel(level)
    logging.captureWarnings(capture=False)


@pytest.fixture
def log_lines(log_text: io.StringIO) -> LogLines:
    """Return a function that returns the logged lines, each read as JSON."""
    return lambda: [json.loads(line) for line in log_text.getvalue().splitlines()]


@pytest.fixture
async def openai() -> AsyncIterator[OpenAIEmulator]:
    """Serve an emulator of OpenAI's chat endpoint."""
    async with serving_openai() as served:
        yield served


@pytest.fixture
async def gemini() -> AsyncIterator[GeminiEmulator]:
    """Serve an emulator of Gemini's API."""
    async with serving_gemini() as base, aiohttp.ClientSession() as session:
        yield GeminiEmulator(session, base)


def settings_on(transport: str, models: Mapping[str, dict[str, Any]], **sections: Any) -> Settings:
    """Return settings in which one transport serves all models.

    *models* maps names to their `litellm_params`.
    """
    entries = [
        {"model_name": name, "litellm_params": given, "transport": transport}
        for name, given in models.items()
    ]
    return settings_of(model_list=entries, **sections)


@pytest.fixture
def transport() -> str:
    """Return the transport of the fixture `real`.

    A test of both transports overrides this fixture with `TRANSPORTS`.
    """
    return "litellm"


@pytest.fixture
async def real(openai: OpenAIEmulator, gemini: GeminiEmulator, transport: str) -> AsyncIterator[Proxied]:
    """Serve the proxy in front of both emulators, with the models `openai` and `gemini` and the proxy's key."""
    models = {
        "openai": {"model": "openai/gpt-4.1", "api_base": openai.base_url, "api_key": OUR_KEY},
        "gemini": {"model": GEMINI, "api_base": f"{gemini.base}/v1beta", "api_key": OUR_KEY},
    }
    settings = settings_on(transport, models)
    async with proxied(settings, SelectingUpstream.for_settings(settings)) as served:
        yield served
