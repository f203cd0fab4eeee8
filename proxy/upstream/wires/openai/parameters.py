"""The parameters on OpenAI's wire, and their names there.

OpenAI's own models refuse some parameters (:mod:`proxy.upstream.dialects.openai_models`). Other providers that speak
the wire refuse some parameters, or have other names for them.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from proxy.core.deployment import Deployment
from proxy.upstream.dialects import dialect_for, withheld_names
from proxy.upstream.dialects.openai_models import renames_limit
from proxy.upstream.dialects.reasoning import THINKING_BUDGETS

_ROOM_FOR_ANSWER = 4_096
"""The tokens of an answer beside Claude's thinking, where the request has no limit. litellm adds as many."""


def refused_parameters(deployment: Deployment, parameters: Mapping[str, Any]) -> frozenset[str]:
    """Return the names in *parameters* that the deployment's model does not take."""
    return withheld_names(deployment, "direct", parameters)


def renamed_parameters(deployment: Deployment, parameters: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return *parameters* with the names that the provider uses. The result is *parameters* itself if nothing changes.

    A parameter that the deployment allows by name keeps its name. For DeepSeek and Kimi, a switch for thinking is added
    to the effort, and replaces the effort ``none``. For Claude at Databricks, a budget of tokens replaces the effort.
    """
    names = _names(deployment)
    if names and names.keys() & parameters.keys():
        parameters = {names.get(name, name): value for name, value in parameters.items()}
    if "reasoning_effort" in parameters:
        dialect = dialect_for(deployment, "direct")
        if dialect.thinking_switch:
            return _with_switch(parameters)
        if dialect.thinking_budget and "reasoning_effort" not in deployment.allowed_openai_params:
            return _with_budget(parameters)
    return parameters


@lru_cache(maxsize=1024)
def asks_for_usage(deployment: Deployment) -> bool:
    """Tell whether ``stream_options`` asks the deployment's provider for a stream's usage."""
    return dialect_for(deployment, "direct").stream_usage


@lru_cache(maxsize=1024)
def _names(deployment: Deployment) -> Mapping[str, str]:
    """Return the parameters that the provider names differently, with their names there."""
    names = dict(dialect_for(deployment, "direct").names)
    if renames_limit(deployment):
        names["max_tokens"] = "max_completion_tokens"
    return {name: spelled for name, spelled in names.items() if name not in deployment.allowed_openai_params}


def _with_switch(parameters: Mapping[str, Any]) -> Mapping[str, Any]:
    if parameters["reasoning_effort"] != "none":
        return {**parameters, "thinking": {"type": "enabled"}}
    rest = {name: value for name, value in parameters.items() if name != "reasoning_effort"}
    return {**rest, "thinking": {"type": "disabled"}}


def _with_budget(parameters: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return *parameters* with Claude's ``thinking`` in the place of an effort.

    The budget must be less than ``max_tokens``, so the answer gets room beside the thinking where no limit is given.
    """
    effort = parameters["reasoning_effort"]
    rest = {name: value for name, value in parameters.items() if name != "reasoning_effort"}
    if effort == "none":
        return rest
    budget = THINKING_BUDGETS[effort]
    thinking = {"type": "enabled", "budget_tokens": budget}
    return {"max_tokens": budget + _ROOM_FOR_ANSWER, **rest, "thinking": thinking}
