"""Tests that a deployment's row of the table is chosen by provider, model and transport."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from proxy.upstream.dialects.choose_dialect import Transport, dialect_for, withheld_names
from proxy.upstream.dialects.dialect import FORMATS, Dialect
from proxy.upstream.dialects.table import LEVELS
from tests.proxy.upstream.deployments import deployment_of


def row_of(model: str, transport: Transport = "litellm", **params: Any) -> Dialect:
    """Return the row of a deployment of *model*."""
    base = {"api_base": "http://127.0.0.1:1/v1"}
    return dialect_for(deployment_of(model, **{**base, **params}), transport)


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("gemini/gemini-2.5-pro", "gemini"),
        ("gemini/gemini-3-pro-preview", "gemini-3"),
        ("vertex_ai/gemini-3-pro-preview", "gemini-3"),
        ("vertex_ai/claude-sonnet-4-5", "anthropic"),
        ("anthropic/claude-sonnet-4-5", "anthropic"),
        ("bedrock/anthropic.claude-sonnet-4-5-v1:0", "bedrock-claude"),
        ("bedrock/us.amazon.nova-pro-v1:0", "bedrock-nova"),
        ("bedrock/meta.llama3-70b-instruct-v1:0", "bedrock"),
        ("deepseek/deepseek-chat", "deepseek"),
        ("deepseek/deepseek-reasoner", "deepseek-reasoner"),
        ("deepseek/deepseek-v4", "deepseek-v4"),
        ("mistral/mistral-large-latest", "mistral"),
        ("openai/gpt-4.1", "openai-compatible"),
        ("hosted_vllm/qwen3", "openai-compatible"),
        ("azure/gpt-4.1", "openai"),
        ("codestral/codestral-latest", "mistral"),
        ("databricks/databricks-meta-llama-3-3", "databricks"),
        ("moonshot/moonshot-v1-8k", "moonshot"),
        ("nvidia_nim/meta/llama", "nvidia"),
        ("perplexity/sonar", "perplexity"),
        ("cerebras/llama", "cerebras"),
        ("zai/glm-4.6", "others-max-tokens"),
        ("publicai/apertus", "others-max-tokens"),
        ("scaleway/llama", "others"),
        ("replicate/whatever", "others"),
    ],
)
def test_row_of_a_provider_and_model(model: str, name: str) -> None:
    """A provider without its own row gets the row ``others``, with ``max_tokens`` where litellm's table says so.

    A server with OpenAI's format gets the row ``openai-compatible``.
    """
    assert row_of(model).name == name


def test_openai_s_own_service_has_its_own_row_with_the_model_s_efforts() -> None:
    """The address decides, since other servers use the same names of models."""
    own = row_of("openai/gpt-5.1", api_base="https://api.openai.com/v1")

    assert (own.name, own.efforts) == ("openai", ("none", "low", "medium", "high"))
    assert row_of("openai/gpt-5.1").efforts is None


_JSON_OBJECT = frozenset({"json_object"})


@pytest.mark.parametrize(
    ("version", "transport", "formats", "forces"),
    [
        ("2024-02-01", "direct", _JSON_OBJECT, False),
        ("2024-05-01-preview", "direct", _JSON_OBJECT, False),
        ("2024-06-01", "direct", _JSON_OBJECT, True),
        ("2024-08-01-preview", "direct", FORMATS, True),
        ("2024-10-21", "direct", FORMATS, True),
        ("preview", "direct", FORMATS, True),
        (None, "direct", FORMATS, True),
        ("2024-02-01", "litellm", FORMATS, True),
    ],
)
def test_older_versions_of_azure_s_api_have_no_schemas_and_no_forced_calls(
    version: str | None, transport: Transport, formats: frozenset[str], forces: bool
) -> None:
    """Litellm writes a schema as a tool for these versions by itself."""
    row = row_of("azure/gpt-4o", transport, **({} if version is None else {"api_version": version}))

    assert (row.formats, row.formats_with_tools) == (formats, formats)
    assert ("required" in row.choices) is forces
    assert "named" in row.choices


@pytest.mark.parametrize("model", ["groq/openai/gpt-oss-120b", "ollama/gpt-oss:20b"])
def test_gpt_oss_has_three_levels_wherever_it_runs(model: str) -> None:
    """Thinking cannot be turned off for gpt-oss."""
    assert row_of(model).efforts == LEVELS


@pytest.mark.parametrize(
    ("transport", "efforts"), [("direct", ("none", "high", "max")), ("litellm", ("none", "high"))]
)
def test_deepseek_v4_has_more_efforts_on_the_direct_wire(
    transport: Transport, efforts: tuple[str, ...]
) -> None:
    """Through litellm, the effort only switches thinking on or off."""
    assert row_of("deepseek/deepseek-v4", transport).efforts == efforts


@pytest.mark.parametrize(("transport", "limit"), [("direct", "any"), ("litellm", "one")])
def test_litellm_merges_the_limits_of_some_servers(transport: Transport, limit: str) -> None:
    """Litellm would merge ``max_tokens`` and ``max_completion_tokens`` into one limit."""
    assert row_of("xinference/qwen3", transport).limit == limit


def test_withheld_names_are_those_of_the_row_and_of_openai_s_model() -> None:
    """A name that the request does not have is not withheld."""
    deployment = deployment_of("openai/o3", api_base="https://api.openai.com/v1")
    parameters = {"top_k": 1, "stop": ["x"], "seed": 1}

    assert withheld_names(deployment, "direct", parameters) == {"top_k", "stop"}


@pytest.mark.parametrize(
    ("profile", "name"),
    [
        ("mistral", "mistral"),
        ("deepseek", "deepseek"),
        ("deepseek-reasoner", "deepseek-reasoner"),
        ("deepseek-thinking", "deepseek-v4"),
        ("chat-template-mistral", "openai-compatible"),
        ("anthropic", "openai-compatible"),
        (None, "openai-compatible"),
    ],
)
@pytest.mark.parametrize("model", ["openai/ours", "hosted_vllm/ours"])
def test_profile_chooses_the_row_of_a_server_that_does_not_tell(
    model: str, profile: str | None, name: str
) -> None:
    """The operator's profile names the service behind a server of OpenAI's wire."""
    deployment = replace(deployment_of(model, api_base="http://127.0.0.1:1/v1"), profile=profile)

    assert dialect_for(deployment, "direct").name == name


@pytest.mark.parametrize(
    ("model", "base", "name"),
    [
        ("openai/gpt-4.1", "https://api.openai.com/v1", "openai"),
        ("anthropic/claude-sonnet-4-5", None, "anthropic"),
        ("groq/llama", None, "groq"),
    ],
)
def test_profile_does_not_change_the_row_of_a_known_service(model: str, base: str | None, name: str) -> None:
    """The address or the route tells which service takes the parameters."""
    params = {} if base is None else {"api_base": base}
    deployment = replace(deployment_of(model, **params), profile="mistral")

    assert dialect_for(deployment, "litellm").name == name
