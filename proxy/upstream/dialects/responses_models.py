"""The deployments whose chats are asked through OpenAI's Responses API.

Some models have no chats: codex models, o-pro models and deep research. The operator says so with ``model_info.mode``,
and litellm's table lists those of OpenAI, Azure and xAI (``mode: responses``). Newer models have chats, but refuse
functions there while they reason.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

from proxy.config.litellm_models import answers_responses
from proxy.config.providers.find_provider import find_provider
from proxy.config.providers.why_litellm import LISTED_RESPONSES
from proxy.core.deployment import Deployment
from proxy.upstream.dialects.dialect import Dialect
from proxy.upstream.dialects.openai_models import azure_name, is_openai

MARK = "responses/"
"""Begins the name of a model that is asked through the Responses API, in litellm's spelling."""

LEAST_OUTPUT = 16
"""The least ``max_output_tokens`` that OpenAI takes (hindsight#58)."""

NO_FIELD = frozenset(
    {
        *("audio", "frequency_penalty", "logit_bias", "modalities", "n", "prediction", "presence_penalty"),
        *("seed", "stop", "store", "top_k"),
    }
)
"""Parameters of chats that the Responses API has no field for. The proxy decides ``store``."""

_AZURE_SINCE = "2025-03-01"
"""The first dated version of Azure's API with responses (learn.microsoft.com, "API version lifecycle")."""

_GPT = re.compile(r"(?:.*/)?gpt-(\d+)(?:\.(\d+))?(?=[.-]|$)")

_TOOLS_BY_RESPONSES = (5, 4)
"""The first version of GPT whose chats refuse a function while the model reasons.

"Function tools with reasoning_effort are not supported for gpt-5.4 in /v1/chat/completions." (openai-openapi#541;
Azure: oh-my-pi#11052)
"""


@lru_cache(maxsize=1024)
def speaks_responses(deployment: Deployment) -> bool:
    """Tell whether the deployment's provider speaks the whole Responses API: OpenAI itself, Azure and xAI.

    Other servers with a path of that name take less there than on their chat path (vllm#42475, ollama#17673). The
    operator may say otherwise with ``model_info.mode: responses``.
    """
    provider = deployment.provider
    if deployment.mode == "responses":
        return find_provider(provider) is not None
    if provider == "azure":
        return has_new_version(deployment)
    return provider == "xai" or is_openai(deployment)


def has_new_version(deployment: Deployment) -> bool:
    """Tell whether the version of Azure's API has responses. A version without a date always has."""
    version = str(deployment.credentials.get("api_version") or "")
    is_dated = version[:4].isdecimal()
    return not is_dated or version[: len(_AZURE_SINCE)] >= _AZURE_SINCE


@lru_cache(maxsize=1024)
def asks_responses(deployment: Deployment) -> bool:
    """Tell whether all chats of the deployment are asked through the Responses API.

    A server at an address of its own may serve a listed name by chats, so that the table counts for OpenAI's own
    addresses, for Azure and for xAI.
    """
    if deployment.mode is not None:
        return deployment.mode == "responses" and speaks_responses(deployment)
    provider, name = deployment.provider, deployment.model_id
    if provider not in LISTED_RESPONSES or (provider == "openai" and not is_openai(deployment)):
        return False
    if name.startswith(MARK):
        return True
    return answers_responses(name if provider == "openai" else f"{provider}/{name}")


@lru_cache(maxsize=1024)
def may_ask_with_tools(deployment: Deployment) -> bool:
    """Tell whether the model's chats refuse functions while it reasons, and its provider speaks the Responses API."""
    if deployment.mode is not None or deployment.provider not in ("azure", "openai"):
        return False
    return is_new_gpt(deployment) and speaks_responses(deployment)


def is_new_gpt(deployment: Deployment) -> bool:
    """Tell whether the model's name is that of a GPT whose chats refuse functions while it reasons."""
    found = _GPT.match(azure_name(deployment.model_id))
    return found is not None and (int(found[1]), int(found[2] or 0)) >= _TOOLS_BY_RESPONSES


def asks_with_tools(deployment: Deployment, parameters: Mapping[str, Any]) -> bool:
    """Tell whether a chat with *parameters* is asked through the Responses API because of its tools."""
    return (
        may_ask_with_tools(deployment)
        and bool(parameters.get("tools"))
        and "functions" not in parameters
        and parameters.get("reasoning_effort") != "none"
    )


@lru_cache(maxsize=256)
def over_responses(row: Dialect) -> Dialect:
    """Return *row*, a provider's rules for chats, as they are for chats through the Responses API."""
    return replace(
        row,
        name=f"{row.name}-responses",
        dropped=row.dropped | NO_FIELD,
        limit="any" if row.limit == "max_tokens" else row.limit,
        least_output=LEAST_OUTPUT,
        answers=1,
        names=(),
        thinking_switch=False,
        thinking_budget=False,
        tool_marks=False,
        functions=False,
    )
