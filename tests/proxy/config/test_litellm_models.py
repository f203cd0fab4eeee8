"""Tests of what is found in litellm's table: the provider of a bare name, and a provider's models."""

from __future__ import annotations

import subprocess
import sys

import pytest

from proxy.config.litellm_models import (
    answers_responses,
    embeds,
    is_provider,
    likely_provider,
    models_of,
    provider_of,
    thinks,
)


@pytest.mark.parametrize(
    ("name", "provider"),
    [
        ("gpt-4o", "openai"),
        ("gpt-9-that-nobody-knows", "openai"),
        ("o3", "openai"),
        ("dall-e-3", "openai"),
        ("whisper-1", "openai"),
        ("text-embedding-3-small", "openai"),
        ("claude-sonnet-4-5", "anthropic"),
        ("claude-9-that-nobody-knows", "anthropic"),
        ("gemini-2.5-pro", "gemini"),
        ("mistral-large-latest", "mistral"),
        ("deepseek-chat", "deepseek"),
        ("command-r-plus", "cohere"),
        ("grok-4", "xai"),
        ("anthropic.claude-3-5-sonnet-20240620-v1:0", "bedrock"),
        ("eu.anthropic.claude-that-nobody-knows", "bedrock"),
        ("gpt-oss-120b", None),
        ("llama", None),
        ("", None),
    ],
)
def test_a_bare_name_has_a_provider(name: str, provider: str | None) -> None:
    """A bare name that LiteLLM knows has LiteLLM's provider, and any other name has none."""
    assert provider_of(name) == provider


def test_gemini_is_vertex_where_the_entry_has_its_credentials() -> None:
    """A bare Gemini name means Vertex AI where the entry has Vertex credentials."""
    assert provider_of("gemini-2.5-pro", on_vertex=True) == "vertex_ai"


def test_a_likely_provider_needs_no_table() -> None:
    """The likely provider is found without litellm's table. Reading the table would block the event loop."""
    command = (
        "import proxy.config.litellm_models as m; assert m.likely_provider('claude-x') == 'anthropic'; "
        "assert m.likely_provider('llama') is None; assert m._rows.cache_info().currsize == 0"
    )
    subprocess.run([sys.executable, "-c", command], check=True)
    assert likely_provider("gpt-4o") == "openai"


def test_chat_models_come_first() -> None:
    """Chat models are listed before others, without the provider's prefix."""
    names = models_of("openai")

    assert names.index("gpt-4o") < names.index("text-embedding-3-small")
    assert not any(name.startswith("openai/") for name in names)
    assert models_of("nobody") == ()


@pytest.mark.parametrize(("name", "known"), [("openai", True), ("bedrock", True), ("nobody", False)])
def test_the_table_s_providers_are_known(name: str, known: bool) -> None:
    """A provider is known if litellm's table lists it."""
    assert is_provider(name) is known


@pytest.mark.parametrize(
    ("model", "known"),
    [
        ("perplexity/pplx-embed-v1-4b", True),
        ("azure/text-embedding-3-small", True),
        ("azure/gpt-4.1", False),
        ("perplexity/of-nobody", False),
    ],
)
def test_the_table_knows_models_for_embeddings(model: str, known: bool) -> None:
    """A name that the table does not list is not known to be for embeddings."""
    assert embeds(model) is known


@pytest.mark.parametrize(
    ("model", "answers"),
    [
        ("azure/gpt-5-codex", True),
        ("databricks/databricks-gpt-5-5", True),
        ("xai/grok-4.20-multi-agent", True),
        ("azure/gpt-4.1", False),
        ("azure/text-embedding-3-small", False),
        ("azure/of-nobody", False),
    ],
)
def test_some_models_have_the_responses_api_alone(model: str, answers: bool) -> None:
    """The table gives the API of each model. A name that it does not list has chats."""
    assert answers_responses(model) is answers


@pytest.mark.parametrize(
    ("model", "reasons"),
    [("gpt-5.3-codex", True), ("xai/grok-4.5", True), ("gpt-4.1", False), ("xai/of-nobody", False)],
)
def test_table_knows_models_that_reason(model: str, reasons: bool) -> None:
    """A model that the table does not list is none of them."""
    assert thinks(model) is reasons
