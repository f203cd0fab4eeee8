"""Tests of ``transport: direct`` where the direct transport lacks a wire, an address, a version or a token."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.config.transport_checks import check_transports
from tests.proxy.config.samples import entry, faults_of

HERE = "http://127.0.0.1:8000/v1"
VARIABLES = {"T": "direct", "A": "auto", "M": "azure/gpt-4o", "V": "hosted_vllm/llama", "B": HERE}
PARAMS = "model_list[0].litellm_params"


def paths(
    params: dict[str, Any], transport: Any = "direct", environ: dict[str, str] | None = None, **sections: Any
) -> list[str]:
    """Return the paths of the faults of one entry with *params* and *transport*, beside *sections*."""
    listed = [{"model_name": "m", "litellm_params": params, "transport": transport}]
    raw: dict[object, object] = {"model_list": listed}
    raw.update(sections)
    return [fault.path for fault in check_transports(raw, VARIABLES if environ is None else environ)]


@pytest.mark.parametrize("transport", ["direct", "os.environ/T"])
@pytest.mark.parametrize(
    ("model", "api_base", "fault"),
    [
        ("gpt-4o", None, None),
        ("openai/gpt-4o", None, None),
        ("openai/*", None, None),
        ("gemini/gemini-2.5-pro", None, None),
        ("openrouter/some/model", None, None),
        ("openrouter/some/model", HERE, None),
        ("hosted_vllm/llama", HERE, None),
        ("os.environ/V", "os.environ/B", None),
        ("groq/llama", None, None),
        ("anthropic/claude-sonnet-4-5", None, None),
        ("anthropic/glm-5", HERE, None),
        ("anthropic/*", None, None),
        ("scaleway/llama", None, None),
        ("azure/gpt-4o", f"{HERE}/openai/v1", None),
        ("azure/gpt-4o", f"{HERE}/openai/v1/", None),
        ("azure/gpt-4o", HERE, f"{PARAMS}.api_version"),
        ("azure/*", HERE, f"{PARAMS}.api_version"),
        ("os.environ/M", HERE, f"{PARAMS}.api_version"),
        *(
            (model, None, f"{PARAMS}.api_base")
            for model in ("azure/x", "databricks/x", "heroku/x", "hosted_vllm/x", "os.environ/V")
        ),
        *((model, None, "model_list[0].transport") for model in ("cohere/command", "bedrock/*")),
        *(
            (model, HERE, "model_list[0].transport")
            for model in (
                "azure_ai/x",
                "bedrock/anthropic.claude",
                "cohere/command",
                "ollama/llama",
                "vertex_ai/gemini-2.5-pro",
            )
        ),
    ],
)
def test_direct_transport_needs_a_known_format_and_address(
    transport: str, model: str, api_base: str | None, fault: str | None
) -> None:
    """The fault names the setting that is missing, or the transport where no setting would help."""
    params = {"model": model, **({"api_base": api_base} if api_base else {})}

    assert paths(params, transport) == ([fault] if fault else [])


AZURE = {"model": "azure/x", "api_base": HERE, "api_version": "v1"}


@pytest.mark.parametrize(
    ("further", "key"),
    [
        ({}, None),
        ({"api_key": "k"}, None),
        ({"azure_ad_token": "t"}, None),
        ({"azure_ad_token": "t", "client_secret": "s"}, None),
        ({"api_key": "k", "client_secret": "s"}, None),
        ({"extra_headers": {"API-key": "k"}, "client_secret": "s"}, None),
        ({"headers": {"Authorization": "k"}, "azure_password": "s"}, None),
        ({"client_secret": "s"}, "client_secret"),
        ({"azure_password": "s", "api_key": "os.environ/UNSET"}, "azure_password"),
        ({"azure_ad_token": "oidc/google/x"}, "azure_ad_token"),
        ({"azure_ad_token": "oidc/google/x", "api_key": "k"}, "azure_ad_token"),
    ],
)
def test_direct_transport_fetches_no_token_of_entra_id(further: dict[str, Any], key: str | None) -> None:
    """Requests would go out without a key, or with a text that is no token."""
    assert paths({**AZURE, **further}) == ([f"{PARAMS}.{key}"] if key else [])


@pytest.mark.parametrize("version", ["2024-10-21", "v1", "os.environ/VERSION"])
def test_version_from_the_environment_counts_by_its_value(version: str) -> None:
    """An empty version is none."""
    params = {**AZURE, "api_version": version}

    assert paths(params, environ={"VERSION": "2024-10-21"}) == []
    if version.startswith("os.environ/"):
        assert paths(params, environ={"VERSION": ""}) == [f"{PARAMS}.api_version"]


@pytest.mark.parametrize(
    ("params", "values", "faults"),
    [
        ({"base_url": HERE}, {}, [f"{PARAMS}.api_version"]),
        ({}, {"api_base": HERE, "api_version": "v1"}, []),
        ({}, {"base_url": HERE, "api_version": "v1"}, []),
        ({"api_base": HERE}, {"api_version": "v1", "client_secret": "s"}, [f"{PARAMS}.client_secret"]),
        ({"api_base": HERE}, {}, [f"{PARAMS}.api_version"]),
        ({"api_version": "v1"}, {"api_version": "v1"}, [f"{PARAMS}.api_base"]),
    ],
)
def test_other_name_of_the_address_and_a_named_credential_count(
    params: dict[str, Any], values: dict[str, Any], faults: list[str]
) -> None:
    """A deployment takes its address and its version from there, too."""
    listed = [
        {"credential_name": "other", "credential_values": AZURE},
        {"credential_name": "c", "credential_values": values},
    ]
    params = {"model": "azure/x", "litellm_credential_name": "c", **params}

    assert paths(params, credential_list=listed) == faults


@pytest.mark.parametrize("transport", [None, "auto", "litellm", "os.environ/A", "os.environ/UNSET", 7])
def test_other_transports_take_any_provider(transport: Any) -> None:
    """Other transports take any provider; validation reports an unknown transport."""
    assert paths({"model": "azure/x", "client_secret": "s"}, transport) == []


@pytest.mark.parametrize("raw", [{}, {"model_list": "x"}, {"model_list": [3, {}, {"litellm_params": 3}]}])
def test_values_of_the_wrong_shape_are_skipped(raw: dict[object, object]) -> None:
    """Validation reports them."""
    assert list(check_transports(raw, {})) == []


def test_faults_reach_the_operator_in_words() -> None:
    """A file with such an entry does not load."""
    listed = {**entry("m", "azure/x", api_base=HERE, client_secret="s"), "transport": "direct"}

    assert faults_of(listed) == [
        (
            f"{PARAMS}.api_version",
            "is not set, and transport: direct needs it: set it, use auto, or end api_base with /openai/v1",
        ),
        (
            f"{PARAMS}.client_secret",
            "is exchanged for a token of Entra ID by litellm alone: use transport: auto, or give api_key or a token "
            "in azure_ad_token",
        ),
    ]
