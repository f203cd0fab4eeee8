"""Run the emulators of Gemini and OpenAI on loopback, in the run's event loop, and configure the proxy for both."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from aiohttp import web

from benchmarks.chaos.faults import Faults, GeminiQueue, OpenAIQueue
from proxy.emulator import create_emulator
from proxy.emulator.journal import Journal
from proxy.emulator.state import STATE
from tests.support.openai_emulator import EMULATOR, OpenAIEmulator, create_openai_emulator

KEEP_ALIVE_S = 1.0
"""Seconds after which failing providers close idle connections. A call on a connection that just closed is retried."""

PATIENT_S = 60.0
"""Seconds for the proxy's timeouts and the providers' keep-alive in a run without faults.

No slow machine reaches this limit.
"""

MODELS = ("gemini", "openai")


@dataclass(frozen=True)
class Providers:
    """The running providers: their addresses and the records of their calls."""

    gemini_base: str
    openai_base: str
    journal: Journal
    openai: OpenAIEmulator
    runners: tuple[web.AppRunner, ...]

    def close_all(self) -> None:
        """Close all connections to the providers, which are idle at the end of a run.

        Any connection that the proxy still holds then is a leak.
        """
        for runner in self.runners:
            for connection in runner.server.connections if runner.server else ():
                connection.force_close()

    @property
    def running(self) -> int:
        """The number of recorded calls that have not ended."""
        gemini = len([entry for entry in self.journal.as_json() if entry["finished"] == "running"])
        return gemini + len([request for request in self.openai.requests if request.finished is None])


@asynccontextmanager
async def providing(faults: Faults, *, keep_alive_s: float) -> AsyncIterator[Providers]:
    """Serve both providers while the context lasts. Their calls fail with the faults that *faults* draws."""
    gemini, openai = create_emulator(), create_openai_emulator()
    gemini[STATE].faults = GeminiQueue(faults)
    openai[EMULATOR].faults = OpenAIQueue(faults)
    async with _listening(gemini, keep_alive_s) as one, _listening(openai, keep_alive_s) as two:
        yield Providers(
            f"{_origin(one)}/v1beta",
            f"{_origin(two)}/v1",
            gemini[STATE].journal,
            openai[EMULATOR],
            (one, two),
        )


@asynccontextmanager
async def _listening(app: web.Application, keep_alive_s: float) -> AsyncIterator[web.AppRunner]:
    runner = web.AppRunner(
        app, handler_cancellation=True, access_log=None, shutdown_timeout=1.0, keepalive_timeout=keep_alive_s
    )
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        yield runner
    finally:
        await runner.cleanup()


def _origin(runner: web.AppRunner) -> str:
    return f"http://127.0.0.1:{runner.addresses[0][1]}"


def config_for(providers: Providers, transport: str, *, silence_s: float) -> dict[str, Any]:
    """Return a configuration: a pool of two Gemini models and an OpenAI model, each the other's fallback."""

    def entry(name: str, model: str, base: str) -> dict[str, Any]:
        parameters = {"model": model, "api_key": "emulated-key", "api_base": base}
        return {"model_name": name, "transport": transport, "litellm_params": parameters}

    return {
        "model_list": [
            entry("gemini", "gemini/gemini-3.6-flash", providers.gemini_base),
            entry("gemini", "gemini/gemini-2.5-pro", providers.gemini_base),
            entry("openai", "openai/gpt-4.1", providers.openai_base),
        ],
        "router_settings": {
            "timeout": max(20, silence_s),
            "first_byte_timeout": silence_s,
            "idle_timeout": silence_s,
            "fallbacks": [{"gemini": ["openai"]}, {"openai": ["gemini"]}],
        },
        "general_settings": {"drain_delay": 0, "drain_grace": 1},
    }
