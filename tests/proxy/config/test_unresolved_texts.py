"""Tests of warnings about texts that look like references to variables but are not resolved."""

from __future__ import annotations

from typing import Any

import pytest

from tests.proxy.config.samples import entry, load

WORDS = (
    "looks like a reference to a variable, and is sent as it stands; write os.environ/NAME as the whole text"
)


@pytest.mark.parametrize(
    ("params", "path"),
    [
        ({"api_key": "$X"}, "api_key"),
        ({"api_key": "env/X"}, "api_key"),
        ({"headers": {"Authorization": "Bearer ${X}"}}, "headers.Authorization"),
        ({"extra_headers": {"X-A": "$(X)", "X-B": "fine"}}, "extra_headers.X-A"),
        ({"aws_secret_access_key": "{{X}}"}, "aws_secret_access_key"),
        ({"organization": "%ORG%"}, "organization"),
    ],
)
def test_a_reference_that_is_not_resolved_is_a_warning(params: dict[str, Any], path: str) -> None:
    """A credential or a header that holds an unresolved reference is sent as it stands, with a warning."""
    assert load(entry("a", **params)).warnings == (f"model_list[0].litellm_params.{path}: {WORDS}",)


def test_credentials_with_a_name_are_looked_at_too() -> None:
    """An unresolved reference in an entry of ``credential_list`` gives a warning."""
    listed = [{"credential_name": "c", "credential_values": {"api_key": "$X"}}]

    assert load(credential_list=listed).warnings == (
        f"credential_list[0].credential_values.api_key: {WORDS}",
    )


@pytest.mark.parametrize(
    "params",
    [
        {"api_key": "sk-1$2"},
        {"api_key": "os.environ/X"},
        {"headers": {"A": "${X}"}},
        {"stop": ["<|im_end|>", "$X"]},
        {"extra_body": {"template": "{{x}}"}},
    ],
)
def test_other_texts_give_no_warning(params: dict[str, Any]) -> None:
    """A resolved reference, a key with a single ``$``, and texts of other parameters give no warning."""
    assert load(entry("a", **params), environ={"X": "x"}).warnings == ()


def test_an_empty_address_is_the_provider_s_own_with_a_warning() -> None:
    """An empty ``api_base`` counts as none. The warning says where requests go."""
    loaded = load(entry("a", api_base=""))

    assert loaded.warnings == (
        "model_list[0].litellm_params.api_base: is empty, so that the provider's own address is asked",
    )
    assert loaded.settings.model_list[0].litellm_params.api_base is None
