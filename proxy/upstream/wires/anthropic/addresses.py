"""The addresses and the headers of a deployment that speaks Anthropic's Messages API."""

from __future__ import annotations

from functools import lru_cache

from proxy.config.addresses import ANTHROPIC_BASE
from proxy.core.deployment import Deployment
from proxy.upstream.wires.request_headers import request_headers

VERSION = "2023-06-01"
"""The API's version for chats. A newer one takes no sampling parameters (Anthropic's migration to ``2026-10-21``)."""

VERSION_HEADER = "anthropic-version"
BETA_HEADER = "anthropic-beta"

_PATH = "/v1/messages"
_TOKEN = "sk-ant-oat"
"""The beginning of an OAuth token, which goes as a bearer token, and needs a beta (litellm 1.105.3)."""

_TOKEN_BETA = "oauth-2025-04-20"


@lru_cache(maxsize=1024)
def messages_url(api_base: str | None) -> str:
    """Return the URL of messages below *api_base*, with or without the path. None means Anthropic's own address.

    litellm (1.105.3) takes an address with the whole path and one without. A base that ends with ``/v1`` is known from
    OpenAI's API.
    """
    base = (api_base or ANTHROPIC_BASE).rstrip("/")
    if base.endswith(_PATH):
        return base
    return base.removesuffix("/v1") + _PATH


def chat_headers(deployment: Deployment) -> dict[str, str]:
    """Return the headers of a request that is written from a chat. The deployment's own headers come first."""
    headers = {VERSION_HEADER: VERSION}
    if deployment.api_key is not None:
        key = deployment.api_key.get_secret_value()
        if key.startswith(_TOKEN):
            headers |= {"Authorization": f"Bearer {key}", BETA_HEADER: _TOKEN_BETA}
        else:
            headers["x-api-key"] = key
    return request_headers(deployment, **headers)
