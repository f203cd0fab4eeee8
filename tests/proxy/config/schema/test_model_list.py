"""Tests of the names of models and the settings of a deployment."""

from __future__ import annotations

import datetime

import pytest

from proxy.config import resolve
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
        "claude-sonnet-4-5",
        "gemini-2.5-pro",
        "mistral-large-latest",
        "deepseek-chat",
        "grok-4",
        "dall-e-3",
    ],
)
def test_a_model_keeps_its_spelling(model: str) -> None:
    """A provider's model, and a name that litellm's table knows, are kept as given."""
    assert settings_of(entry("a", model)).model_list[0].litellm_params.model == model


@pytest.mark.parametrize("model", ["gpt-oss-120b", "llama", "/llama", "groq/", "wherever-7b"])
def test_a_model_that_nobody_knows_needs_a_provider(model: str) -> None:
    """An unknown model without a provider is a fault that shows the right form."""
    ((path, text),) = faults_of(entry("a", model))

    assert path == "model_list[0].litellm_params.model"
    assert text.startswith("must be provider/model, as in gemini/")


@pytest.mark.parametrize(
    "params", [{"api_base": "http://h/v1"}, {"base_url": "http://h/v1"}, {"litellm_credential_name": "c"}]
)
def test_a_model_that_nobody_knows_is_asked_for_at_its_address(params: dict[str, str]) -> None:
    """An unknown model with an address is asked for there in OpenAI's format, as in LiteLLM."""
    credentials = [{"credential_name": "c", "credential_values": {"api_base": "http://h/v1"}}]
    [deployment] = resolve(settings_of(entry("a", "llama", **params), credential_list=credentials), "a")

    assert (deployment.provider, deployment.model_id) == ("openai", "llama")


@pytest.mark.parametrize("name", ["*/x", "gemini/*/x", "gemini/**"])
def test_a_name_has_one_star_at_its_end(name: str) -> None:
    """A model name with a ``*`` that is not its only one at the end is a fault."""
    assert ("model_list[0].model_name", "a wildcard has one * at the end, as in gemini/* or *") in faults_of(
        entry(name, "gemini/*")
    )


def test_a_model_has_one_star() -> None:
    """A provider's model with two ``*`` is a fault."""
    assert faults_of(entry("x/*", "gemini/*/*")) == [
        (
            "model_list[0].litellm_params.model",
            "a wildcard has one *, which stands for the name that a client sends",
        )
    ]


def test_free_facts_are_kept() -> None:
    """Any JSON value in ``model_info`` is kept. A date becomes a text, since JSON has no dates."""
    facts = {"mode": "chat", "team": {"owner": "a", "since": datetime.date(2026, 1, 2)}, "tags": ["x", 1.5]}
    info = settings_of({**entry(), "model_info": {"max_input_tokens": 5, **facts}}).model_list[0].model_info

    assert info.max_input_tokens == 5
    assert info.model_extra == {**facts, "team": {"owner": "a", "since": "2026-01-02"}}


@pytest.mark.parametrize("fact", [b"x", {1, 2}, {1: "x"}, [float("inf")]])
def test_a_fact_is_json(fact: object) -> None:
    """A value in ``model_info`` that is not JSON is a fault, since ``check --json`` prints it."""
    [(path, _)] = faults_of({**entry(), "model_info": {"fact": fact}})

    assert path == "model_list[0].model_info.fact"


def test_extra_body_is_json() -> None:
    """An ``extra_body`` that is not JSON is a fault, since it becomes a part of the provider's body."""
    [(path, text)] = faults_of(entry(extra_body={"provider": {"order": b"x"}}))

    assert (path, text) == ("model_list[0].litellm_params.extra_body", "holds a value that JSON has not")


def test_reserved_parameter_cannot_be_allowed() -> None:
    """A reserved parameter such as ``api_base`` in ``allowed_openai_params`` is a fault."""
    assert faults_of(entry(allowed_openai_params=["guided_json", "api_base"])) == [
        (
            "model_list[0].litellm_params.allowed_openai_params",
            "entry 1 would let clients steer the call itself; it cannot be allowed",
        )
    ]


def test_api_version_may_be_a_date() -> None:
    """An ``api_version`` that looks like a date stays a text."""
    settings = settings_of(
        entry("a", "azure/gpt"), {**entry("b", "azure/gpt", api_version="2024-06-01-preview")}
    )

    assert settings.model_list[1].litellm_params.api_version == "2024-06-01-preview"


def test_an_empty_model_info_is_no_override() -> None:
    """``model_info:`` without keys is the same as no ``model_info``."""
    assert settings_of({**entry(), "model_info": None}) == settings_of(entry())
