"""Chooses the transport and the endpoints of a deployment."""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

from pydantic import SecretStr

from proxy.config.addresses import OPENAI_SERVERS, has_address
from proxy.config.providers.find_provider import find_provider
from proxy.config.providers.why_litellm import CallFacts, why_litellm
from proxy.config.schema.routes import ANY_MODEL, Routes
from proxy.core.deployment import Deployment
from proxy.upstream.wires import table


def transport_of(deployment: Deployment) -> Literal["direct", "litellm"]:
    """Return the name of the transport that carries the deployment's calls."""
    if deployment.transport != "auto":
        return deployment.transport
    if deployment.provider in table.WIRES and find_provider(deployment.provider) is None:
        return "direct"  # a wire of its own
    return "direct" if reason_of(deployment) is None else "litellm"


@lru_cache(maxsize=4_096)
def reason_of(deployment: Deployment) -> str | None:
    """Return the reason why ``transport: auto`` leaves the deployment to litellm, or None where it does not."""
    named = {name.lower() for name in deployment.extra_headers}
    facts = CallFacts(
        deployment.provider,
        None if deployment.name.endswith("*") else deployment.model_id,
        deployment.api_base,
        deployment.api_key is not None or not named.isdisjoint({"api-key", "authorization"}),
        {
            name: value.get_secret_value() if isinstance(value, SecretStr) else value
            for name, value in deployment.credentials.items()
        },
        deployment.extra_body.keys() | deployment.allowed_openai_params | deployment.defaults.keys(),
    )
    return why_litellm(facts)


def transports_of(deployment: Deployment) -> frozenset[str]:
    """Return the names of the transports that calls to *deployment* may take.

    A client names the provider of an entry whose model is ``*``, so both transports may be needed.
    """
    by_name = deployment.model == ANY_MODEL and deployment.transport == "auto"
    return frozenset({"direct", "litellm"} if by_name else {transport_of(deployment)})


def uses_litellm(routes: Routes) -> bool:
    """Tell whether any deployment of *routes* may use litellm, which takes more memory for each request."""
    pools = (*routes.exact.values(), *routes.wildcards.values())
    return any("litellm" in transports_of(member) for pool in pools for member in pool)


def completes_texts(deployment: Deployment) -> bool:
    """Tell whether a deployment has an endpoint for text completions. Other deployments get a chat request instead.

    The endpoint is part of OpenAI's API. The proxy uses it for OpenAI, for self-hosted servers, and for deployments
    with the direct transport.
    """
    if deployment.provider == "openai" or deployment.provider in OPENAI_SERVERS:
        return has_address(deployment.provider, deployment.api_base)
    return table.has_texts(deployment) and transport_of(deployment) == "direct"
