"""Chooses the transport and the endpoints of a deployment."""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

from pydantic import SecretStr

from proxy.config.addresses import OPENAI_SERVERS, base_of, has_address
from proxy.config.providers.find_provider import find_provider
from proxy.config.providers.why_litellm import MAY_LEAVE_OWN_WIRE, CallFacts, why_litellm
from proxy.config.schema.routes import ANY_MODEL, Routes
from proxy.core.deployment import Deployment
from proxy.core.errors import InvalidRequest
from proxy.upstream.dialects.messages_models import has_messages
from proxy.upstream.dialects.responses_models import asks_responses
from proxy.upstream.wires import table


def transport_of(deployment: Deployment) -> Literal["direct", "litellm"]:
    """Return the name of the transport that carries the deployment's calls."""
    if deployment.transport != "auto":
        return deployment.transport
    provider = deployment.provider
    if provider in table.WIRES and provider not in MAY_LEAVE_OWN_WIRE and find_provider(provider) is None:
        return "direct"  # a wire of its own
    return "direct" if reason_of(deployment) is None else "litellm"


@lru_cache(maxsize=4_096)
def reason_of(deployment: Deployment) -> str | None:
    """Return the reason why ``transport: auto`` leaves the deployment to litellm, or None where it does not.

    A wildcard of one provider takes one transport, and is judged without the name of a model.
    """
    return _reason(deployment, by_model=not deployment.name.endswith("*") or deployment.names_provider)


@lru_cache(maxsize=4_096)
def check_model(deployment: Deployment) -> Literal["direct", "litellm"]:
    """Return what :func:`transport_of` returns.

    Raises :class:`InvalidRequest` where only litellm can ask a wildcard's model, and the wildcard is direct. The
    provider would answer such a request with a 404, or worse.
    """
    transport = transport_of(deployment)
    if deployment.transport != "auto" or transport == "litellm":
        return transport
    reason = _reason(deployment, by_model=True) if find_provider(deployment.provider) is not None else None
    if reason is not None:
        raise InvalidRequest(
            f"The wildcard of this model is called directly, and only litellm can ask the model: {reason}. List the "
            "model under its own name, or set transport: litellm.",
            param="model",
        )
    return transport


def _reason(deployment: Deployment, *, by_model: bool) -> str | None:
    named = {name.lower() for name in deployment.extra_headers}
    facts = CallFacts(
        deployment.provider,
        deployment.model_id if by_model and "*" not in deployment.model_id else None,
        deployment.api_base,
        deployment.api_key is not None or not named.isdisjoint({"api-key", "authorization", "x-api-key"}),
        {
            name: value.get_secret_value() if isinstance(value, SecretStr) else value
            for name, value in deployment.credentials.items()
        },
        deployment.extra_body.keys() | deployment.allowed_openai_params | deployment.defaults.keys(),
        embeds=deployment.embeds,
        mode=deployment.mode,
        forward_proxy=deployment.forward_proxies.variable_for(
            base_of(deployment.provider, deployment.api_base)
        ),
    )
    return why_litellm(facts)


def transports_of(deployment: Deployment) -> frozenset[str]:
    """Return the names of the transports that calls to *deployment* may take.

    A client names the provider of an entry whose model is ``*``, so both transports may be needed.
    """
    both = deployment.model == ANY_MODEL and deployment.transport == "auto"
    return frozenset({"direct", "litellm"} if both else {transport_of(deployment)})


def speaks_messages(deployment: Deployment) -> bool:
    """Tell whether *deployment* is asked by Anthropic's Messages API, without litellm."""
    return has_messages(deployment) and transport_of(deployment) == "direct"


def embeds_by_gemini(deployment: Deployment) -> bool:
    """Tell whether *deployment* is asked for embeddings by Gemini's own API, without litellm."""
    return deployment.provider == "gemini" and transport_of(deployment) == "direct"


def uses_litellm(routes: Routes) -> bool:
    """Tell whether any deployment of *routes* may use litellm, which takes more memory for each request."""
    pools = (*routes.exact.values(), *routes.wildcards.values())
    return any("litellm" in transports_of(member) for pool in pools for member in pool)


def completes_texts(deployment: Deployment) -> bool:
    """Tell whether a deployment has an endpoint for text completions. Other deployments get a chat request instead.

    The endpoint is part of OpenAI's API. The proxy uses it for OpenAI, for self-hosted servers, and for deployments
    with the direct transport. A model that is asked through the Responses API has no other endpoint.
    """
    if asks_responses(deployment) and transport_of(deployment) == "direct":
        return False
    if deployment.provider == "openai" or deployment.provider in OPENAI_SERVERS:
        return has_address(deployment.provider, deployment.api_base)
    return table.has_texts(deployment) and transport_of(deployment) == "direct"
