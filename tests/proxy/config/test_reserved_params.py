"""Tests of the parameters that must never come from a client."""

from __future__ import annotations

import pytest

from proxy.config.reserved_params import is_reserved


@pytest.mark.parametrize(
    "name",
    [
        "contents",
        "systemInstruction",
        "toolConfig",
        "api_base",
        "API_BASE",
        "base-url",
        "api_key",
        "extra_headers",
        "no-log",
        "mock_response",
        "aws_region_name",
        "_x",
    ],
)
def test_parameters_of_the_sdk_s_call_are_reserved(name: str) -> None:
    """Addresses, credentials, headers and litellm's own switches are reserved in any spelling."""
    assert is_reserved(name)


@pytest.mark.parametrize(
    "name", ["guided_json", "top_k", "thinking", "enable_thinking", "repetition_penalty"]
)
def test_parameters_of_the_model_are_not_reserved(name: str) -> None:
    """Parameters of the model itself may be allowed."""
    assert not is_reserved(name)
