"""Tests of the body of a text request, for embeddings or a text completion."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from proxy.core.upstream_call import TextCall
from proxy.upstream.wires.openai.requests import build_text_request
from tests.proxy.upstream.deployments import LIMITS, deployment_of


@pytest.mark.parametrize(
    ("stream", "ask_usage", "switches"),
    [
        (False, True, {}),
        (True, False, {"stream": True}),
        (True, True, {"stream": True, "stream_options": {"include_usage": True}}),
    ],
)
def test_text_request_holds_parameters_allowed_fields_and_stream_options(
    stream: bool, ask_usage: bool, switches: dict[str, Any]
) -> None:
    """The body names the model as the provider does."""
    deployment = deployment_of("openai/gpt-3.5-turbo-instruct")
    call = TextCall(deployment, {"prompt": "a"}, LIMITS, ask_usage=ask_usage, extra_body={"x": 1})

    assert orjson.loads(build_text_request(call, stream=stream)) == {
        "model": "gpt-3.5-turbo-instruct",
        "prompt": "a",
        "x": 1,
        **switches,
    }


@pytest.mark.parametrize(
    ("parameters", "model"),
    [({"prompt": "a"}, "accounts/fireworks/models/qwen/q"), ({"input": ["a"]}, "qwen/q")],
)
def test_model_of_fireworks_has_an_account_in_text_completions_alone(
    parameters: dict[str, Any], model: str
) -> None:
    """Its models for embeddings have names without an account, as litellm sends them."""
    call = TextCall(deployment_of("fireworks_ai/qwen/q"), parameters, LIMITS)

    assert orjson.loads(build_text_request(call, stream=False))["model"] == model


@pytest.mark.parametrize(
    ("model", "allowed", "sent"),
    [
        ("openai/m", [], True),
        ("azure/m", [], True),
        ("mistral/m", [], False),
        ("openrouter/m", [], False),
        ("hosted_vllm/m", [], False),
        ("hosted_vllm/m", ["encoding_format"], True),
    ],
)
def test_format_of_embeddings_is_openai_s_alone(model: str, allowed: list[str], sent: bool) -> None:
    """Other providers refuse it, ignore it, or answer with something else. The proxy writes the format itself."""
    deployment = deployment_of(model, allowed_openai_params=allowed)
    call = TextCall(deployment, {"input": ["a"], "encoding_format": "base64", "dimensions": 2}, LIMITS)

    body = orjson.loads(build_text_request(call, stream=False))

    assert body.get("encoding_format") == ("base64" if sent else None)
    assert body["dimensions"] == 2
