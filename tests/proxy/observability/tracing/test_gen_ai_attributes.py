"""Tests a call's span attributes: the names of OpenTelemetry's convention, with bounded values from providers."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.config import resolve
from proxy.core.deployment import Deployment
from proxy.observability.tracing.gen_ai_attributes import AnswerFacts, attributes_of_call, operation_of
from tests.support.proxied import MODEL, settings_of

json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
choices = st.fixed_dictionaries({}, optional={"index": json, "finish_reason": json | st.just("stop")})
usages = st.fixed_dictionaries(
    {},
    optional={
        "prompt_tokens": json | st.integers(0, 2**70),
        "completion_tokens": json | st.integers(0, 9),
        "total_tokens": json,
        "prompt_tokens_details": json | st.fixed_dictionaries({"cached_tokens": json}),
    },
)
parts = st.fixed_dictionaries(
    {}, optional={"model": json, "choices": json | st.lists(json | choices), "usage": json | usages}
)


def deployment_of(model: str, **params: Any) -> Deployment:
    """Return the deployment of a configuration with one model."""
    [deployment] = resolve(settings_of({MODEL: {"model": model, **params}}), MODEL)
    return deployment


@pytest.mark.parametrize(
    ("model", "params", "provider", "server"),
    [
        ("openai/gpt-4.1", {}, "openai", ("api.openai.com", 443)),
        ("gpt-4.1", {}, "openai", ("api.openai.com", 443)),
        ("gemini/gemini-2.5-pro", {}, "gcp.gemini", ("generativelanguage.googleapis.com", 443)),
        ("mistral/mistral-large-latest", {}, "mistral_ai", ("api.mistral.ai", 443)),
        ("xai/grok", {}, "x_ai", ("api.x.ai", 443)),
        ("deepseek/deepseek-chat", {}, "deepseek", ("api.deepseek.com", 443)),
        ("anthropic/claude-sonnet-4-5", {}, "anthropic", ("api.anthropic.com", 443)),
        ("bedrock/anthropic.claude", {}, "aws.bedrock", None),
        ("vertex_ai/gemini-2.5-pro", {}, "gcp.vertex_ai", None),
        ("azure/gpt", {"api_base": "https://a.example"}, "azure.ai.openai", ("a.example", 443)),
        ("hosted_vllm/q", {"api_base": "http://vllm/v1"}, "vllm", ("vllm", 80)),
        ("hosted_vllm/q", {"api_base": "http://[::1]:8000/v1"}, "vllm", ("::1", 8000)),
        ("openai/q", {"api_base": "https://g.example:8443/v1"}, "openai", ("g.example", 8443)),
    ],
)
def test_provider_has_the_name_of_the_convention_or_none(
    model: str, params: dict[str, str], provider: str, server: tuple[str, int] | None
) -> None:
    """A provider has the convention's name. The address of a server that only litellm knows is left out."""
    said = attributes_of_call("chat", deployment_of(model, **params), stream=False)

    assert said["gen_ai.provider.name"] == provider
    assert said["gen_ai.request.model"] == model.partition("/")[2] or model
    assert (said.get("server.address"), said.get("server.port")) == (server or (None, None))
    assert "gen_ai.request.stream" not in said


@pytest.mark.parametrize(
    ("route", "operation"),
    [
        ("/v1/chat/completions", "chat"),
        ("/v1/completions", "text_completion"),
        ("/v1/embeddings", "embeddings"),
    ],
)
def test_each_path_that_asks_a_provider_has_an_operation(route: str, operation: str) -> None:
    """Each path that calls a provider has the convention's operation, which names the span."""
    assert operation_of(route) == operation


@given(st.lists(parts, max_size=4))
def test_attributes_of_any_answer_have_their_types_and_bounds(answers: list[dict[str, Any]]) -> None:
    """The span attributes of any answer have their types and stay within bounds. A malformed answer raises no error."""
    heard = AnswerFacts()
    for part in answers:
        heard.read_part(part)
    said = heard.attributes()

    for name, value in said.items():
        if name.startswith("gen_ai.usage."):
            assert isinstance(value, int)
            assert 0 <= value < 2**63
        elif name == "gen_ai.response.finish_reasons":
            assert isinstance(value, tuple)
            assert set(value) <= {"stop", "_OTHER"}
        else:
            assert name == "gen_ai.response.model"
            assert isinstance(value, str)
            assert 0 < len(value) <= 200


def test_attributes_of_a_stream_come_from_all_its_chunks() -> None:
    """A stream's attributes come from all chunks: the first model, the last finish reasons, and the last usage."""
    heard = AnswerFacts()
    heard.read_part({"model": "gpt-4.1-2026", "choices": [{"index": 1, "finish_reason": None}]})
    heard.read_part({"model": "other", "choices": [{"index": 1, "finish_reason": "length"}], "usage": None})
    heard.read_part({"choices": [{"index": 0, "finish_reason": "made_up"}], "usage": {"prompt_tokens": 1}})
    heard.read_part({"choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 0}})

    assert heard.attributes() == {
        "gen_ai.response.model": "gpt-4.1-2026",
        "gen_ai.response.finish_reasons": ("_OTHER", "length"),
        "gen_ai.usage.input_tokens": 7,
        "gen_ai.usage.output_tokens": 0,
    }


@pytest.mark.parametrize("model", ["", "a model", "x" * 201, "line\nbreak", '{"a": 1}'])
def test_model_that_is_no_plain_name_is_left_out(model: str) -> None:
    """A model name that is empty, too long or has other characters is left out."""
    heard = AnswerFacts()
    heard.read_part({"model": model})

    assert heard.attributes() == {}
