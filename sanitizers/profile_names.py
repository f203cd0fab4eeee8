"""Choose a model's profile by its route (the text before the first slash) and its name's longest known prefix."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from types import MappingProxyType

from sanitizers.gemini_profiles import GEMINI_1, GEMINI_2, GEMINI_3, GEMINI_3_STRICT, GEMMA
from sanitizers.messages import MEDIA_PARTS
from sanitizers.profiles import OPENAI, Profile
from sanitizers.provider_profiles import (
    ANTHROPIC,
    ANTHROPIC_STRICT,
    BEDROCK,
    BEDROCK_CLAUDE,
    BEDROCK_CLAUDE_STRICT,
    CHAT_TEMPLATE,
    CHAT_TEMPLATE_GEMMA,
    CHAT_TEMPLATE_MISTRAL,
    COHERE,
    DATABRICKS,
    DATABRICKS_CLAUDE,
    DEEPSEEK,
    DEEPSEEK_REASONER,
    DEEPSEEK_THINKING,
    FIREWORKS,
    GROQ,
    KIMI,
    MINIMAX,
    MISTRAL,
    PERPLEXITY,
    PROVIDER_PROFILES,
    XAI,
)

URL_ROUTES = frozenset(
    {
        "azure",
        "custom_openai",
        "deepseek",
        "fireworks_ai",
        "github_copilot",
        "groq",
        "hosted_vllm",
        "litellm_proxy",
        "lm_studio",
        "mistral",
        "openai",
        "openrouter",
        "together_ai",
        "vllm",
        "xai",
    }
)
"""Providers to which litellm passes an image's address on.

For all others (anthropic, bedrock, ollama, vertex …) litellm fetches the address from this host and sends the bytes. A
client must not be able to cause such a fetch.
"""

_DEVELOPER_ROUTES = frozenset({"azure", "openai"})
"""Routes to services that have a role ``developer``, and to any server with OpenAI's API.

Others answer "developer is not one of ['system', 'assistant', 'user', 'tool', 'function']" (pi#5117, BrainPilot#549;
Cerebras: openclaw#11490; Moonshot: openclaw#8579). litellm calls the role ``system`` for all of them.
"""

_TEMPLATE_ROUTES = frozenset(
    {
        "docker_model_runner",
        "hosted_vllm",
        "huggingface",
        "llamafile",
        "lm_studio",
        "ollama",
        "ollama_chat",
        "oobabooga",
        "vllm",
        "xinference",
    }
)
"""Routes to servers that operators run themselves, with a chat template."""

_CONTINUING_ROUTES = frozenset({"llamafile", "ollama", "ollama_chat"})
"""Routes to servers that go on with a trailing assistant message, whatever the model.

Sources: llama.cpp#13174 (the default since 2025-05), ollama#5890.
"""

_ROUTES: Mapping[str, Profile] = MappingProxyType(
    {
        "anthropic": ANTHROPIC_STRICT,
        "bedrock": BEDROCK,
        "bedrock_converse": BEDROCK,
        "cerebras": replace(GROQ, named_roles=None),
        "codestral": MISTRAL,
        "cohere": COHERE,
        "cohere_chat": COHERE,
        "databricks": DATABRICKS,
        "deepseek": DEEPSEEK_THINKING,
        "fireworks_ai": FIREWORKS,
        "gemini": GEMINI_3_STRICT,
        "groq": GROQ,
        "minimax": MINIMAX,
        "mistral": MISTRAL,
        "perplexity": PERPLEXITY,
        "xai": XAI,
    }
)
"""Maps a route to the profile of its models, for names that do not choose another profile."""

PREFIXES: Mapping[str, Profile] = MappingProxyType(
    {
        "gemini": GEMINI_3_STRICT,  # unknown and `-latest` names: the safe superset
        "gemini-1": GEMINI_1,
        "gemini-2": GEMINI_2,
        "gemini-3": GEMINI_3,
        "gemini-3.": GEMINI_3_STRICT,
        "gemini-3.1": GEMINI_3,
        "gemini-3.5-flash": GEMINI_3,
        "gemini-3.5-flash-lite": GEMINI_3_STRICT,
        "gemini-pro": GEMINI_1,
        "gemini-pro-latest": GEMINI_3,  # prefill-capable in pipecat's list (pipecat#5821)
    }
)
"""Maps prefixes of a model's own name to profiles, except on routes with rules of their own.

The longest prefix that fits wins.
"""

_DEEPSEEKS: Mapping[str, Profile] = MappingProxyType(
    {"deepseek-chat": DEEPSEEK, "deepseek-reasoner": DEEPSEEK_REASONER}
)
"""DeepSeek's models whose rules differ from those of its other models."""

_MISTRALS = ("codestral", "devstral", "magistral", "ministral", "mistral", "mixtral", "open-mi", "pixtral")

_ON_BEDROCK: Mapping[str, Profile] = MappingProxyType(
    {"anthropic": BEDROCK_CLAUDE, "anthropic-strict": BEDROCK_CLAUDE_STRICT}
)

_MISTRAL_CONTINUED = replace(CHAT_TEMPLATE_MISTRAL, model_last=True)

_CLAUDE_4 = re.compile(r"claude-(?:[a-z]+-)?4(?:[-.](\d{1,2}))?(?!\d)")
"""The name of a Claude 4, with its minor version, in all spellings.

The spellings are ``claude-opus-4-6``, ``claude-sonnet-4.5`` (OpenRouter's), ``claude-sonnet-4-20250514``, and, on some
routes, ``claude-4-sonnet`` and ``claude-4.5-sonnet``.
"""

_VENDOR = re.compile(
    r"^(?:[a-z-]{2,8}\.)?(?:ai21|amazon|anthropic|cohere|deepseek|meta|mistral|openai|qwen|writer)\."
)
"""The vendor before a model's own name at Bedrock, with or without a region (``us.anthropic.claude-…``)."""


PROFILES: Mapping[str, Profile] = MappingProxyType(
    {
        row.name: row
        for row in (OPENAI, GEMINI_1, GEMINI_2, GEMINI_3, GEMINI_3_STRICT, GEMMA, *PROVIDER_PROFILES)
    }
)
"""Every profile by its name."""


@lru_cache(maxsize=1024)
def profile_for(model: str, name: str | None = None) -> Profile:
    """Return the profile of *model*, in litellm's spelling (``gemini/gemini-3.6-flash``) or bare.

    *name* is a key of :data:`PROFILES` and overrides the model's name.

    Only the last path segment counts, so that a model keeps its rules on any route (``vertex_ai/gemini-…``,
    ``openrouter/google/gemini-…``, ``models/gemini-…``). Servers with a chat template and Bedrock's Converse API have
    rules of their own.

    A name and a route that fit no profile get OpenAI's rules, which OpenAI-compatible servers share. Media by address
    is allowed only on :data:`URL_ROUTES`, and for a *model* without a route. Raises KeyError for an unknown *name*.
    """
    route, slash, _ = model.partition("/")
    own = _VENDOR.sub("", model.rpartition("/")[2].lower(), count=1)
    profile = PROFILES[name] if name is not None else _row(route if slash else "", own)
    if slash and route.startswith("ollama"):
        # Its wire has images, and litellm leaves everything else out without a word.
        profile = replace(profile, refused_media=MEDIA_PARTS - {"image_url"})
    if slash and route in _ROUTES:
        profile = _at_service(profile, _of_route(route, own))
    if profile.developer_role and slash and route not in _DEVELOPER_ROUTES:
        profile = replace(profile, developer_role=False)
    if profile.remote_media and slash and route not in URL_ROUTES:
        return replace(profile, remote_media=False)
    return profile


def _at_service(profile: Profile, service: Profile) -> Profile:
    """Return the *profile* of a model with the rules of the *service* about names and calls.

    They hold for all models of the service. But no calls are split for a model that signs them: only the first of
    parallel calls has a signature.
    """
    at_service = replace(
        profile,
        named_roles=service.named_roles if profile.named_roles is None else profile.named_roles,
        bare_calls=profile.bare_calls or service.bare_calls,
        parallel_calls=profile.parallel_calls and (service.parallel_calls or profile.signs_calls),
    )
    return profile if at_service == profile else at_service


def _of_route(route: str, name: str) -> Profile:
    """Return the profile of a model whose *name* chooses no other. *name* is in lower case."""
    if route == "databricks" and "claude" in name:
        return DATABRICKS_CLAUDE
    if route == "moonshot" and "kimi" in name:
        return KIMI
    return _ROUTES.get(route, OPENAI)


def _longest(name: str) -> Profile | None:
    best = max((prefix for prefix in PREFIXES if name.startswith(prefix)), key=len, default=None)
    return None if best is None else PREFIXES[best]


def _claude(name: str) -> Profile:
    """Return the profile of a Claude model: versions up to 4.5 take prefill, 4.6 and later do not."""
    if name.startswith(("claude-2", "claude-3", "claude-instant", "claude-v")):
        return ANTHROPIC
    minor = _CLAUDE_4.match(name)
    return ANTHROPIC if minor is not None and int(minor[1] or 0) < 6 else ANTHROPIC_STRICT


def _row(route: str, name: str) -> Profile:
    is_mistral = name.startswith(_MISTRALS)
    if route in _TEMPLATE_ROUTES:
        if name.startswith("gemma"):
            return CHAT_TEMPLATE_GEMMA
        if is_mistral:
            return _MISTRAL_CONTINUED if route in _CONTINUING_ROUTES else CHAT_TEMPLATE_MISTRAL
        return CHAT_TEMPLATE
    if name.startswith("gemma") and route == "gemini":
        return GEMMA
    family = _claude(name) if name.startswith("claude") else _longest(name)
    if route.startswith("bedrock"):
        return BEDROCK if family is None else _ON_BEDROCK.get(family.name, BEDROCK)
    if family is not None:
        return family
    if route == "deepseek" and name in _DEEPSEEKS:
        return _DEEPSEEKS[name]
    if is_mistral and route not in ("", "openai"):
        return MISTRAL
    return _of_route(route, name)
