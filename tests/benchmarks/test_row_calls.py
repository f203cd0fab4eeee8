"""Tests that a request to any provider on OpenAI's wire costs hardly more Python calls than one to ``openai/``.

The number of calls stands for the CPU of a request, and it is the same on a busy machine. ``make bench-rows`` measures
the CPU itself.
"""

from __future__ import annotations

import pytest

from benchmarks.gateway.calls import count_rows
from benchmarks.gateway.row_models import AGENT, BASE, SMALL, row_models

ALL = row_models("")
NAMES = (
    BASE,
    "azure/gpt-4o",
    "azure/gpt-4o at /openai/v1",
    "codestral/codestral-latest",
    "databricks/databricks-claude-sonnet-4-5",
    "databricks/databricks-llama-4-maverick",
    "deepseek/deepseek-chat",
    "deepseek/deepseek-reasoner",
    "fireworks_ai/accounts/fireworks/models/llama-v3p3-70b-instruct",
    "groq/openai/gpt-oss-120b",
    "mistral/mistral-large-latest",
    "moonshot/kimi-k2.5",
    "moonshot/moonshot-v1-8k",
    "openrouter/anthropic/claude-sonnet-4.5",
    "perplexity/sonar",
    "scaleway/some-model",
    "vllm/some-model",
    "xai/grok-4",
)
"""The rows whose requests take ways of their own through the code, and one of the others (``scaleway``)."""

ROWS = {name: ALL[name] for name in NAMES}

MORE = {
    # All fields of messages and calls are looked at, since these providers refuse unknown ones.
    **dict.fromkeys(
        (
            "databricks/databricks-claude-sonnet-4-5",
            "fireworks_ai/accounts/fireworks/models/llama-v3p3-70b-instruct",
            "groq/openai/gpt-oss-120b",
            "perplexity/sonar",
        ),
        1.5,
    ),
    # The number of calls in each turn is looked at too.
    "databricks/databricks-llama-4-maverick": 1.9,
    # All messages are looked at: lists of texts.
    "moonshot/moonshot-v1-8k": 1.25,
    # The rules of a model that demands its reasoning back are followed step by step.
    "deepseek/deepseek-reasoner": 2.8,
    "moonshot/kimi-k2.5": 2.8,
}
"""The bounds of the rows that take more calls for a long history, in multiples of ``openai/``.

In long requests most of the CPU is not in the calls. There ``make bench-rows`` decides.
"""

USUAL = 1.15
"""The bound of all others. A model of a family that the process meets for the first time takes some calls more."""


@pytest.fixture(scope="module")
def counted() -> dict[str, dict[str, float]]:
    """Count the calls for a request of each size, at each row."""
    return {size: count_rows(ROWS, size) for size in (SMALL, AGENT)}


@pytest.mark.parametrize("name", ROWS)
def test_request_takes_hardly_more_calls_than_at_openai(
    counted: dict[str, dict[str, float]], name: str
) -> None:
    """A small request takes as many calls as one to ``openai/``, and a long one no more than its bound."""
    small, agent = (counted[size][name] / counted[size][BASE] for size in (SMALL, AGENT))

    assert 0.8 < small < USUAL
    assert 0.8 < agent < MORE.get(name, USUAL)
