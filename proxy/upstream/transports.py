"""By which transport a deployment is asked."""

from __future__ import annotations

from typing import Literal

from proxy.config import Deployment
from proxy.config.addresses import OPENAI_SERVERS, has_address

_DIRECT_PROVIDERS = frozenset({"gemini", "openai"})


def transport_of(deployment: Deployment) -> Literal["direct", "litellm"]:
    """Return the transport that answers for a deployment."""
    if deployment.transport != "auto":
        return deployment.transport
    return "direct" if deployment.provider in _DIRECT_PROVIDERS else "litellm"


def completes_texts(deployment: Deployment) -> bool:
    """Tell whether a deployment is asked for text completions as such; others only chat.

    Of OpenAI's wire: OpenAI itself, servers that somebody runs, and whoever is to be asked directly.
    """
    if deployment.provider == "openai" or deployment.provider in OPENAI_SERVERS:
        return has_address(deployment.provider, deployment.api_base)
    return deployment.provider != "gemini" and transport_of(deployment) == "direct"
