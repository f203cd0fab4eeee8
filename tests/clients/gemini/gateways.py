"""The running gateways of a test, the emulators behind them, and the relay before them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from typing_extensions import override

from tests.clients.conftest import GEMINI_MODEL
from tests.clients.gemini.cases import CLAUDES, EMBEDDER, GEMINI, GPT, OTHER_EMBEDDER
from tests.clients.messages.gateways import Gateways as MessagesGateways
from tests.clients.responses.relay import Exchange
from tests.process.emulators import Gemini
from tests.process.running import Served, serve
from tests.support.emulated import Emulator
from tests.support.openai_emulator import OpenAIEmulator

METHODS = (":generateContent", ":streamGenerateContent")


class Gateways(MessagesGateways):
    """The processes and threads that a client of Gemini's API needs."""

    @override
    @contextmanager
    def serving(self, **settings: Any) -> Iterator[Served]:
        """Run a gateway with further *settings*, and point the relay at it."""
        config = config_of(self.gemini, self.openai, self.anthropic)
        with serve(self.directory, {**config, **settings}) as served:
            self.relay.begin(served.origin)
            yield served

    @property
    @override
    def exchanges(self) -> list[Exchange]:
        """The exchanges that asked a model for an answer."""
        return [exchange for exchange in self.relay.exchanges if exchange.path.endswith(METHODS)]

    def wildcard(self, model: str) -> list[dict[str, Any]]:
        """Return the list of models that gives every name of a Gemini model to *model*."""
        config = config_of(self.gemini, self.openai, self.anthropic)
        named = {entry["model_name"]: entry["litellm_params"] for entry in config["model_list"]}
        return [{"model_name": "gemini-*", "litellm_params": named.get(model, named["gemini-*"])}]

    @override
    def part_of(self, block: Mapping[str, Any]) -> dict[str, Any] | None:
        """Return a block as a part of Gemini's answer."""
        if block["type"] == "thinking":
            return {"text": block["thinking"], "thought": True}
        return super().part_of(block)


def config_of(gemini: Gemini, openai: OpenAIEmulator, anthropic: Emulator) -> dict[str, Any]:
    """Return the configuration of a gateway before the emulators, with a store in its own memory."""
    strict = {"api_key": "emulated", "api_base": gemini.api_base}
    gpt = {"api_key": "emulated", "api_base": openai.base_url}
    claude = {"api_key": "emulated", "api_base": anthropic.base_url, "reasoning_effort": "medium"}
    named = {
        "gemini-*": {"model": "gemini/gemini-*", **strict},
        GEMINI: {"model": f"gemini/{GEMINI_MODEL}", **strict},
        EMBEDDER: {"model": f"gemini/{EMBEDDER}", **strict},
        GPT: {"model": f"openai/{GPT}", **gpt},
        OTHER_EMBEDDER: {"model": f"openai/{OTHER_EMBEDDER}", **gpt},
        **{name: {"model": f"anthropic/{name}", **claude} for name in CLAUDES},
    }
    return {
        "model_list": [{"model_name": name, "litellm_params": given} for name, given in named.items()],
        "general_settings": {"drain_delay": 0, "drain_grace": 2},
        "router_settings": {"num_retries": 0, "cooldown_time": 0},
    }
