"""Tests of warnings about deployments that go through litellm for want of a setting."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.cli.check_warnings import find_warnings
from proxy.config.sdk_credentials import Surroundings
from tests.proxy.cli.test_check_warnings import warnings_of
from tests.proxy.config.samples import entry, settings_of


def needed(provider: str, setting: str, rest: str = "") -> str:
    """Return the warning about a *setting* that the direct transport lacks."""
    return (
        f"model_list[0].litellm_params.{setting}: is not set, so litellm calls {provider}: the direct transport needs "
        f"litellm_params.{setting}{rest}"
    )


@pytest.mark.parametrize(
    ("model", "params", "warned"),
    [
        ("hosted_vllm/x", {}, [needed("hosted_vllm", "api_base")]),
        ("azure/x", {"api_key": "k"}, [needed("azure", "api_base")]),
        ("azure/x", {"api_key": "k", "api_base": "https://h.test"}, [needed("azure", "api_version")]),
        (
            "azure/x",
            {"api_version": "v1", "api_base": "https://h.test"},
            [needed("azure", "api_key", " or azure_ad_token")],
        ),
        ("databricks/x", {}, [needed("databricks", "api_base")]),
        ("heroku/x", {}, [needed("heroku", "api_base")]),
        (
            "databricks/x",
            {"api_base": "https://h.test"},
            [needed("databricks", "api_key", "; litellm may fetch a token")],
        ),
        ("azure/x", {"client_secret": "s", "api_version": "v1", "api_base": "https://h.test"}, []),
        ("azure/x", {"api_key": "k", "api_version": "v1", "api_base": "https://h.test"}, []),
        ("perplexity/preset/x", {"api_key": "k"}, []),
        ("anthropic/claude-x", {"api_key": "k"}, []),
        ("groq/x", {"api_key": "k"}, []),
    ],
)
def test_setting_that_the_direct_transport_lacks_is_a_warning(
    model: str, params: dict[str, Any], warned: list[str]
) -> None:
    """Litellm's own way is no mistake where no setting would change it, or where the operator chose litellm."""
    given = entry("x", model, **params)

    assert warnings_of(given, budget={"preset": "off"}) == warned
    assert warnings_of(given | {"transport": "litellm"}, budget={"preset": "off"}) == []


@pytest.mark.parametrize(
    ("model", "transport", "params", "is_warned"),
    [
        ("heroku/x", "auto", {}, True),
        ("heroku/x", "auto", {"api_key": "k"}, False),
        ("databricks/x", "direct", {}, True),
        ("hosted_vllm/x", "auto", {}, False),
        ("groq/x", "auto", {}, False),
    ],
)
def test_address_of_an_account_needs_a_key(
    model: str, transport: str, params: dict[str, Any], is_warned: bool
) -> None:
    """A server at an address of the operator's own may need no key."""
    given = {**entry("x", model, api_base="https://h.test", **params), "transport": transport}
    path = "model_list[0].litellm_params.api_key"
    told = f"{path}: is not set, and {model.partition('/')[0]} requires one"

    assert warnings_of(given, budget={"preset": "off"}) == ([told] if is_warned else [])


def test_deployment_without_credentials_has_one_warning() -> None:
    """The warning about credentials names all that would serve."""
    around = Surroundings({}, "/home/none", is_file=lambda path: False, has_module=lambda name: True)
    given = entry("x", "azure/x", api_base="https://h.test", api_version="v1")
    settings = settings_of(given, budget={"preset": "off"})
    told = [text for text in find_warnings(settings, around=around) if text.startswith("model_list")]

    assert [text.partition(":")[0] for text in told] == ["model_list[0].litellm_params"]
