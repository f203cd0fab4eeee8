"""Tests of warnings about deployments that go through litellm for want of a setting."""

from __future__ import annotations

from typing import Any

import pytest

from tests.proxy.cli.test_check_warnings import warnings_of
from tests.proxy.config.samples import entry

NEEDED = "model_list[0].transport: litellm calls {}, since the direct transport needs litellm_params.{}"


@pytest.mark.parametrize(
    ("model", "params", "warned"),
    [
        ("hosted_vllm/x", {}, [NEEDED.format("hosted_vllm", "api_base")]),
        ("azure/x", {"api_key": "k"}, [NEEDED.format("azure", "api_base")]),
        ("azure/x", {"api_key": "k", "api_base": "https://h.test"}, [NEEDED.format("azure", "api_version")]),
        (
            "azure/x",
            {"api_version": "v1", "api_base": "https://h.test"},
            [NEEDED.format("azure", "api_key or azure_ad_token")],
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
