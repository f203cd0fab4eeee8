"""Run two emulators on loopback, in the run's event loop, and configure the proxy for both: Gemini's and another one.

The other provider is OpenAI, or one of those that copy OpenAI's wire (:mod:`tests.support.compatible_emulator`).
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from aiohttp import web

from benchmarks.chaos.faults import Faults, GeminiQueue, OpenAIQueue
from proxy.emulator import create_emulator as create_gemini_emulator
from proxy.emulator.journal import Journal
from proxy.emulator.state import STATE
from tests.support.compatible_emulator import PROVIDERS
from tests.support.emulated import EMULATOR, Emulator, Wire, create_emulator
from tests.support.openai_emulator import OPENAI

KEEP_ALIVE_S = 1.0
"""Seconds after which failing providers close idle connections. A call on a connection that just closed is retried."""

PATIENT_S = 60.0
"""Seconds for the proxy's timeouts and the providers' keep-alive in a run without faults.

No slow machine reaches this limit.
"""

GEMINI, OPENAI_NAME = "gemini", "openai"

KEY = "emulated-key"
"""The key of Gemini and OpenAI. Each other provider takes one of its own."""

SECRETS = (KEY, *(provider.secret for provider in PROVIDERS.values()))
"""The keys that no error may hold."""


@dataclass(frozen=True)
class Providers:
    """The running providers: their addresses and the records of their calls. *name* is the other provider's."""

    gemini_base: str
    name: str
    base: str
    journal: Journal
    other: Emulator
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
        return gemini + len([request for request in self.other.requests if request.finished is None])

    @property
    def models(self) -> tuple[str, str]:
        """The names of the models that clients ask for."""
        return GEMINI, self.name


@asynccontextmanager
async def providing(faults: Faults, name: str, *, keep_alive_s: float) -> AsyncIterator[Providers]:
    """Serve Gemini and the provider *name* while the context lasts. Their calls fail with the faults of *faults*."""
    wire: Wire = OPENAI if name == OPENAI_NAME else PROVIDERS[name]
    gemini, other = create_gemini_emulator(), create_emulator(wire)
    gemini[STATE].faults = GeminiQueue(faults)
    other[EMULATOR].faults = OpenAIQueue(faults)
    async with _listening(gemini, keep_alive_s) as one, _listening(other, keep_alive_s) as two:
        yield Providers(
            f"{_origin(one)}/v1beta",
            name,
            f"{_origin(two)}{wire.base_path}",
            gemini[STATE].journal,
            other[EMULATOR],
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
    """Return a configuration: a pool of two Gemini models and a model of the other provider.

    Each is the other's fallback.
    """

    def entry(name: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
        return {"model_name": name, "transport": transport, "litellm_params": dict(parameters)}

    gemini = {"api_key": KEY, "api_base": providers.gemini_base}
    other = providers.name
    return {
        "model_list": [
            entry(GEMINI, {"model": "gemini/gemini-3.6-flash", **gemini}),
            entry(GEMINI, {"model": "gemini/gemini-2.5-pro", **gemini}),
            entry(other, parameters_of(other, providers.base)),
        ],
        "router_settings": {
            "timeout": max(20, silence_s),
            "first_byte_timeout": silence_s,
            "idle_timeout": silence_s,
            "fallbacks": [{GEMINI: [other]}, {other: [GEMINI]}],
        },
        "general_settings": {"drain_delay": 0, "drain_grace": 1},
    }


def parameters_of(name: str, base: str) -> dict[str, str]:
    """Return the ``litellm_params`` of the provider *name* at the address *base*."""
    if name == OPENAI_NAME:
        return {"model": "openai/gpt-4.1", "api_key": KEY, "api_base": base}
    provider = PROVIDERS[name]
    key = "azure_ad_token" if provider.key == "token" else "api_key"
    model = f"{provider.prefix}/{provider.model}"
    return {"model": model, key: provider.secret, "api_base": base, **provider.settings}
