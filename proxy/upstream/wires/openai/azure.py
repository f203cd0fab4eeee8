"""Azure's addresses and headers on OpenAI's wire.

Azure has two forms of addresses. The older one has the deployment in the path and a version in the query. The newer one
has neither, and is OpenAI's own (learn.microsoft.com, "API version lifecycle", 2026-11).
"""

from __future__ import annotations

from functools import lru_cache

from yarl import URL

from proxy.config.providers.why_litellm import is_azure_v1
from proxy.core.deployment import Deployment
from proxy.upstream.wires.openai.provider_forms import model_name
from proxy.upstream.wires.request_headers import request_headers


@lru_cache(maxsize=1024)
def azure_url(deployment: Deployment, path: str) -> str:
    """Return the URL of *path* for *deployment*.

    A deployment that stands in the address takes precedence over the model's name, as in litellm.
    """
    base, version = deployment.api_base or "", str(deployment.credentials.get("api_version") or "")
    base = base.removesuffix("/chat/completions").removesuffix("/embeddings")
    if base.endswith("/openai/v1"):
        return f"{base}/{path}"
    if is_azure_v1(base, version):
        return f"{base}/openai/v1/{path}"
    if "/openai/deployments/" not in base:
        base = f"{base}/openai/deployments/{model_name(deployment)}"
    return str(URL(f"{base}/{path}").with_query({"api-version": version}))


def azure_headers(deployment: Deployment) -> dict[str, str]:
    """Return the headers of a request: a token of Entra ID, or else the key."""
    token = deployment.credentials.get("azure_ad_token")
    version = str(deployment.credentials.get("api_version") or "")
    headers: dict[str, str] = {}
    if token is not None:
        text = token if isinstance(token, str) else token.get_secret_value()
        headers["Authorization"] = f"Bearer {text}"
    elif deployment.api_key is not None:
        key = deployment.api_key.get_secret_value()
        is_v1 = is_azure_v1(deployment.api_base or "", version)
        headers |= {"Authorization": f"Bearer {key}"} if is_v1 else {"api-key": key}
    return request_headers(deployment, **headers)
