"""The configuration of the replicas: models with prices at the provider that bills, and keys with limits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.limits.provider import ANTHROPIC, EMBEDDING, GEMINI, OPENAI, PRICES, BillingProvider

_ROUTES = {
    OPENAI: ("openai", "/v1"),
    ANTHROPIC: ("anthropic", ""),
    GEMINI: ("gemini", "/v1beta"),
    EMBEDDING: ("openai", "/v1"),
}
"""The provider of each model in the spelling of ``litellm_params``, and the path of its address."""

MASTER_KEY = "sk-limits-master"
TIMEOUT_S = 20.0
"""The deadline of a request. A reservation outlives its request by some seconds more."""


def key_of(name: str) -> str:
    """Return the secret of the key that is named *name*."""
    return f"sk-limits-of-{name}"


def client_key(name: str, **limits: Any) -> dict[str, Any]:
    """Return an entry of ``general_settings.keys`` with *limits*."""
    return {"name": name, "key": key_of(name), **limits}


def config_for(
    provider: BillingProvider,
    store: Mapping[str, Any],
    keys: Sequence[Mapping[str, Any]],
    *,
    models: Sequence[str] = (OPENAI, ANTHROPIC, GEMINI, EMBEDDING),
    general: Mapping[str, Any] | None = None,
    **sections: Any,
) -> dict[str, Any]:
    """Return a configuration with *models* and *keys*. *general* is added to ``general_settings``."""
    settings = {
        "master_key": MASTER_KEY,
        "keys": list(keys),
        "drain_delay": 0,
        "drain_grace": 2,
        **(general or {}),
    }
    router = {"timeout": TIMEOUT_S, "num_retries": 2, **sections.pop("router_settings", {})}
    return {
        "model_list": [entry_of(provider, model) for model in models],
        "store": dict(store),
        "general_settings": settings,
        "router_settings": router,
        **sections,
    }


def entry_of(provider: BillingProvider, model: str) -> dict[str, Any]:
    """Return the entry of ``model_list`` for *model*, with its prices."""
    route, path = _ROUTES[model]
    parameters = {
        "model": f"{route}/{model}",
        "api_base": f"{provider.origin}{path}",
        "api_key": "sk-provider",
    }
    info = {"max_input_tokens": 200_000, "max_output_tokens": 32_000, **PRICES[model].model_info()}
    return {"model_name": model, "transport": "direct", "litellm_params": parameters, "model_info": info}
