"""The running gateways of a test, the emulators behind them, and the relay before them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.clients.conftest import GEMINI_MODEL
from tests.clients.responses.cases import (
    CODEX_GEMINI,
    CODEX_GPT,
    CODEX_NATIVE,
    GEMINI,
    GEMINI_AS_GPT,
    GPT,
    NATIVE,
    NATIVE_OTHER,
    NATIVES,
    RESPONSES_ONLY,
    State,
)
from tests.clients.responses.relay import Relay
from tests.process.emulators import Gemini
from tests.process.running import Served
from tests.support.emulated import Emulator
from tests.support.openai_emulator import OpenAIEmulator


@dataclass(frozen=True)
class Gateways:
    """The processes and threads that a case needs."""

    relay: Relay
    alone: Served
    replicas: Callable[[], tuple[Served, Served]]
    gemini: Gemini
    openai: OpenAIEmulator
    responses: Emulator

    def begin(self, state: State) -> None:
        """Point the relay at the gateways that *state* needs."""
        if state.is_lost:
            self.relay.begin(self.alone.origin, self.replicas()[0].origin)
        elif state.is_shared:
            self.relay.begin(*(replica.origin for replica in self.replicas()))
        else:
            self.relay.begin(self.alone.origin, strips=state.is_stripped)

    def in_a_thread(self, model: str) -> Emulator | None:
        """Return the emulator of *model* where it runs in a thread. Gemini's runs in a process."""
        if model in NATIVES:
            return self.responses
        return self.openai if model in (GPT, CODEX_GPT) else None


def config_of(
    gemini: Gemini, openai: OpenAIEmulator, responses: Emulator, store_url: str | None = None
) -> dict[str, Any]:
    """Return the configuration of a gateway before the emulators. Without *store_url*, it has its own memory."""
    strict = {"model": f"gemini/{GEMINI_MODEL}", "api_key": "emulated", "api_base": gemini.api_base}
    gpt = {"model": "openai/gpt-4.1", "api_key": "emulated", "api_base": openai.base_url}
    azure = {
        "model": "azure/gpt-5.6-sol",
        "api_key": "emulated",
        "api_base": responses.base_url.removesuffix("/v1"),
        "api_version": "2025-04-01-preview",
    }
    codex = {"model": "openai/gpt-5.3-codex", "api_key": "emulated", "api_base": responses.base_url}
    grok = {"model": "xai/grok-4", "api_key": "emulated", "api_base": responses.base_url}
    return {
        "model_list": [
            {"model_name": GEMINI, "litellm_params": strict},
            {"model_name": GEMINI_AS_GPT, "litellm_params": strict},
            {"model_name": GPT, "litellm_params": gpt},
            {"model_name": CODEX_GPT, "litellm_params": gpt},
            {"model_name": CODEX_GEMINI, "litellm_params": strict},
            {"model_name": NATIVE, "litellm_params": azure, "transport": "direct"},
            {"model_name": CODEX_NATIVE, "litellm_params": azure, "transport": "direct"},
            {"model_name": NATIVE_OTHER, "litellm_params": grok},
            {
                "model_name": RESPONSES_ONLY,
                "litellm_params": codex,
                "model_info": {"mode": "responses"},
            },
        ],
        **({} if store_url is None else {"store": {"url": store_url}}),
        "general_settings": {"drain_delay": 0, "drain_grace": 2},
        "router_settings": {"num_retries": 0, "cooldown_time": 0},
    }
