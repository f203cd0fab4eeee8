"""Tests that a model's profile is found by its route and its name."""

from __future__ import annotations

import pytest

from sanitizers import profile_for
from sanitizers.profile_names import PREFIXES


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("gemini/gemini-2.0-flash", "gemini-2"),
        ("gemini/gemini-2.5-pro", "gemini-2"),
        ("vertex_ai/gemini-2.5-flash-lite", "gemini-2"),
        ("gemini/gemini-3-pro-preview", "gemini-3"),
        ("gemini/gemini-3-flash-preview", "gemini-3"),
        ("openrouter/google/gemini-3.1-pro-preview", "gemini-3"),
        ("gemini/gemini-3.5-flash", "gemini-3"),
        ("gemini/gemini-3.5-flash-preview", "gemini-3"),
        ("gemini/gemini-3.5-flash-lite", "gemini-3-strict"),
        ("gemini/gemini-3.6-flash", "gemini-3-strict"),
        ("gemini/gemini-3.8-flash", "gemini-3-strict"),
        ("gemini/gemini-4-pro", "gemini-3-strict"),
        ("gemini/gemini-flash-latest", "gemini-3-strict"),
        ("gemini/gemini-pro-latest", "gemini-3"),
        ("gemini/gemini-1.5-pro", "gemini-1"),
        ("gemini/gemini-pro", "gemini-1"),
        ("GEMINI-2.5-PRO", "gemini-2"),
        ("models/gemini-2.5-pro", "gemini-2"),
        ("openai/gpt-4o", "openai"),
        ("gpt-4o", "openai"),
        ("hosted_vllm/my-model", "chat-template"),
        ("openai/not-gemini", "openai"),
        ("gemini/gemma-4-31b-it", "gemma"),
        ("gemini/tunedModels/ours", "gemini-3-strict"),
        ("gemini/learnlm-2.0", "gemini-3-strict"),
        ("ollama/gemma-4", "chat-template-gemma"),
        ("ollama_chat/gemini-clone", "chat-template"),
        ("hosted_vllm/mistralai/Devstral-Small", "chat-template-mistral"),
        ("anthropic/claude-3-7-sonnet-20250219", "anthropic"),
        ("anthropic/claude-sonnet-4-5-20250929", "anthropic"),
        ("anthropic/claude-sonnet-4-20250514", "anthropic"),
        ("anthropic/claude-4-sonnet-20250514", "anthropic"),
        ("replicate/anthropic/claude-4.5-sonnet", "anthropic"),
        ("anthropic/claude-4.6-opus", "anthropic-strict"),
        ("anthropic/claude-4", "anthropic"),
        ("anthropic/claude-40-opus", "anthropic-strict"),
        ("anthropic/claude-opus-4-6", "anthropic-strict"),
        ("anthropic/claude-5-fable", "anthropic-strict"),
        ("vertex_ai/claude-opus-4-1@20250805", "anthropic"),
        ("openrouter/anthropic/claude-sonnet-4.5", "anthropic"),
        ("openrouter/anthropic/claude-opus-4.6", "anthropic-strict"),
        ("bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0", "bedrock-claude"),
        ("bedrock/anthropic.claude-opus-4-6-v1", "bedrock-claude-strict"),
        ("bedrock/us-gov.anthropic.claude-3-5-sonnet-20240620-v1:0", "bedrock-claude"),
        ("anthropic/claude-haiku-4-8", "anthropic-strict"),
        ("anthropic/claude-opus-4-10", "anthropic-strict"),
        ("bedrock/converse/amazon.nova-pro-v1:0", "bedrock"),
        ("bedrock/us.meta.llama4-maverick-17b-instruct-v1:0", "bedrock"),
        ("mistral/mistral-large-latest", "mistral"),
        ("azure_ai/mistral-large-2411", "mistral"),
        ("openai/mistral-of-ours", "openai"),
        ("deepseek/deepseek-chat", "deepseek"),
        ("deepseek/deepseek-reasoner", "deepseek-reasoner"),
        ("deepseek/deepseek-v4", "deepseek-thinking"),
        ("cohere_chat/command-a-03-2025", "cohere"),
        ("groq/openai/gpt-oss-120b", "groq"),
        ("cerebras/llama-3.3-70b", "groq"),
        ("codestral/codestral-latest", "mistral"),
        ("databricks/databricks-llama-4-maverick", "databricks"),
        ("databricks/databricks-claude-sonnet-4-5", "databricks-claude"),
        ("moonshot/kimi-k2.6", "kimi"),
        ("moonshot/moonshot-v1-8k", "openai"),
        ("groq/moonshotai/kimi-k2-instruct", "groq"),
        ("minimax/MiniMax-M2.5", "minimax"),
        ("perplexity/sonar-pro", "perplexity"),
        ("xai/grok-4", "xai"),
    ],
)
def test_longest_prefix_of_the_models_own_name_wins(model: str, name: str) -> None:
    """Most routes do not matter. Servers with a chat template and Bedrock's Converse API have profiles of their own."""
    assert name == profile_for(model).name


@pytest.mark.parametrize(
    ("model", "goes_on"),
    [
        ("hosted_vllm/mistralai/Devstral-Small", False),
        ("lm_studio/mistral-nemo", False),
        ("llamafile/mistral-7b-instruct", True),
        ("ollama/mistral-nemo", True),
        ("ollama_chat/devstral", True),
        ("hosted_vllm/qwen3", True),
    ],
)
def test_mistral_goes_on_with_the_last_turn_on_servers_that_are_known_to(model: str, goes_on: bool) -> None:
    """Ollama and llama.cpp go on with a trailing assistant message. mistral-common refuses it."""
    assert profile_for(model).model_last is goes_on
    assert not profile_for(model, "chat-template-mistral").model_last


@pytest.mark.parametrize(
    ("model", "passes"),
    [
        ("gpt-4o", True),
        ("openai/gpt-4o", True),
        ("hosted_vllm/llava", True),
        ("mistral/pixtral-large", True),
        ("anthropic/claude-sonnet-4-5", False),
        ("bedrock/anthropic.claude", False),
        ("ollama/llava", False),
        ("gemini/gemini-2.5-pro", False),
    ],
)
def test_media_by_address_only_where_litellm_passes_it_on(model: str, passes: bool) -> None:
    """For every other route litellm would fetch the media from this host."""
    assert profile_for(model).remote_media is passes


def test_every_row_is_reachable_by_its_own_prefix() -> None:
    """Each prefix of the table, taken as a model's name, leads to the prefix's own profile."""
    for prefix, profile in PREFIXES.items():
        assert profile_for(prefix) is profile


@pytest.mark.parametrize(
    ("model", "name", "named_roles", "bare_calls", "parallel_calls"),
    [
        ("groq/mistral-saba-24b", None, {"function"}, True, True),
        ("groq/ours", "openai", {"function"}, True, True),
        ("cerebras/llama-3.3-70b", None, None, True, True),
        ("databricks/claude-of-ours", None, {"function", "user"}, True, True),
        ("databricks/gemini-of-ours", None, {"function", "user"}, True, True),
        ("databricks/mixtral-of-ours", None, {"function", "user"}, True, False),
        ("xai/grok-4", None, {"function", "user"}, False, True),
        ("openrouter/x-ai/grok-4", None, None, False, True),
        ("databricks-llama", None, None, False, True),
    ],
)
def test_service_s_rules_about_names_and_calls_hold_for_all_its_models(
    model: str, name: str | None, named_roles: set[str] | None, bare_calls: bool, parallel_calls: bool
) -> None:
    """The model's family decides about the rest. Gemini signs the first of parallel calls alone."""
    found = profile_for(model, name)

    assert (found.named_roles, found.bare_calls, found.parallel_calls) == (
        named_roles,
        bare_calls,
        parallel_calls,
    )


@pytest.mark.parametrize(("model", "passes"), [("openai/ours", True), ("anthropic/ours", False)])
def test_a_profiles_name_overrides_the_models(model: str, passes: bool) -> None:
    """The route still decides whether media may be named by address."""
    found = profile_for(model, "mistral")

    assert found.call_id_form == "nine"
    assert found.remote_media is passes
