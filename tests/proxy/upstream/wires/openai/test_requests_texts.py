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
