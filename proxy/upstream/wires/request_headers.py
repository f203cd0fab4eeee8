"""The headers of a request to a provider, for every wire."""

from __future__ import annotations

from proxy.core.deployment import Deployment


def request_headers(deployment: Deployment, **ours: str) -> dict[str, str]:
    """Return the headers of a JSON request: *ours*, and the deployment's own headers, which take precedence.

    Names are compared without case, so that no header is sent twice in two spellings.
    """
    own = {name: value.get_secret_value() for name, value in deployment.extra_headers.items()}
    named = {name.lower() for name in own}
    given = {"Content-Type": "application/json", **ours}
    return {**{name: value for name, value in given.items() if name.lower() not in named}, **own}
