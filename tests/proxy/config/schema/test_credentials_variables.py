"""Tests that a deployment knows the names of the variables that its secrets were read from."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.config import resolve
from tests.proxy.config.samples import entry, load

ENVIRON = {"KEY": "k-1", "TOKEN": "t-1", "SHARED": "s-1", "EMPTY": "", "BASE": "http://llm/v1"}


@pytest.mark.parametrize(
    ("params", "variables"),
    [
        ({"api_key": "os.environ/KEY"}, ("KEY",)),
        ({"api_key": "${KEY}"}, ("KEY",)),
        ({"api_key": "literal"}, ()),
        ({"api_key": "os.environ/EMPTY"}, ("EMPTY",)),
        ({}, ()),
        ({"api_key": "literal", "api_base": "os.environ/BASE"}, ()),
        ({"aws_session_token": "os.environ/TOKEN", "api_key": "os.environ/KEY"}, ("KEY", "TOKEN")),
        ({"extra_headers": {"x-token": "${TOKEN}", "x-other": "literal"}}, ("TOKEN",)),
        ({"litellm_credential_name": "team"}, ("SHARED",)),
        ({"litellm_credential_name": "team", "aws_session_token": "${TOKEN}"}, ("TOKEN", "SHARED")),
    ],
)
def test_variables_of_secrets_are_kept_by_name(params: dict[str, Any], variables: tuple[str, ...]) -> None:
    """A deployment keeps the names of its secrets' variables, which the log shows when a key is refused.

    Addresses and regions are no secrets.
    """
    shared = [{"credential_name": "team", "credential_values": {"azure_ad_token": "os.environ/SHARED"}}]
    loaded = load(entry("m", "openai/gpt-4.1", **params), environ=ENVIRON, credential_list=shared)
    [deployment] = resolve(loaded.settings, "m")

    assert deployment.variables == variables


def test_key_of_the_environment_has_its_variable() -> None:
    """A deployment of the model ``*`` knows the variable with the key of the provider that the client names."""
    settings = load(entry("*", "*"), environ={"GROQ_API_KEY": "k-1"}).settings
    [deployment] = resolve(settings, "groq/llama-3")

    assert deployment.variables == ("GROQ_API_KEY",)
