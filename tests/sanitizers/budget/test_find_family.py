"""Tests of the table of name prefixes.

The longest prefix that fits a model's name decides its family, by which its tokens are estimated.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sanitizers.budget.families import FAMILIES
from sanitizers.budget.find_family import PREFIXES, family_of

MODELS = {
    "o200k": """
        gpt-4o gpt-4.5-preview azure/gpt-5.1-codex gpt-oss-120b bedrock/openai.gpt-oss-120b-1:0
        chatgpt-4o-latest o1 o3-mini codex-mini-latest
    """,
    "o200k-4o-mini": "openai/gpt-4o-mini-2024-07-18 ft:gpt-4o-mini-2024-07-18:org::id",
    "o200k-nano": "gpt-4.1-nano",
    "o200k-mini": "gpt-5-mini",
    "cl100k": "ft:gpt-3.5-turbo:org gpt-4 gpt-4-1106-preview gpt-4-turbo gpt-3.5-turbo azure/gpt-35-turbo",
    "o200k-o4-mini": "o4-mini",
    "gemini": "gemini/gemini-3.6-flash vertex_ai/gemini-2.5-pro ollama/gemma-4:27b",
    "claude3": """
        anthropic/claude-3-5-sonnet-20241022 claude-opus-4-20250514 claude-sonnet-4-5-20250929
        claude-opus-4-6 openrouter/anthropic/claude-opus-4.6 claude-4-sonnet
        databricks/databricks-claude-sonnet-4 bedrock/anthropic.claude-3-haiku-20240307-v1:0
        vertex_ai/claude-sonnet-4-5@20250929
    """,
    "claude2": "claude-instant-1.2 claude-2.1 bedrock/invoke/anthropic.claude-v2:1",
    "claude48": """
        claude-opus-4-7 openrouter/anthropic/claude-opus-4.8 claude-sonnet-4-9-20270101
        claude-sonnet-5 claude-latest bedrock/us.anthropic.claude-opus-4-7-v1:0
        bedrock/us-gov.anthropic.claude-opus-4-7-v1:0
    """,
    "llama3": """
        groq/llama-3.3-70b-versatile together_ai/meta-llama/Llama-4-Scout
        bedrock/us.meta.llama3-1-70b-instruct-v1:0
    """,
    "unknown": "ollama/llama2 xai/grok-4 moonshot/kimi-k2 not-gemini azure/our-deployment openai/",
    "qwen3": "hosted_vllm/Qwen/Qwen3-Coder-480B qwq-32b",
    "deepseek": "deepseek/deepseek-chat bedrock/deepseek.r1-v1:0",
    "mistral": """
        mistral/mistral-large-latest mistral/codestral-latest mistral/open-mixtral-8x22b
        MAGISTRAL-small
    """,
}
"""Names of models, by the name of their family."""


@pytest.mark.parametrize("name", MODELS)
def test_longest_prefix_of_the_models_own_name_wins(name: str) -> None:
    """The route, the vendor and capital letters in a model's name do not change its family."""
    models = MODELS[name].split()

    assert {model: family_of(model).name for model in models} == dict.fromkeys(models, name)
    assert family_of("").name == "unknown"


@given(st.text(max_size=60))
def test_no_models_name_raises(model: str) -> None:
    """Every name has a family."""
    assert family_of(model) in FAMILIES


def test_prefixes_are_small_letters_without_a_slash() -> None:
    """A prefix with a capital or a slash would never fit."""
    for prefix in PREFIXES:
        assert prefix == prefix.lower()
        assert "/" not in prefix
