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


def refused_parameters(deployment: Deployment, parameters: Mapping[str, Any]) -> frozenset[str]:
    """Return the names in *parameters* that the deployment's model does not take."""
    return withheld_names(deployment, "direct", parameters)


def renamed_parameters(deployment: Deployment, parameters: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return *parameters* with the names that the provider uses. The result is *parameters* itself if nothing changes.

    A parameter that the deployment allows by name keeps its name. For DeepSeek, a switch for thinking is added to the
    effort, and replaces the effort ``none``.
    """
    names = _names(deployment)
    if names and names.keys() & parameters.keys():
        parameters = {names.get(name, name): value for name, value in parameters.items()}
    if "reasoning_effort" in parameters and dialect_for(deployment, "direct").thinking_switch:
        return _with_switch(parameters)
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
