"""Warnings of direct calls where the environment names a forward proxy, which the direct transport does not use.

``auto`` leaves most providers to litellm behind a forward proxy. A warning is given for those that stay direct:
OpenAI's and Gemini's, and entries with ``transport: direct``.
"""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import urlsplit

from proxy.config.addresses import base_of
from proxy.config.places import Places
from proxy.config.providers.why_litellm import ALWAYS_DIRECT
from proxy.config.schema.routes import ANY_MODEL
from proxy.config.schema.settings import Settings
from proxy.core.deployment import Deployment


def forward_proxy_warnings(settings: Settings, places: Places) -> Iterator[str]:
    """Yield a warning for each host that is called directly although a variable names a forward proxy for it."""
    found: dict[tuple[str, str], list[int]] = {}
    routes = settings.routes
    for pool in (*routes.exact.values(), *routes.wildcards.values()):
        for deployment in pool:
            for address in _direct_addresses(deployment, settings):
                variable = deployment.forward_proxies.variable_for(address)
                if variable is not None:
                    host = urlsplit(address).hostname or ""
                    found.setdefault((variable, host), []).append(deployment.position)
    for (variable, host), positions in found.items():
        path = places.written(f"{settings.path_of_entry(min(positions))}.transport")
        others = len(set(positions)) - 1
        also = (
            f", as do {others} more entries" if others > 1 else ", as does one more entry" if others else ""
        )
        yield (
            f"{path}: calls {host} directly{also}, and the direct transport does not use the forward proxy of "
            f"{variable}: set transport: litellm, or name the host in NO_PROXY"
        )


def _direct_addresses(deployment: Deployment, settings: Settings) -> Iterator[str]:
    """Yield the addresses that a deployment's calls take by the direct transport."""
    if deployment.transport == "litellm":
        return
    if deployment.model == ANY_MODEL and deployment.api_base is None:
        keyed = settings.routes.access
        providers = keyed if deployment.transport == "direct" else keyed.keys() & ALWAYS_DIRECT
        bases = {provider: keyed[provider].base for provider in sorted(providers)}
    elif deployment.transport == "direct" or deployment.provider in ALWAYS_DIRECT:
        bases = {deployment.provider: deployment.api_base}
    else:
        return
    for provider, base in bases.items():
        address = base_of(provider, base)
        if address is not None:
            yield address
