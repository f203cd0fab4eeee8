"""Tests of the names of the variables that keys come from."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.cli.key_sources import found_keys, key_source
from proxy.config import load_settings
from tests.proxy.config.samples import text_of

KEY = "sk-0123456789"
ENVIRON = {"A_COPY": KEY, "OPENAI_API_KEY": KEY, "SHORT": "x", "MY_AWS": "aws-0123456789", "HOME": "/root"}


def source_of(**params: Any) -> str:
    """Return the source of the key of a deployment with *params*."""
    entry = {"model_name": "m", "litellm_params": {"model": "openai/gpt-4.1", **params}}
    settings = load_settings(text_of(model_list=[entry]), ENVIRON).settings
    [deployment] = settings.routes.exact["m"]
    return key_source(deployment, ENVIRON)


@pytest.mark.parametrize(
    ("params", "source"),
    [
        ({"api_key": "os.environ/OPENAI_API_KEY"}, "OPENAI_API_KEY"),
        ({"api_key": "os.environ/A_COPY"}, "OPENAI_API_KEY"),
        ({"api_key": "sk-another-key"}, "in the file"),
        ({"api_key": "x"}, "in the file"),
        ({"extra_headers": {"api-key": "x"}}, "in extra_headers"),
        ({"model": "bedrock/a.b", "aws_access_key_id": "os.environ/MY_AWS"}, "MY_AWS"),
        ({"model": "bedrock/a.b", "aws_access_key_id": "AKIA"}, "in credentials"),
        ({"model": "bedrock/a.b", "aws_profile_name": "p"}, "in credentials"),
        ({"model": "azure/gpt-4o", "azure_ad_token": "t-0123456789"}, "in credentials"),
        ({"model": "azure/gpt-4o", "client_secret": "os.environ/MY_AWS"}, "MY_AWS"),
        ({}, "not set"),
    ],
    ids=[
        "a variable",
        "the usual variable of its value",
        "written",
        "short by chance",
        "header",
        "credentials of a variable",
        "credentials",
        "a profile",
        "a token",
        "a secret of a variable",
        "none",
    ],
)
def test_source_is_a_name_and_never_a_value(params: dict[str, Any], source: str) -> None:
    """The source of a key is a name, never a value; a short value is not searched for in all variables."""
    assert source_of(**params) == source


def test_keys_of_a_configuration_are_listed_once_by_provider() -> None:
    """Keys are listed once for each provider; the wildcard ``*`` adds the keys of the environment."""
    environ = ENVIRON | {"GEMINI_API_KEY": "g"}
    entries = [
        {"model_name": "a", "litellm_params": {"model": "openai/gpt-4.1", "api_key": KEY}},
        {"model_name": "b", "litellm_params": {"model": "openai/gpt-4.1-mini", "api_key": KEY}},
        {"model_name": "c", "litellm_params": {"model": "ollama/llama3"}},
        {"model_name": "*", "litellm_params": {"model": "*"}},
    ]
    settings = load_settings(text_of(model_list=entries), environ).settings

    assert found_keys(settings, environ) == (("openai", "OPENAI_API_KEY"), ("gemini", "GEMINI_API_KEY"))
