"""The deployments whose provider speaks Anthropic's Messages API."""

from __future__ import annotations

from proxy.core.deployment import Deployment
from proxy.upstream.dialects.claude_models import claude_of

PROVIDER = "anthropic"
"""The provider of all servers with this API, Anthropic's own and others by ``api_base``."""


def has_messages(deployment: Deployment) -> bool:
    """Tell whether the provider of *deployment* has the Messages API, however it is asked."""
    return deployment.provider == PROVIDER


def runs_server_tools(deployment: Deployment) -> bool:
    """Tell whether the provider of *deployment* can search, fetch pages and run code for its model.

    Servers of other vendors have the API alone.
    """
    return has_messages(deployment) and claude_of(deployment.model_id) is not None
