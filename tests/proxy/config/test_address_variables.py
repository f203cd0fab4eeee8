"""Tests of addresses in the variables that litellm reads: the direct transport calls the same host."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.config import load_settings, resolve
from proxy.config.address_variables import fill_addresses
from proxy.upstream.transports import transport_of
from tests.proxy.config.samples import entry, faults_of, load

HERE = "http://127.0.0.1:8000/v1"
VARIABLES = {
    "GROQ_API_BASE": f"{HERE}/",
    "HOSTED_VLLM_API_BASE": HERE,
    "FEATHERLESS_AI_API_BASE": " ",
    "FEATHERLESS_API_BASE": HERE,
    "CRUSOE_API_BASE": HERE,
    "OPENAI_API_BASE": HERE,
    "DEEPSEEK_API_BASE": HERE,
    "ANTHROPIC_API_BASE": HERE,
}


@pytest.mark.parametrize(
    ("model", "variable"),
    [
        ("groq/x", "GROQ_API_BASE"),
        ("groq/*", "GROQ_API_BASE"),
        ("os.environ/MODEL", "GROQ_API_BASE"),
        ("hosted_vllm/x", "HOSTED_VLLM_API_BASE"),
        ("featherless_ai/x", "FEATHERLESS_API_BASE"),
        ("crusoe/x", "CRUSOE_API_BASE"),
        ("deepseek-chat", "DEEPSEEK_API_BASE"),
        ("mistral/x", None),
        ("openai/x", None),
        ("gpt-4o", None),
        ("anthropic/x", "ANTHROPIC_API_BASE"),
        ("gemini/x", None),
        ("*", None),
        (3, None),
    ],
)
def test_address_comes_from_the_provider_s_variable(model: Any, variable: str | None) -> None:
    """The first variable with a text counts. Neither ``openai/`` nor ``gemini/`` has one in a file."""
    environ = {**VARIABLES, "MODEL": "groq/x"}
    filled = fill_addresses({"model_list": [entry("other"), entry("m", model)]}, environ)

    place = ("model_list", 1, "litellm_params", "api_base")
    assert filled.origins == ({place: (variable,)} if variable else {})
    given = {"api_base": f"os.environ/{variable}"} if variable else {}
    assert filled.raw == {"model_list": [entry("other"), entry("m", model, **given)]}


@pytest.mark.parametrize(
    "params",
    [
        {"api_base": "https://own.test"},
        {"base_url": "https://own.test"},
        {"litellm_credential_name": "c"},
        {"transport": "litellm"},
    ],
)
def test_address_of_the_file_takes_precedence(params: dict[str, Any]) -> None:
    """So does the address of a named credential. litellm reads the variable itself."""
    transport = {name: params.pop(name) for name in ("transport",) if name in params}
    listed = {**entry("m", "groq/x", **params), **transport}
    credentials = [{"credential_name": "c", "credential_values": {"api_base": "https://own.test"}}]
    raw: dict[object, object] = {"model_list": [listed], "credential_list": credentials}

    assert fill_addresses(raw, VARIABLES) == (raw, {})


@pytest.mark.parametrize("raw", [{}, {"model_list": 3}, {"model_list": [3, {}, {"litellm_params": 3}]}])
def test_values_of_the_wrong_shape_stay(raw: dict[object, object]) -> None:
    """Validation reports them."""
    assert fill_addresses(raw, VARIABLES) == (raw, {})


@pytest.mark.parametrize("transport", ["auto", "direct"])
def test_server_whose_address_is_in_a_variable_is_called_directly(transport: str) -> None:
    """A slash at the address's end is cut."""
    settings = load(
        {**entry("m", "hosted_vllm/x"), "transport": transport}, entry("g", "groq/x"), environ=VARIABLES
    ).settings

    for name in ("m", "g"):
        [deployment] = resolve(settings, name)
        assert (transport_of(deployment), deployment.api_base) == ("direct", HERE)


def test_variable_of_a_provider_that_the_client_names_gives_the_address() -> None:
    """A local server needs no key. The key of another provider does not go there."""
    environ = {"OLLAMA_API_BASE": "http://ollama.test:11434/", "GROQ_API_KEY": "k", "GROQ_API_BASE": HERE}
    settings = load(entry("*", "*"), environ=environ).settings

    for name, base, key in (
        ("ollama_chat/x", "http://ollama.test:11434", None),
        ("groq/x", HERE, "k"),
        ("mistral/x", None, None),
    ):
        [deployment] = resolve(settings, name)
        held = deployment.api_key and deployment.api_key.get_secret_value()
        assert (deployment.api_base, held) == (base, key)
    assert settings.routes.keyed_providers == ("groq",)


def test_fault_of_such_an_address_names_the_variable() -> None:
    """The file has no line for the address."""
    text = "must be an http or https URL with a host"

    assert faults_of(entry("m", "groq/x"), environ={"GROQ_API_BASE": "nowhere"}) == [("GROQ_API_BASE", text)]


def test_variable_counts_without_a_file() -> None:
    """A provider that is served for its key has the address of its variable."""
    settings = load_settings(None, {"GROQ_API_KEY": "k", "GROQ_API_BASE": HERE}).settings

    assert settings.model_list[0].litellm_params.api_base == HERE
