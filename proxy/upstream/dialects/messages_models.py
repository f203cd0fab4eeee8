"""The deployments whose provider speaks Anthropic's Messages API."""

from __future__ import annotations

from proxy.core.deployment import Deployment

PROVIDER = "anthropic"
"""The provider of all servers with this API, Anthropic's own and others by ``api_base``."""


def has_messages(deployment: Deployment) -> bool:
    """Tell whether the provider of *deployment* has the Messages API, however it is asked."""
    return deployment.provider == PROVIDER
