"""Tests of the configuration that is read from environment variables where there is no file."""

from __future__ import annotations

import pytest

from proxy.config import load_settings, resolve
from proxy.config.environment import PROVIDERS
from tests.proxy.config.samples import faults_in


@pytest.mark.parametrize(
    ("variable", "wildcard"),
    [(variable, f"{provider.prefix}/*") for provider in PROVIDERS for variable in provider.keys],
)
def test_a_key_exposes_its_provider(variable: str, wildcard: str) -> None:
    """Each provider's key variable exposes all models of the provider, with that key."""
    settings = load_settings(None, {variable: "k-1", "HOME": "/"}).settings

    assert settings.routes.names == (wildcard,)
    (deployment,) = resolve(settings, wildcard.replace("*", "some-model"))
    assert deployment.api_key is not None
    assert deployment.api_key.get_secret_value() == "k-1"


def test_several_keys_expose_several_providers() -> None:
    """Providers come in the table's order, once each, and an empty variable counts as not set."""
    environ = {"OPENAI_API_KEY": "o", "GOOGLE_API_KEY": "g", "GEMINI_API_KEY": "", "GROQ_API_KEY": " "}

    assert load_settings(None, environ).settings.routes.names == ("gemini/*", "openai/*")


@pytest.mark.parametrize("variable", ["OPENAI_BASE_URL", "OPENAI_API_BASE"])
def test_openai_s_address_variables_are_read(variable: str) -> None:
    """OpenAI's address variables set the address of the openai entry."""
    settings = load_settings(None, {"OPENAI_API_KEY": "k", variable: "http://127.0.0.1:8000/v1/"}).settings

    assert settings.model_list[0].litellm_params.api_base == "http://127.0.0.1:8000/v1"


def test_master_key_variable_is_read() -> None:
    """TURNRIGHT_MASTER_KEY sets the master key without a warning."""
    loaded = load_settings(None, {"OPENAI_API_KEY": "k", "TURNRIGHT_MASTER_KEY": "m"})

    assert loaded.settings.general_settings.master_key is not None
    assert loaded.settings.general_settings.master_key.get_secret_value() == "m"
    assert loaded.warnings == ()


def test_no_key_is_a_fault_that_names_the_variables() -> None:
    """Without any key the start fails, and the fault lists the variables that are read."""
    ((path, text),) = faults_in(None, {})

    assert path == ""
    assert all(
        name in text for name in ("--config", "GEMINI_API_KEY", "OPENAI_API_KEY", "TOGETHERAI_API_KEY")
    )


def test_faults_name_the_variables() -> None:
    """A bad value is reported under its variable, since there is no file with a path."""
    environ = {"OPENAI_API_KEY": "k\n", "OPENAI_BASE_URL": "ftp://h", "TURNRIGHT_MASTER_KEY": ""}

    assert [path for path, _ in faults_in(None, environ)] == [
        "OPENAI_API_KEY",
        "OPENAI_BASE_URL",
        "TURNRIGHT_MASTER_KEY",
    ]
