"""Names of models, and the settings of a deployment."""

from __future__ import annotations

import pytest

from tests.proxy.config.samples import entry, faults_of, settings_of


@pytest.mark.parametrize(
    "model",
    [
        "gemini/gemini-2.5-pro",
        "openrouter/anthropic/claude",
        "gpt-4o",
        "o3",
        "o4-mini",
        "text-embedding-3-small",
    ],
)
def test_a_model_keeps_its_spelling(model: str) -> None:
    """A provider's model and a bare OpenAI name are kept as given."""
    assert settings_of(entry("a", model)).model_list[0].litellm_params.model == model


@pytest.mark.parametrize(
    ("model", "hint"),
    [
        ("claude-sonnet-4", "anthropic/"),
        ("gemini-2.5-pro", "gemini/"),
        ("mistral-large", "mistral/"),
        ("deepseek-chat", "deepseek/"),
        ("grok-4", "xai/"),
        ("gpt-oss-120b", "as in gemini/"),
        ("llama", "as in gemini/"),
        ("/llama", "as in gemini/"),
        ("groq/", "as in gemini/"),
    ],
)
def test_a_model_without_a_provider_is_refused_with_a_hint(model: str, hint: str) -> None:
    """The fault has an example of the right form."""
    ((path, text),) = faults_of(entry("a", model))

    assert path == "model_list[0].litellm_params.model"
    assert text.startswith("must be provider/model")
    assert hint in text


@pytest.mark.parametrize("name", ["*", "gemini*", "*/x", "gemini/*/x", "gemini/**", "/*"])
def test_a_wildcard_has_a_provider_and_one_star_at_the_end(name: str) -> None:
    """Any other shape of wildcard is refused on either side."""
    assert {path for path, _ in faults_of(entry(name, name))} == {
        "model_list[0].model_name",
        "model_list[0].litellm_params.model",
    }


def test_reserved_parameter_cannot_be_allowed() -> None:
    """A client must not choose the address that the operator's key is sent to."""
    assert faults_of(entry(allowed_openai_params=["guided_json", "api_base"])) == [
        (
            "model_list[0].litellm_params.allowed_openai_params",
            "entry 1 would let clients steer the call itself; it cannot be allowed",
        )
    ]


def test_api_version_may_be_a_date() -> None:
    """YAML reads ``2024-06-01`` as a date. Azure needs the text."""
    settings = settings_of(
        entry("a", "azure/gpt"), {**entry("b", "azure/gpt", api_version="2024-06-01-preview")}
    )

    assert settings.model_list[1].litellm_params.api_version == "2024-06-01-preview"


def test_an_empty_model_info_is_no_override() -> None:
    """``model_info:`` without keys is the same as no ``model_info``."""
    assert settings_of({**entry(), "model_info": None}) == settings_of(entry())
