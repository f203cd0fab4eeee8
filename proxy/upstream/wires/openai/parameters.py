"""Which parameters go out on OpenAI's wire, and by which names there. Pure.

OpenAI's own models refuse some (:mod:`proxy.upstream.dialects.openai_models`); other providers that speak its wire are
not given some, or call them otherwise.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from proxy.core.deployment import Deployment
from proxy.upstream.dialects import withheld_names
from proxy.upstream.dialects.openai_models import renames_limit

_SPELLINGS = MappingProxyType({"mistral": MappingProxyType({"seed": "random_seed"})})
"""What a provider calls a parameter (Mistral's reference); litellm writes it the same way."""


def refused_parameters(deployment: Deployment, parameters: Mapping[str, Any]) -> frozenset[str]:
    """Return the names in *parameters* that the deployment's model is not given."""
    return withheld_names(deployment, "direct", parameters)


def renamed_parameters(deployment: Deployment, parameters: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return *parameters* as the deployment's provider writes them; the same object where nothing is otherwise.

    A deployment that allows a parameter by name gets it by that name. DeepSeek has a switch of its own beside the
    effort (api-docs.deepseek.com, "Thinking Mode"), which litellm sets as well.
    """
    names = _names(deployment)
    if names and names.keys() & parameters.keys():
        parameters = {names.get(name, name): value for name, value in parameters.items()}
    if deployment.provider == "deepseek" and "reasoning_effort" in parameters:
        return _with_switch(parameters)
    return parameters


@lru_cache(maxsize=1024)
def _names(deployment: Deployment) -> Mapping[str, str]:
    """Return what the deployment's provider calls the parameters that it calls otherwise."""
    names = dict(_SPELLINGS.get(deployment.provider, {}))
    if renames_limit(deployment):
        names["max_tokens"] = "max_completion_tokens"
    return {name: spelled for name, spelled in names.items() if name not in deployment.allowed_openai_params}


def _with_switch(parameters: Mapping[str, Any]) -> Mapping[str, Any]:
    if parameters["reasoning_effort"] != "none":
        return {**parameters, "thinking": {"type": "enabled"}}
    rest = {name: value for name, value in parameters.items() if name != "reasoning_effort"}
    return {**rest, "thinking": {"type": "disabled"}}
