"""Runs one proxy process in front of all emulated providers, and controls and reads each provider in the same way.

Each model is in the list for the rules of its provider or template. For example, the newer Claude refuses a prefilled
answer, DeepSeek's reasoner wants its thoughts back, and a template wants alternating roles. Each model is asked by the
transport that its provider takes by default. Models whose names begin with ``litellm/`` are asked through litellm.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from tests.process.delivered import (
    at_anthropic,
    at_bedrock,
    at_gemini,
    at_ollama,
    at_openai,
    at_responses,
)
from tests.process.emulators import Gemini
from tests.process.running import Served, serve
from tests.support.anthropic_emulator import ANTHROPIC
from tests.support.bedrock_emulator import BEDROCK
from tests.support.chat_emulator import DEEPSEEK, MISTRAL, TEMPLATED
from tests.support.cohere_emulator import COHERE
from tests.support.emulated import Emulator, Wire
from tests.support.ollama_emulator import OLLAMA
from tests.support.openai_emulator import OPENAI
from tests.support.responses_emulator import RESPONSES

THROUGH_LITELLM = "litellm/"

WIRES: Mapping[str, Wire] = {
    "anthropic": ANTHROPIC,
    "bedrock": BEDROCK,
    "cohere_chat": COHERE,
    "deepseek": DEEPSEEK,
    "hosted_vllm": TEMPLATED,
    "mistral": MISTRAL,
    "ollama_chat": TEMPLATED,
    "openai": OPENAI,
    "xai": RESPONSES,
    "litellm/anthropic": ANTHROPIC,
    "litellm/deepseek": DEEPSEEK,
    "litellm/hosted_vllm": TEMPLATED,
    "litellm/mistral": MISTRAL,
    "litellm/ollama_chat": OLLAMA,
}
"""The wire of each route. litellm speaks Ollama's own. Gemini's wire is emulated in its own process.

xAI's emulator answers in the Responses API alone.
"""

MODELS = (
    "gemini/gemini-2.5-pro",
    "gemini/gemini-3.6-flash",
    "openai/gpt-4.1",
    "anthropic/claude-sonnet-4-5",
    "anthropic/claude-opus-4-6",
    "anthropic/claude-opus-4-8",
    "mistral/mistral-large-latest",
    "deepseek/deepseek-chat",
    "deepseek/deepseek-reasoner",
    "deepseek/deepseek-v4",
    "cohere_chat/command-a-03-2025",
    "ollama_chat/qwen3.5",
    "bedrock/anthropic.claude-sonnet-4-5-20250929-v1:0",
    "bedrock/us.meta.llama4-maverick-17b-instruct-v1:0",
    "hosted_vllm/mistralai/Devstral-Small-2507",
    "hosted_vllm/mistralai/Mistral-Nemo-Instruct-2407",
    "hosted_vllm/mistralai/Mistral-Small-3.2-24B-Instruct",
    "hosted_vllm/Qwen/Qwen3-VL-8B-Instruct",
    "hosted_vllm/Qwen/Qwen3.5-35B",
    "hosted_vllm/meta-llama/Llama-3.3-70B-Instruct",
    "litellm/anthropic/claude-sonnet-4-5",
    "litellm/mistral/mistral-large-latest",
    "litellm/deepseek/deepseek-chat",
    "litellm/deepseek/deepseek-reasoner",
    "litellm/deepseek/deepseek-v4",
    "litellm/ollama_chat/qwen3.5",
    "litellm/hosted_vllm/mistralai/Devstral-Small-2507",
    "litellm/hosted_vllm/Qwen/Qwen3.5-35B",
)
"""Models that take tools."""

WITHOUT_TOOLS = ("hosted_vllm/google/gemma-2-9b-it", "hosted_vllm/google/gemma-3-12b-it")
"""Models whose server refuses tool declarations. Tests send no history with calls to these models."""

_READ: Mapping[str, Callable[[Mapping[str, Any]], list[Any]]] = {
    "anthropic": at_anthropic,
    "bedrock": at_bedrock,
    "gemini": at_gemini,
    "litellm/anthropic": at_anthropic,
    "litellm/ollama_chat": at_ollama,
    "xai": at_responses,
}


@dataclass(frozen=True, slots=True)
class Sent:
    """One request that a provider got: its body, the status of the answer, and the words of a refusal."""

    body: Any
    status: int
    refused: str | None


class Provider(Protocol):
    """One provider's emulator, as these tests need it."""

    def clear(self) -> None:
        """Empty the queued answers and faults, and the journal of requests."""

    def fail_once(self) -> None:
        """Answer the next request with a 503, after which the proxy may ask another provider."""

    def call_once(self, calls: Sequence[tuple[str, dict[str, Any]]]) -> None:
        """Answer the next request with these calls."""

    def say_once(self, text: str) -> None:
        """Answer the next request with this text."""

    def sent(self) -> list[Sent]:
        """Return the requests that came in, oldest first."""


@dataclass(frozen=True, slots=True)
class InAThread:
    """An emulator in a thread."""

    emulator: Emulator

    def clear(self) -> None:
        """See `Provider`."""
        self.emulator.clear()

    def fail_once(self) -> None:
        """See `Provider`."""
        self.emulator.faults.append({"status": 503, "message": "Overloaded."})

    def call_once(self, calls: Sequence[tuple[str, dict[str, Any]]]) -> None:
        """See `Provider`. A thinking model puts a thought before the calls."""
        self.emulator.faults.append({"calls": list(calls)})

    def say_once(self, text: str) -> None:
        """See `Provider`."""
        self.emulator.faults.append({"text": text})

    def sent(self) -> list[Sent]:
        """See `Provider`."""
        return [
            Sent(record.body, record.status or 0, record.refusal.message if record.refusal else None)
            for record in self.emulator.requests
        ]


@dataclass(frozen=True, slots=True)
class InAProcess:
    """Gemini's emulator."""

    gemini: Gemini

    def clear(self) -> None:
        """See `Provider`."""
        self.gemini.clear()

    def fail_once(self) -> None:
        """See `Provider`."""
        self.gemini.fault(status=503, message="The model is overloaded.")

    def call_once(self, calls: Sequence[tuple[str, dict[str, Any]]]) -> None:
        """See `Provider`. The emulator adds ids, and a thought signature to the first call."""
        self.gemini.answer(*({"functionCall": {"name": name, "args": args}} for name, args in calls))

    def say_once(self, text: str) -> None:
        """See `Provider`."""
        self.gemini.say(text)

    def sent(self) -> list[Sent]:
        """See `Provider`."""
        return [
            Sent(entry["body"], entry["verdict"]["status"], entry["verdict"].get("message"))
            for entry in self.gemini.journal()
        ]


@dataclass(frozen=True, slots=True)
class Everywhere:
    """A running process, and its providers by the name of their route."""

    served: Served
    providers: Mapping[str, Provider]

    def of(self, model: str) -> Provider:
        """Return the provider of a model, with nothing in its queue and its journal."""
        provider = self.providers[route_of(model)]
        provider.clear()
        return provider


def route_of(model: str) -> str:
    """Return litellm's name of the route to a model, behind ``litellm/`` for a model that is asked through it."""
    through = THROUGH_LITELLM if model.startswith(THROUGH_LITELLM) else ""
    return through + model.removeprefix(through).partition("/")[0]


def arrived(model: str, body: Mapping[str, Any]) -> list[Any]:
    """Return the texts and the results in a body that this model's provider was sent."""
    return _READ.get(route_of(model), at_openai)(body)


def params_of(model: str, gemini: Gemini, emulators: Mapping[str, Emulator]) -> dict[str, Any]:
    """Return the `litellm_params` of a model."""
    route = route_of(model)
    address = gemini.api_base if route == "gemini" else emulators[route].base_url
    own = model.removeprefix(THROUGH_LITELLM)
    return {"model": own, "api_key": "emulated", "api_base": address}


def entry_of(name: str, model: str, gemini: Gemini, emulators: Mapping[str, Emulator]) -> dict[str, Any]:
    """Return the entry of the model list that serves a model by *name*."""
    entry = {"model_name": name, "litellm_params": params_of(model, gemini, emulators)}
    return entry | ({"transport": "litellm"} if model.startswith(THROUGH_LITELLM) else {})


@contextmanager
def serve_everywhere(
    directory: Path, gemini: Gemini, emulators: Mapping[str, Emulator], **settings: Any
) -> Iterator[Everywhere]:
    """Serve each provider's models by a wildcard entry, by default without retries.

    *settings* may hold ``model_list``, ``general_settings``, ``router_settings`` and ``turns`` of the configuration.
    """
    entries = [entry_of(f"{route}/*", f"{route}/*", gemini, emulators) for route in ("gemini", *WIRES)]
    config = {
        "model_list": [*entries, *settings.get("model_list", ())],
        "general_settings": {"drain_delay": 0, "drain_grace": 2, **settings.get("general_settings", {})},
        "router_settings": {"num_retries": 0, "cooldown_time": 0, **settings.get("router_settings", {})},
        "turns": settings.get("turns", {}),
    }
    providers: dict[str, Provider] = {route: InAThread(emulator) for route, emulator in emulators.items()}
    with serve(directory, config) as served:
        yield Everywhere(served, {**providers, "gemini": InAProcess(gemini)})
