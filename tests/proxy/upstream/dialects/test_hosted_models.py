"""Tests of the rows of models at Databricks, Groq, Moonshot and xAI."""

from __future__ import annotations

import pytest

from proxy.upstream.dialects import Dialect, dialect_for
from tests.proxy.upstream.deployments import deployment_of

PENALTIES = {"frequency_penalty", "presence_penalty"}


def row_of(model: str) -> Dialect:
    """Return the row of a model on the direct transport."""
    return dialect_for(deployment_of(model, api_base="https://h.test"), "direct")


@pytest.mark.parametrize(
    ("model", "name", "efforts"),
    [
        ("groq/llama-3.3-70b-versatile", "groq", ""),
        ("groq/openai/gpt-oss-120b", "groq-schemas", "low medium high"),
        ("groq/meta-llama/llama-4-scout-17b-16e-instruct", "groq-schemas", ""),
        ("groq/moonshotai/kimi-k2-instruct-0905", "groq-schemas", ""),
        ("groq/qwen/qwen3-32b", "groq", "none"),
        ("groq/compound", "groq", None),
        ("moonshot/moonshot-v1-8k", "moonshot", ""),
        ("moonshot/kimi-k2.5", "kimi-2", "none"),
        ("moonshot/kimi-k2.6", "kimi-2", "none"),
        ("moonshot/kimi-k2.7-code", "kimi", ""),
        ("moonshot/kimi-k3", "kimi-3", "low high max"),
        ("xai/grok-2-latest", "xai", ""),
        ("xai/grok-3", "xai", ""),
        ("xai/grok-3-mini-fast", "xai-reasoning", "low high"),
        ("xai/grok-4", "xai-reasoning", ""),
        ("xai/grok-4-0709", "xai-reasoning", ""),
        ("xai/grok-4-1-fast-reasoning", "xai-reasoning", ""),
        ("xai/grok-4-fast-non-reasoning", "xai-4", ""),
        ("xai/grok-4.20-0309-non-reasoning", "xai-4", ""),
        ("xai/grok-4.20-multi-agent-0309", "xai-reasoning-responses", "low medium high xhigh"),
        ("xai/grok-4.3", "xai-reasoning", "none low medium high"),
        ("xai/grok-4.6", "xai-reasoning", "low medium high xhigh"),
        ("xai/grok-code-fast-1", "xai-reasoning", ""),
        ("xai/grok-9", "xai-reasoning", None),
        ("databricks/databricks-llama-4-maverick", "databricks", None),
        (
            "databricks/databricks-claude-sonnet-4-5",
            "databricks-claude",
            "none minimal low medium high xhigh max",
        ),
        ("databricks/databricks-claude-opus-5-5", "databricks", ""),
    ],
)
def test_model_has_its_row_and_efforts(model: str, name: str, efforts: str | None) -> None:
    """A model that no pattern names gets the row of its provider."""
    row = row_of(model)

    assert (row.name, row.efforts) == (name, None if efforts is None else tuple(efforts.split()))


@pytest.mark.parametrize(
    ("model", "dropped"),
    [
        ("xai/grok-3", set()),
        ("xai/grok-4", PENALTIES | {"stop"}),
        ("xai/grok-4-fast-non-reasoning", PENALTIES),
        ("moonshot/moonshot-v1-8k", set()),
        ("moonshot/kimi-k2.5", PENALTIES | {"temperature"}),
        ("databricks/databricks-claude-opus-5-5", PENALTIES | {"temperature"}),
    ],
)
def test_model_that_refuses_sampling_does_not_get_it(model: str, dropped: set[str]) -> None:
    """The lists are those of the provider's own errors."""
    assert row_of(model).dropped & (PENALTIES | {"stop", "temperature"}) == dropped


def test_litellm_writes_claude_s_thinking_for_databricks_itself() -> None:
    """With litellm, the row is that of the provider."""
    deployment = deployment_of("databricks/databricks-claude-sonnet-4-5", api_base="https://h.test")

    assert dialect_for(deployment, "litellm").name == "databricks"
