"""Chooses a deployment's row of the dialect table, by its provider, its model and its transport."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Literal

from proxy.config.addresses import OPENAI_SERVERS
from proxy.config.providers.find_provider import find_provider
from proxy.core.deployment import Deployment
from proxy.upstream.dialects import table
from proxy.upstream.dialects.claude_models import Claude, claude_of
from proxy.upstream.dialects.dialect import Dialect
from proxy.upstream.dialects.gemini_models import efforts_of_gemini
from proxy.upstream.dialects.hosted_models import row_of_model
from proxy.upstream.dialects.openai_models import efforts_of_openai, is_openai, refused_by_openai
from proxy.upstream.dialects.responses_models import (
    asks_responses,
    asks_with_tools,
    may_ask_with_tools,
    over_responses,
)
from sanitizers import profile_for

Transport = Literal["direct", "litellm"]

_MONTH = re.compile(r"\d{4}-\d\d")
_JSON_OBJECT = frozenset({"json_object"})

_GOOGLE = frozenset({"gemini", "vertex_ai", "vertex_ai_beta"})
_CLAUDE_ROUTES = frozenset({"anthropic", "bedrock", "vertex_ai"})

_ROWS: Mapping[str, Dialect] = MappingProxyType(
    {
        "azure": table.OPENAI,
        "bedrock": table.BEDROCK,
        "cerebras": table.CEREBRAS,
        "cohere": table.COHERE,
        "cohere_chat": table.COHERE,
        "databricks": table.DATABRICKS,
        "deepinfra": table.DEEPINFRA,
        "deepseek": table.DEEPSEEK,
        "fireworks_ai": table.FIREWORKS,
        "codestral": table.MISTRAL,
        "github": table.OPENAI,
        "groq": table.GROQ,
        "mistral": table.MISTRAL,
        "moonshot": table.MOONSHOT,
        "nvidia_nim": table.NVIDIA,
        "ollama": table.OLLAMA,
        "ollama_chat": table.OLLAMA,
        "openai": table.COMPATIBLE,
        "openrouter": table.OPENROUTER,
        "perplexity": table.PERPLEXITY,
        "sail": table.SAIL,
        "together_ai": table.TOGETHER,
        "xai": table.XAI,
        **dict.fromkeys(OPENAI_SERVERS, table.COMPATIBLE),
        "lm_studio": table.LM_STUDIO,
    }
)

_MERGED_LIMITS = frozenset({"custom_openai", "xinference"})
"""Servers for which litellm sends ``max_completion_tokens`` as ``max_tokens`` too."""


_OWN_SERVERS = OPENAI_SERVERS | {"openai"}
"""Provider names that stand for any server with OpenAI's API, whichever service runs there."""

_BY_PROFILE: Mapping[str, Dialect] = MappingProxyType(
    {
        "deepseek": table.DEEPSEEK,
        "deepseek-reasoner": table.DEEPSEEK_REASONER,
        "deepseek-thinking": table.DEEPSEEK_V4,
        "mistral": table.MISTRAL,
    }
)
"""The rows of services that have OpenAI's API themselves, by the profile that an operator names for such a server."""


@lru_cache(maxsize=1024)
def dialect_for(deployment: Deployment, transport: Transport) -> Dialect:
    """Return the row for a deployment's provider and model. *transport* is the transport that carries the call.

    For any other server with OpenAI's API, a profile that the operator names chooses the row too. A model whose chats
    are asked through the Responses API has a row of its own.
    """
    row = _row_for(deployment, transport)
    return over_responses(row) if transport == "direct" and asks_responses(deployment) else row


def dialect_of(deployment: Deployment, transport: Transport, parameters: Mapping[str, Any]) -> Dialect:
    """Return the row for a request with *parameters*, whose tools may need the Responses API."""
    row = dialect_for(deployment, transport)
    return over_responses(row) if transport == "direct" and asks_with_tools(deployment, parameters) else row


def _row_for(deployment: Deployment, transport: Transport) -> Dialect:
    provider, model = deployment.provider, deployment.model_id
    if provider in _GOOGLE and profile_for(deployment.model, deployment.profile).name.startswith("gemini"):
        return _gemini(deployment, direct=transport == "direct")
    if provider == "anthropic" and transport == "direct":
        return _on_messages(model)
    if provider in _CLAUDE_ROUTES and claude_of(model) is not None:
        return _claude(provider, model)
    row = _ROWS.get(provider) or _other_row(provider)
    if is_openai(deployment):
        return replace(table.OPENAI, efforts=efforts_of_openai(model))
    if provider == "azure":
        return _azure(deployment, direct=transport == "direct")
    named = _BY_PROFILE.get(deployment.profile or "") if provider in _OWN_SERVERS else None
    if named is not None:
        return _on_wire(named, direct=transport == "direct")
    if provider == "deepseek":
        return _deepseek(model, direct=transport == "direct")
    if provider == "bedrock" and "nova" in model:
        return table.NOVA
    if row is table.OLLAMA:
        return _ollama(model, direct=transport == "direct")
    own = row_of_model(provider, model, direct=transport == "direct")
    if own is not None:
        return own
    if provider in _MERGED_LIMITS and transport == "litellm":
        return replace(row, limit="one")
    return row


def _other_row(provider: str) -> Dialect:
    listed = find_provider(provider)
    if listed is None:
        return table.OTHERS
    row = table.MAX_TOKENS if listed.limit_as_max_tokens else table.OTHERS
    return row if listed.hottest is None else replace(row, temperature=(0.0, listed.hottest))


def withheld_names(
    deployment: Deployment, transport: Transport, parameters: Mapping[str, Any]
) -> frozenset[str]:
    """Return the names in *parameters* that are not sent: the dialect drops them, or OpenAI's model refuses them."""
    may_change = may_ask_with_tools(deployment)
    row = dialect_of(deployment, transport, parameters) if may_change else dialect_for(deployment, transport)
    return (row.dropped & parameters.keys()) | refused_by_openai(deployment, parameters)


def _gemini(deployment: Deployment, *, direct: bool) -> Dialect:
    profile = profile_for(deployment.model, deployment.profile)
    row = table.GEMINI_3 if profile.call_ids else table.GEMINI
    return replace(row, efforts=efforts_of_gemini(profile, deployment.model_id, direct=direct))


def _claude(provider: str, model: str) -> Dialect:
    facts = claude_of(model)
    assert facts is not None, "asked for with a Claude"
    row, native = table.ANTHROPIC, facts.schemas
    if provider == "bedrock":
        row, native = table.BEDROCK_CLAUDE, False
        if facts.schemas:  # only for these does litellm pass `parallel_tool_calls` on
            row = replace(row, dropped=row.dropped - {"parallel_tool_calls"})
    return replace(
        row,
        dropped=row.dropped | facts.refused,
        efforts=facts.efforts,
        one_sampler=facts.one_sampler,
        thinking="budget" if facts.budget else "free",
        formats_with_tools=row.formats if native else frozenset(),
    )


def _on_messages(model: str) -> Dialect:
    """Return the row of a model on Anthropic's own wire, where other vendors' models may be too.

    A schema of an answer is asked for directly, or in words where the model cannot keep to one.
    """
    facts = claude_of(model)
    if facts is None:
        return table.MESSAGES_COMPATIBLE
    formats = table.MESSAGES.formats if facts.schemas else frozenset()
    return replace(
        table.MESSAGES,
        dropped=table.MESSAGES.dropped | facts.refused | _lost_efforts(facts),
        efforts=facts.efforts,
        always_reasons=facts.always_thinks,
        one_sampler=facts.one_sampler,
        thinking="budget" if facts.budget else "adaptive",
        formats=formats,
        formats_with_tools=formats,
    )


def _lost_efforts(facts: Claude) -> frozenset[str]:
    return frozenset({"reasoning_effort"}) if facts.efforts is None else frozenset()


def _deepseek(model: str, *, direct: bool) -> Dialect:
    if "reasoner" in model:
        return table.DEEPSEEK_REASONER
    return _on_wire(table.DEEPSEEK_V4 if "v4" in model else table.DEEPSEEK, direct=direct)


def _azure(deployment: Deployment, *, direct: bool) -> Dialect:
    """Return the row of an Azure. litellm writes a schema as a tool where the version of the API has no schemas.

    Schemas came with ``2024-08-01-preview`` (learn.microsoft.com, "Structured outputs"). Before June 2024, a call could
    not be forced without naming a function (litellm 1.105.3, ``llms/azure/chat``).
    """
    row = replace(table.OPENAI, efforts=efforts_of_openai(deployment.model_id))
    dated = _MONTH.match(str(deployment.credentials.get("api_version") or ""))
    if dated is None or not direct:
        return row
    if dated[0] < "2024-08":
        row = replace(row, formats=_JSON_OBJECT, formats_with_tools=_JSON_OBJECT)
    return replace(row, choices=row.choices - {"required"}) if dated[0] < "2024-06" else row


def _ollama(model: str, *, direct: bool) -> Dialect:
    """Return the row of an Ollama. Its ``/v1`` has no ``top_k`` (docs.ollama.com, "OpenAI compatibility")."""
    row = replace(table.OLLAMA, efforts=table.LEVELS) if "gpt-oss" in model else table.OLLAMA
    return replace(row, dropped=row.dropped | {"top_k"}) if direct else row


def _on_wire(row: Dialect, *, direct: bool) -> Dialect:
    """Return *row* for the transport. With the direct transport, DeepSeek's V4 has one more effort."""
    return replace(row, efforts=("none", "high", "max")) if row is table.DEEPSEEK_V4 and direct else row
