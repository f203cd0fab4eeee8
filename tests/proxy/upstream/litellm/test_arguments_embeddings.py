"""Tests of litellm's arguments for embeddings, and of inputs that litellm would misread."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.core.errors import InvalidRequest
from proxy.core.upstream_call import TextCall
from proxy.upstream.litellm.arguments import build_embedding_arguments
from tests.proxy.upstream.deployments import LIMITS, deployment_of


def arguments_of(model: str, value: Any, **parameters: Any) -> dict[str, Any]:
    """Return the arguments for an input that come from the client's parameters."""
    deployment = deployment_of(model, api_base="http://127.0.0.1:1/v1")
    call = TextCall(deployment, {"input": value, **parameters}, LIMITS)
    names = ("input", "dimensions", "encoding_format")
    return {name: held for name, held in build_embedding_arguments(call).items() if name in names}


@pytest.mark.parametrize(
    ("model", "given", "sent"),
    [
        ("openai/e", {}, {"encoding_format": "float"}),
        ("openai/e", {"encoding_format": "base64"}, {"encoding_format": "base64"}),
        ("azure/e", {"encoding_format": "base64"}, {}),
        ("cohere/e", {"encoding_format": "base64", "dimensions": 5}, {"dimensions": 5}),
    ],
)
def test_only_openai_s_provider_gets_a_format(
    model: str, given: dict[str, Any], sent: dict[str, Any]
) -> None:
    """Without a format, OpenAI's SDK asks for base64. For other providers the proxy writes the format later."""
    assert arguments_of(model, "a", **given) == {"input": "a", **sent}


@pytest.mark.parametrize(
    ("model", "value", "param"),
    [
        ("openai/e", [1, 2], None),
        ("hosted_vllm/e", [[1, 2]], None),
        ("cohere/e", [1, 2], "input"),
        ("gemini/e", [[1, 2]], "input"),
        ("cohere/e", ["files/abc"], None),
        ("gemini/e", "files/abc", "input[0]"),
        ("gemini/e", ["a", "gs://bucket/x"], "input[1]"),
        ("vertex_ai/e", ["data:image/png;base64,aGk="], "input[0]"),
        ("gemini/e", ["my files/abc", "data: base64,"], None),
    ],
)
def test_inputs_that_litellm_would_misread_are_refused(model: str, value: Any, param: str | None) -> None:
    """Examples are tokens where texts are read, and texts that look like a file to Google's route."""
    if param is None:
        assert arguments_of(model, value)["input"] == value
        return
    with pytest.raises(InvalidRequest) as caught:
        arguments_of(model, value)
    assert caught.value.param == param
