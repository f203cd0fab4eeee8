"""The headers of a request to a provider, for every wire."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from proxy.core.deployment import Deployment

_LISTS = frozenset({"anthropic-beta"})
"""Headers whose values are lists, so that those of the client and of the operator are joined."""


def request_headers(deployment: Deployment, **ours: str) -> dict[str, str]:
    """Return the headers of a JSON request: *ours*, and the deployment's own headers, which take precedence.

    Names are compared without case, so that no header is sent twice in two spellings.
    """
    own = {name: value.get_secret_value() for name, value in deployment.extra_headers.items()}
    named = {name.lower() for name in own}
    given = {"Content-Type": "application/json", **ours}
    return {**{name: value for name, value in given.items() if name.lower() not in named}, **own}


def with_client_headers(
    headers: Mapping[str, str], by_client: Iterable[tuple[str, str]], deployment: Deployment
) -> dict[str, str]:
    """Return *headers*, those of a wire, with the headers *by_client* in their place.

    The deployment's own headers come before those of the client. A list has the values of both, each once.
    """
    fixed = {name.lower() for name in deployment.extra_headers}
    merged = dict(headers)
    for name, value in by_client:
        spelled = next((own for own in merged if own.lower() == name), name)
        if name in _LISTS and spelled in merged:
            values = (entry.strip() for entry in f"{merged[spelled]},{value}".split(","))
            merged[spelled] = ",".join(dict.fromkeys(entry for entry in values if entry))
        elif name not in fixed:
            merged[spelled] = value
    return merged
