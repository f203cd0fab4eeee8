"""The table of name prefixes: the longest prefix that fits a model decides."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sanitizers.budget.families import FAMILIES
from sanitizers.budget.find_family import PREFIXES, family_of


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("gpt-4o", "o200k"),
        ("openai/gpt-4o-mini-2024-07-18", "o200k-4o-mini"),
        ("gpt-4.1-nano", "o200k-nano"),
        ("gpt-5-mini", "o200k-mini"),
        ("gpt-4.5-preview", "o200k"),
        ("azure/gpt-5.1-codex", "o200k"),
        ("gpt-oss-120b", "o200k"),
        ("bedrock/openai.gpt-oss-120b-1:0", "o200k"),
        ("chatgpt-4o-latest", "o200k"),
        ("ft:gpt-4o-mini-2024-07-18:org::id", "o200k-4o-mini"),
        ("ft:gpt-3.5-turbo:org", "cl100k"),
        ("o1", "o200k"),
        ("o3-mini", "o200k"),
        ("o4-mini", "o200k-o4-mini"),
        ("codex-mini-latest", "o200k"),
        ("gpt-4", "cl100k"),
        ("gpt-4-1106-preview", "cl100k"),
        ("gpt-4-turbo", "cl100k"),
        ("gpt-3.5-turbo", "cl100k"),
        ("azure/gpt-35-turbo", "cl100k"),
        ("gemini/gemini-3.6-flash", "gemini"),
        ("vertex_ai/gemini-2.5-pro", "gemini"),
        ("ollama/gemma-4:27b", "gemini"),
        ("anthropic/claude-3-5-sonnet-20241022", "claude3"),
        ("claude-instant-1.2", "claude2"),
        ("claude-2.1", "claude2"),
        ("claude-opus-4-20250514", "claude3"),
        ("claude-sonnet-4-5-20250929", "claude3"),
        ("claude-opus-4-6", "claude3"),
        ("openrouter/anthropic/claude-opus-4.6", "claude3"),
        ("claude-4-sonnet", "claude3"),
        ("claude-opus-4-7", "claude48"),
        ("openrouter/anthropic/claude-opus-4.8", "claude48"),
        ("claude-sonnet-4-9-20270101", "claude48"),
        ("claude-sonnet-5", "claude48"),
        ("claude-latest", "claude48"),
        ("bedrock/us.anthropic.claude-opus-4-7-v1:0", "claude48"),
        ("bedrock/us-gov.anthropic.claude-opus-4-7-v1:0", "claude48"),
        ("bedrock/invoke/anthropic.claude-v2:1", "claude2"),
        ("databricks/databricks-claude-sonnet-4", "claude3"),
        ("bedrock/anthropic.claude-3-haiku-20240307-v1:0", "claude3"),
        ("vertex_ai/claude-sonnet-4-5@20250929", "claude3"),
        ("groq/llama-3.3-70b-versatile", "llama3"),
        ("together_ai/meta-llama/Llama-4-Scout", "llama3"),
        ("bedrock/us.meta.llama3-1-70b-instruct-v1:0", "llama3"),
        ("ollama/llama2", "unknown"),
        ("hosted_vllm/Qwen/Qwen3-Coder-480B", "qwen3"),
        ("qwq-32b", "qwen3"),
        ("deepseek/deepseek-chat", "deepseek"),
        ("bedrock/deepseek.r1-v1:0", "deepseek"),
        ("mistral/mistral-large-latest", "mistral"),
        ("mistral/codestral-latest", "mistral"),
        ("mistral/open-mixtral-8x22b", "mistral"),
        ("MAGISTRAL-small", "mistral"),
        ("xai/grok-4", "unknown"),
        ("moonshot/kimi-k2", "unknown"),
        ("not-gemini", "unknown"),
        ("azure/our-deployment", "unknown"),
        ("openai/", "unknown"),
        ("", "unknown"),
    ],
)
def test_longest_prefix_of_the_models_own_name_wins(model: str, name: str) -> None:
    """Route, vendor and case of letters do not matter."""
    assert name == family_of(model).name


@given(st.text(max_size=60))
def test_no_models_name_raises(model: str) -> None:
    """Every name has a family."""
    assert family_of(model) in FAMILIES


def test_prefixes_are_small_letters_without_a_slash() -> None:
    """A prefix with a capital or a slash would never fit."""
    for prefix in PREFIXES:
        assert prefix == prefix.lower()
        assert "/" not in prefix
