"""Tests every publicly reported broken history at every provider of the direct transport, whole and streamed.

One process has a deployment for each row of the providers. The emulators refuse what each provider refuses. Servers
with chat templates also render the history by the templates of two models.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from proxy.config.providers.listed_providers import listed_providers
from proxy.config.providers.provider_rows import ROWS
from tests.process.asking import ask, body, explain
from tests.process.delivered import at_openai
from tests.process.emulators import in_a_thread
from tests.process.known_histories import HISTORIES, TOOLLESS, invented, lost
from tests.process.running import Served, serve
from tests.support.chat_emulator import judge_templated
from tests.support.compatible_emulator import PROVIDERS, Provider
from tests.support.covering_cases import share_of
from tests.support.emulated import Emulator

SERVERS = (
    "docker_model_runner",
    "hosted_vllm",
    "huggingface",
    "llamafile",
    "lm_studio",
    "ollama_chat",
    "vllm",
    "xinference",
)
"""Servers that operators run themselves, with a chat template."""

TEMPLATES = ("Qwen/Qwen3.5-35B", "mistralai/Mistral-Nemo-Instruct-2407")
"""Models with strict templates: the one wants the user's words, the other wants turns that alternate."""


def _templated(name: str, model: str) -> Provider:
    provider = PROVIDERS[name]
    return replace(provider, model=model, rules=replace(provider.rules, judge=judge_templated))


EMULATED: Mapping[str, Provider] = {
    **PROVIDERS,
    **{f"{name}, {model}": _templated(name, model) for name in SERVERS for model in TEMPLATES},
}
"""The emulated providers by the name of their deployment."""

JOINING = {name for name, provider in EMULATED.items() if not provider.rules.text_lists} | {"databricks"}
"""Providers that are sent the texts of a message as one text."""

REFUSED = {name: {"g35"} for name in EMULATED if name.startswith("deepseek")}
"""Histories whose user sends an image to a model without images. The proxy refuses them, and sends nothing."""


@dataclass(frozen=True, slots=True)
class Rows:
    """A running process, and the emulators of its deployments."""

    served: Served
    emulators: Mapping[str, Emulator]


@pytest.fixture(scope="module")
def rows(directory: Path) -> Iterator[Rows]:
    """Run one process in front of all emulators, without retries."""
    with in_a_thread(EMULATED) as emulators:
        config = {
            "model_list": [_deployment(name, emulators[name].base_url) for name in EMULATED],
            "general_settings": {"drain_delay": 0, "drain_grace": 2},
            "router_settings": {"num_retries": 0, "cooldown_time": 0},
        }
        with serve(directory, config) as served:
            yield Rows(served, emulators)


def _deployment(name: str, address: str) -> dict[str, Any]:
    provider = EMULATED[name]
    params: dict[str, Any] = {
        "model": f"{provider.prefix}/{provider.model}",
        "api_base": address,
        "azure_ad_token" if provider.key == "token" else "api_key": provider.secret,
        **provider.settings,
    }
    return {"model_name": name, "litellm_params": params, "transport": "direct"}


def test_every_row_is_emulated() -> None:
    assert {provider.prefix for provider in EMULATED.values()} == {*ROWS, *listed_providers()}


@pytest.mark.each_value
@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
@pytest.mark.parametrize("name", EMULATED)
def test_every_known_history_is_taken_at_the_first_try(
    http: httpx.Client, rows: Rows, name: str, stream: bool
) -> None:
    """The emulator accepts each history at the first try, and gets all of it except for reported losses."""
    histories = histories_of(name, stream=stream)
    found = {history: _fault(http, rows, name, history, stream=stream) for history in histories}

    assert {history: fault for history, fault in found.items() if fault} == {
        history: "not sent" for history in histories if history in REFUSED.get(name, ())
    }


def histories_of(name: str, *, stream: bool) -> list[str]:
    """Return the histories for a provider: a third of them, and another third as streams.

    Each provider gets other ones than its neighbours.
    """
    histories = list(HISTORIES) if EMULATED[name].takes_tools else TOOLLESS
    return share_of(histories, list(EMULATED).index(name) + stream)


def _fault(http: httpx.Client, rows: Rows, name: str, history: str, *, stream: bool) -> Any:
    """Send a history, and return what is wrong with the request that arrived, or None."""
    provider, emulator = EMULATED[name], rows.emulators[name]
    messages = HISTORIES[history]["messages"]
    tools = HISTORIES[history].get("tools", ()) if provider.takes_tools else ()
    request = body(name, messages, tools=tools, stream=stream)
    emulator.clear()

    answer = ask(http, rows.served, request)

    if not emulator.requests and answer.status == 400:
        return "not sent"
    refused = [record.refusal.message for record in emulator.requests if record.refusal is not None]
    if refused or len(emulator.requests) != 1 or not answer.is_whole:
        return refused or answer.text
    sent = emulator.requests[0].body
    assert bool(sent.get("stream")) is stream
    texts, joins = at_openai(sent), name in JOINING
    missing = lost(messages, sent, texts, [], joins=joins)
    if missing:  # otherwise no change has to tell of anything
        changes = explain(http, rows.served, request)["changes"]
        missing = lost(messages, sent, texts, changes, joins=joins)
    return missing or invented(sent) or None
