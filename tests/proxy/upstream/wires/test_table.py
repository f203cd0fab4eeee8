"""Tests of the table of wires: a provider has the wires of its row, or OpenAI's wires if it has no row."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from pathlib import Path

import pytest

from proxy.config.addresses import OPENAI_SERVERS, speaks_to
from proxy.config.providers.find_provider import find_provider
from proxy.config.providers.listed_providers import listed_providers
from proxy.config.providers.provider_row import ProviderRow
from proxy.config.providers.provider_rows import ROWS
from proxy.core.errors import InvalidRequest
from proxy.core.upstream_call import UpstreamCall
from proxy.upstream.transports import completes_texts, transport_of
from proxy.upstream.wires.gemini.wire import GEMINI
from proxy.upstream.wires.openai.wire import AZURE, OPENAI
from proxy.upstream.wires.table import (
    CHATS_BY_RESPONSES,
    WIRES,
    embedding_wire_of,
    has_texts,
    most_inputs_of,
    text_wire_of,
    wire_for,
    wire_of,
)
from sanitizers import profile_for
from tests.proxy.upstream.deployments import LIMITS, deployment_of
from tests.proxy.upstream.wires.toy.plugging import plug_in_toy
from tests.support.builders import user

ROOT = Path(__file__).parents[4]
PROVIDERS = (*ROWS.values(), *listed_providers().values())


@pytest.mark.parametrize(
    "row", [row for row in PROVIDERS if row.prefix != "azure"], ids=lambda row: row.prefix
)
def test_provider_has_openai_s_wires_for_the_endpoints_of_its_row(row: ProviderRow) -> None:
    """A text completion becomes a chat where the provider has no endpoint. Embeddings are refused there."""
    deployment = deployment_of(f"{row.prefix}/some-model")

    assert wire_of(deployment) is OPENAI.chat
    assert has_texts(deployment) is row.texts
    assert most_inputs_of(deployment) is None
    if row.embeddings:
        assert embedding_wire_of(deployment) is OPENAI.embeddings
    else:
        with pytest.raises(InvalidRequest, match="no embeddings"):
            embedding_wire_of(deployment)


def test_refusal_of_huggingface_s_embeddings_names_the_settings() -> None:
    """Only litellm reads their form, and a model's name does not tell what the model is for."""
    with pytest.raises(InvalidRequest, match=r"list this model with model_info\.mode: embedding, or set"):
        embedding_wire_of(deployment_of("huggingface/BAAI/bge-m3"))


@pytest.mark.parametrize(
    ("model", "row"),
    [
        ("openai/gpt-5.3-codex", "openai"),
        ("azure/gpt-5.1-codex", "azure"),
        ("xai/grok-4.20-multi-agent", "openai"),
    ],
)
def test_models_without_chats_take_the_wire_of_responses(model: str, row: str) -> None:
    """So does a call whose history was made for items, and no other."""
    deployment, plain = deployment_of(model), deployment_of("groq/m")
    call = UpstreamCall(deployment, [user("hi")], {}, LIMITS)

    assert wire_of(deployment) is wire_for(call) is CHATS_BY_RESPONSES[row]
    chat = replace(call, deployment=plain)
    assert wire_for(chat) is OPENAI.chat
    assert wire_for(replace(chat, profile=profile_for("groq/m"))) is OPENAI.chat
    assert wire_for(replace(chat, profile=profile_for("groq/m").as_items())) is CHATS_BY_RESPONSES["openai"]


def test_azure_has_wires_of_its_own() -> None:
    """Its addresses and headers differ. litellm sends text completions of ``azure/`` as chats, too."""
    deployment = deployment_of("azure/some-model")

    assert wire_of(deployment) is AZURE.chat
    assert embedding_wire_of(deployment) is AZURE.embeddings
    assert not has_texts(deployment)


@pytest.mark.parametrize("provider", [*sorted(OPENAI_SERVERS), "unknown"])
def test_server_and_unknown_provider_have_all_of_openai_s_wires(provider: str) -> None:
    """The servers of many providers speak OpenAI's format."""
    deployment = deployment_of(f"{provider}/some-model")

    assert wire_of(deployment) is OPENAI.chat
    assert embedding_wire_of(deployment) is OPENAI.embeddings
    assert text_wire_of(deployment) is OPENAI.texts
    assert has_texts(deployment)
    assert most_inputs_of(deployment) is None


def test_gemini_has_no_text_completions() -> None:
    """Text completions for Gemini's models become chats."""
    deployment = deployment_of("gemini/gemini-3.6-flash")

    assert wire_of(deployment) is GEMINI.chat
    assert embedding_wire_of(deployment) is GEMINI.embeddings
    assert most_inputs_of(deployment) == 100
    assert not has_texts(deployment)
    with pytest.raises(InvalidRequest, match="no text completions"):
        text_wire_of(deployment)


@pytest.mark.parametrize("provider", WIRES)
def test_configuration_may_name_the_provider_of_each_row(provider: str) -> None:
    """The configuration knows the provider of each row, and so accepts ``transport: direct`` for the provider."""
    assert speaks_to(provider)


@pytest.mark.parametrize(
    ("contract", "field"),
    [
        ("provider wires know nothing of one another", "modules"),
        ("the direct transport takes a wire from the table, and knows no single one", "forbidden_modules"),
    ],
    ids=["independence", "transport"],
)
def test_contract_has_the_folder_of_each_wire(contract: str, field: str) -> None:
    """A wire's folder that the contract leaves out could import another provider's wire."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
    [listed] = [one[field] for one in settings["contracts"] if one["name"] == contract]
    folders = (ROOT / "proxy" / "upstream" / "wires").glob("*/wire.py")

    assert sorted(listed) == sorted(f"proxy.upstream.wires.{path.parent.name}" for path in folders)


def test_direct_transport_is_the_default_for_a_row(monkeypatch: pytest.MonkeyPatch) -> None:
    """Providers without a row use litellm by default."""
    deployment = deployment_of("toy/talker")
    assert transport_of(deployment) == "litellm"

    plug_in_toy(monkeypatch)
    assert find_provider("toy") is None
    assert transport_of(deployment) == "direct"


def test_wire_for_chats_only_has_no_embeddings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Text completions for the models of such a wire become chats."""
    plug_in_toy(monkeypatch)
    deployment = deployment_of("toy/talker")

    assert not completes_texts(deployment)
    assert most_inputs_of(deployment) is None
    with pytest.raises(InvalidRequest, match="no embeddings"):
        embedding_wire_of(deployment)
