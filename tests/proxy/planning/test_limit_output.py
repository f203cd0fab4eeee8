"""Tests of the limit of an answer in requests of the Messages API."""

from __future__ import annotations

import json
from typing import Any

import pytest

from proxy.config import load_settings
from proxy.config.pools import choose_pool
from proxy.core.deployment import Deployment
from proxy.planning.limit_output import limit_output
from tests.proxy.ingress.routes.messages.asking import ask, serving


def deployment(model: str = "openai/gpt-4o", **info: Any) -> Deployment:
    """Return the deployment of a model."""
    entry = {"model_name": "m", "litellm_params": {"model": model}, "model_info": info}
    settings = load_settings(json.dumps({"model_list": [entry]}).encode(), {}).settings
    return choose_pool("m", settings)[0]


def test_limit_over_the_models_is_lowered_and_reported() -> None:
    parameters, changes = limit_output(
        {"max_tokens": 64_000, "top_p": 1}, deployment(max_output_tokens=8_192)
    )

    assert dict(parameters) == {"max_tokens": 8_192, "top_p": 1}
    [change] = changes
    assert (change.step, change.reason, change.detail) == ("parameters", "out_of_range", "max_tokens")


@pytest.mark.parametrize(
    ("given", "model"),
    [
        ({"max_tokens": 8_192}, "openai/gpt-4o"),
        ({}, "openai/gpt-4o"),
        ({"max_tokens": 10**6}, "ollama/unheard-of"),
    ],
)
def test_other_limits_stay(given: dict[str, Any], model: str) -> None:
    parameters, changes = limit_output(given, deployment(model))

    assert parameters is given
    assert changes == ()


async def test_request_of_claude_code_is_not_refused_for_its_limit() -> None:
    async with serving() as (proxy, upstream):
        reply = await ask(proxy, max_tokens=64_000)

    assert reply.status == 200
    assert upstream.calls[0].parameters["max_tokens"] == 16_384
    assert "parameters=1" in reply.headers["x-turnright-changes"]
