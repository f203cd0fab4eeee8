"""The table of emulated providers: one entry for each, and more for a provider with several forms."""

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from tests.support.chat_emulator.wires import deepseek_call_id, mistral_call_id, vllm_call_id
from tests.support.compatible_emulator import gateways, histories, known_rules, styles, words
from tests.support.compatible_emulator.rules import ALIKE, CHOICES, EVERY_ROLE, Rules
from tests.support.compatible_emulator.wire import Provider

_SERVER = Provider("", words=words.VLLM, style=styles.VLLM, call_id=vllm_call_id)
_DATED = {"api_version": "2024-10-21"}
_AZURE = Provider(
    "azure",
    "gpt-4o",
    base_path="",
    chat_path="/openai/deployments/gpt-4o/chat/completions",
    query={"api-version": "2024-10-21"},
    key="api-key",
    told_model="gpt-4o-2024-11-20",
    settings=_DATED,
    rules=known_rules.GPT_4O,
    words=words.AZURE,
    style=styles.AZURE,
)

_KNOWN: Mapping[str, Provider] = {
    "azure": _AZURE,
    "azure, token": replace(_AZURE, key="token"),
    "azure, deployment in the address": replace(
        _AZURE,
        base_path="/openai/deployments/gpt-4o",
        model="o_series/mine",
        sent_model="mine",
        rules=known_rules.O_SERIES,
    ),
    "azure, v1 address": replace(
        _AZURE, base_path="/openai/v1", chat_path=None, query={}, key="bearer", settings={}
    ),
    "azure, v1 token": replace(
        _AZURE, base_path="/openai/v1", chat_path=None, query={}, key="token", settings={}
    ),
    "azure, preview": replace(
        _AZURE,
        chat_path="/openai/v1/chat/completions",
        query={},
        key="bearer",
        settings={"api_version": "preview"},
    ),
    "azure, gpt-5": replace(
        _AZURE,
        model="gpt-5",
        chat_path="/openai/deployments/gpt-5/chat/completions",
        told_model="gpt-5-2025-08-07",
        rules=known_rules.GPT_5,
    ),
    "cerebras": Provider(
        "cerebras",
        "gpt-oss-120b",
        rules=known_rules.CEREBRAS,
        words=words.CEREBRAS,
        style=styles.CEREBRAS,
        thinks=True,
    ),
    "codestral": Provider(
        "codestral",
        "codestral-latest",
        rules=known_rules.MISTRAL,
        style=styles.MISTRAL,
        call_id=mistral_call_id,
    ),
    "custom_openai": Provider("custom_openai", style=styles.UNNUMBERED),
    "databricks": Provider(
        "databricks",
        "databricks-llama-4-maverick",
        base_path="/serving-endpoints",
        rules=replace(known_rules.DATABRICKS, histories=(histories.one_call, histories.one_system)),
        words=words.DATABRICKS,
        style=styles.DATABRICKS,
    ),
    "databricks, claude": Provider(
        "databricks",
        "databricks-claude-sonnet-4-5",
        base_path="/serving-endpoints",
        rules=replace(
            known_rules.DATABRICKS,
            refused=frozenset({"reasoning_effort"}),
            histories=(histories.thinking_claude,),
        ),
        words=words.DATABRICKS,
        style=styles.DATABRICKS,
        thinks=True,
    ),
    "deepinfra": Provider(
        "deepinfra",
        base_path="/v1/openai",
        rules=Rules(limits=known_rules.MAX_TOKENS, choices=frozenset({"auto", "none"})),
    ),
    "deepseek": Provider(
        "deepseek",
        "deepseek-chat",
        rules=known_rules.DEEPSEEK,
        words=words.DEEPSEEK,
        style=styles.DEEPSEEK,
        call_id=deepseek_call_id,
    ),
    "deepseek, v4": Provider(
        "deepseek",
        "deepseek-v4-flash",
        rules=known_rules.DEEPSEEK_THINKING,
        words=words.DEEPSEEK,
        style=styles.DEEPSEEK,
        call_id=deepseek_call_id,
        thinks=True,
        echoes=True,
    ),
    "deepseek, reasoner": Provider(
        "deepseek",
        "deepseek-reasoner",
        rules=known_rules.DEEPSEEK_THINKING,
        words=words.DEEPSEEK,
        style=styles.DEEPSEEK,
        call_id=deepseek_call_id,
        thinks=True,
        echoes=True,
    ),
    "docker_model_runner": replace(
        _SERVER, prefix="docker_model_runner", base_path="/engines/llama.cpp", rules=Rules(text_lists=False)
    ),
    "fireworks_ai": Provider(
        "fireworks_ai",
        "llama-v3p3-70b-instruct",
        base_path="/inference/v1",
        sent_model="accounts/fireworks/models/llama-v3p3-70b-instruct",
        rules=known_rules.FIREWORKS,
    ),
    "github": Provider(
        "github", "gpt-4o", base_path="", rules=Rules(roles=EVERY_ROLE), words=words.AZURE, style=styles.AZURE
    ),
    "groq": Provider(
        "groq",
        "llama-3.3-70b-versatile",
        base_path="/openai/v1",
        rules=known_rules.GROQ,
        words=words.GROQ,
        style=styles.GROQ,
    ),
    "groq, gpt-oss": Provider(
        "groq",
        "openai/gpt-oss-120b",
        base_path="/openai/v1",
        rules=replace(known_rules.GROQ, efforts=frozenset({"low", "medium", "high"})),
        words=words.GROQ,
        style=styles.GROQ,
        thinks=True,
    ),
    "hosted_vllm": replace(_SERVER, prefix="hosted_vllm", thinks=True),
    "huggingface": replace(
        _SERVER,
        prefix="huggingface",
        model="org/model:together",
        base_path="",
        chat_path="/v1/chat/completions",
        words=words.TEXT,
    ),
    "lemonade": replace(_SERVER, prefix="lemonade"),
    "litellm_proxy": replace(_SERVER, prefix="litellm_proxy", words=words.GENERAL, style=styles.OPENAI),
    "llamafile": replace(_SERVER, prefix="llamafile"),
    "lm_studio": replace(
        _SERVER,
        prefix="lm_studio",
        words=words.TEXT,
        rules=Rules(
            choices=CHOICES - {"named"},
            choice_words="Invalid tool_choice type: 'object'. Supported string values: none, auto, required",
        ),
    ),
    "minimax": Provider(
        "minimax",
        "MiniMax-M2.5",
        rules=Rules(histories=(histories.one_system,)),
        words=words.MINIMAX,
        style=styles.MINIMAX,
        thinks=True,
    ),
    "mistral": Provider(
        "mistral",
        "mistral-large-latest",
        rules=known_rules.MISTRAL,
        style=styles.MISTRAL,
        call_id=mistral_call_id,
    ),
    "mistral, address without a version": Provider(
        "mistral",
        "magistral-medium-latest",
        base_path="",
        chat_path="/v1/chat/completions",
        rules=known_rules.MISTRAL,
        style=styles.MISTRAL,
        call_id=mistral_call_id,
        thinks=True,
    ),
    "moonshot": Provider("moonshot", "moonshot-v1-8k", rules=known_rules.MOONSHOT, style=styles.MOONSHOT),
    "moonshot, kimi": Provider(
        "moonshot", "kimi-k2.5", rules=known_rules.KIMI, style=styles.MOONSHOT, thinks=True, echoes=True
    ),
    "nvidia_nim": Provider(
        "nvidia_nim",
        "meta/llama-3.3-70b-instruct",
        rules=known_rules.NVIDIA,
        words=words.NVIDIA,
        style=styles.VLLM,
    ),
    "ollama_chat": replace(
        _SERVER,
        prefix="ollama_chat",
        model="qwen3.5",
        base_path="",
        chat_path="/v1/chat/completions",
        rules=Rules(efforts=frozenset({"none", "low", "medium", "high", "max"})),
        words=words.GENERAL,
        style=styles.OLLAMA,
        thinks=True,
    ),
    "openai": Provider("openai", rules=Rules(roles=EVERY_ROLE)),
    "openrouter": Provider("openrouter", "x/y", base_path="/api/v1", style=styles.OPENROUTER, thinks=True),
    "perplexity": Provider(
        "perplexity",
        "sonar",
        base_path="",
        rules=known_rules.PERPLEXITY,
        words=words.PERPLEXITY,
        style=styles.PERPLEXITY,
        takes_tools=False,
    ),
    "sail": Provider(
        "sail",
        rules=Rules(
            refused=known_rules.PENALTIES
            | {"logit_bias", "logprobs", "seed", "service_tier", "stop", "top_logprobs"}
        ),
    ),
    "scx-ai": Provider(
        "scx-ai", rules=Rules(limits=known_rules.MAX_TOKENS, ranges={"temperature": (0, 1.99)})
    ),
    "together_ai": Provider("together_ai", "meta-llama/Llama-3.3-70B-Instruct-Turbo"),
    "vllm": replace(_SERVER, prefix="vllm"),
    "xai": Provider(
        "xai", "grok-4", rules=known_rules.GROK_4, words=words.XAI, style=styles.XAI, thinks=True
    ),
    "xai, grok-3-mini": Provider(
        "xai",
        "grok-3-mini",
        rules=replace(known_rules.GROK_4, efforts=frozenset({"low", "high"})),
        words=words.XAI,
        style=styles.XAI,
        thinks=True,
    ),
    "xinference": replace(_SERVER, prefix="xinference"),
}


def _gateways(paths: Mapping[str, str], rules: Rules) -> dict[str, Provider]:
    return {prefix: Provider(prefix, base_path=path, rules=rules) for prefix, path in paths.items()}


PROVIDERS: Mapping[str, Provider] = MappingProxyType(
    {
        **_KNOWN,
        **_gateways(gateways.EITHER_LIMIT, ALIKE),
        **_gateways(gateways.MAX_TOKENS, Rules(limits=known_rules.MAX_TOKENS)),
        **_gateways(gateways.ONE_TEXT, Rules(text_lists=False)),
        **_gateways(gateways.ONE_TEXT_MAX_TOKENS, Rules(limits=known_rules.MAX_TOKENS, text_lists=False)),
    }
)
"""The emulated providers by name. A name is the prefix, and behind a comma the form."""
