"""Finds the source of each provider's key, such as a variable's name. The value of a key is never returned."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pydantic import SecretStr

from proxy.config import Settings
from proxy.config.environment import PROVIDERS, find_variables
from proxy.core.deployment import Deployment
from proxy.planning.preview import key_of_deployment, pools_of

NOT_SET = "not set"
IN_FILE = "in the file"
OF_ANY_PROVIDER = "the provider's own"

_KNOWN = tuple(name for provider in PROVIDERS for name in provider.keys)
_SHORTEST = 8
"""The fewest characters of a value that is searched for in all variables. A shorter value may match by chance."""


def key_source(deployment: Deployment, environ: Mapping[str, str]) -> str:
    """Return the name of the variable in *environ* that holds the key of *deployment*.

    Where no variable holds the key, the result is ``in the file``, ``in extra_headers``, ``in credentials``, ``not
    set`` or ``the provider's own``.
    """
    kind = key_of_deployment(deployment)
    if kind in (NOT_SET, OF_ANY_PROVIDER):
        return kind
    names = (_variable(secret.get_secret_value(), environ) for secret in _secrets(deployment))
    variables = ", ".join(dict.fromkeys(name for name in names if name is not None))
    return variables or (IN_FILE if kind == "set" else kind)


def found_keys(settings: Settings, environ: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """Return each provider of *settings* that has a key, with the key's source, in the file's order."""
    found: dict[tuple[str, str], None] = {}
    for pool in pools_of(settings).values():
        for deployment in pool:
            source = key_source(deployment, environ)
            if source == OF_ANY_PROVIDER:
                found.update({(provider.prefix, name): None for provider, name in find_variables(environ)})
            elif source != NOT_SET:
                found[deployment.provider, source] = None
    return tuple(found)


def _secrets(deployment: Deployment) -> Iterator[SecretStr]:
    if deployment.api_key is not None:
        yield deployment.api_key
        return
    yield from deployment.extra_headers.values()
    yield from (value for value in deployment.credentials.values() if isinstance(value, SecretStr))


def _variable(value: str, environ: Mapping[str, str]) -> str | None:
    """Return the variable that holds *value*. A provider's usual variable comes before others."""
    usual = next((name for name in _KNOWN if environ.get(name) == value), None)
    if usual is not None or len(value) < _SHORTEST:
        return usual
    return next((name for name in sorted(environ) if environ[name] == value), None)
