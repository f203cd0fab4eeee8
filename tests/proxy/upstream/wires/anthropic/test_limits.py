"""Tests of the limit of an answer that the request does not name."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.config import resolve
from proxy.upstream.wires.anthropic.limits import answer_limit
from tests.proxy.upstream.wires.anthropic.calling import call_to
from tests.support.proxied import settings_of


@pytest.mark.parametrize(
    ("model", "size", "limit"),
    [
        ("claude-3-opus-20240229", 0, 4_096),
        ("claude-3-5-sonnet-20241022", 0, 8_192),
        ("claude-3-7-sonnet-20250219", 0, 64_000),
        ("claude-sonnet-4-20250514", 0, 64_000),
        ("claude-opus-4-20250514", 0, 32_000),
        ("claude-opus-4-1-20250805", 0, 32_000),
        ("claude-sonnet-4-5", 0, 64_000),
        ("claude-opus-4-8", 0, 128_000),
        ("claude-opus-9-1", 0, 128_000),
        ("claude-next", 0, 32_000),
        ("glm-5", 0, 8_192),
        # an older model counts the prompt and the limit together
        ("claude-sonnet-4-20250514", 450_000, 50_000),
        ("claude-sonnet-4-20250514", 9_000_000, 1_024),
        ("claude-sonnet-4-5", 450_000, 64_000),
    ],
)
def test_limit_is_the_model_s_maximum(model: str, size: int, limit: int) -> None:
    """Anthropic requires a limit, and refuses one above the model's."""
    assert answer_limit(call_to(model).deployment, size) == limit


def test_settings_come_first() -> None:
    """``model_info`` knows models that no table has."""
    entry: dict[str, Any] = {
        "model_name": "m",
        "litellm_params": {"model": "anthropic/glm-5", "api_key": "k"},
        "model_info": {"max_output_tokens": 98_304},
    }
    [deployment] = resolve(settings_of(model_list=[entry]), "m")
    assert answer_limit(deployment, 0) == 98_304
