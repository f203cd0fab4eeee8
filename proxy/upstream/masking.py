"""What of a deployment no client may see, and a provider's words without it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import quote, urlsplit

from pydantic import SecretStr

from proxy.config import Deployment

_SHORTEST = 4
"""Shorter keys and hosts say nothing ("x", "api"), and stand in too many words."""

_SHORTEST_OTHER = 8
"""Headers and credentials hold settings as well ("true", "prod", "v1beta"): masking those would garble."""

_SHORTEST_WITHIN = 8
"""Shorter ones are masked where they stand as words, not within others ("vllm" in "vllms")."""

_PLACEHOLDERS = frozenset({"dummy", "empty", "fake", "key", "none", "null", "test", "token"})
"""What is written where a server asks for no key: words that errors use (``EMPTY`` is vLLM's documentation's)."""

_NAMING = frozenset({"organization", "vertex_project"})
"""Credentials that are no secrets and name the operator all the same; a region says nothing of whose it is."""


def secrets_of(deployment: Deployment) -> tuple[str, ...]:
    """Return the texts of a deployment that no client may see: its keys, credentials, secret headers and address.

    What is too short to be told from ordinary words is left out.
    """
    keys = [] if deployment.api_key is None else [deployment.api_key.get_secret_value()]
    if deployment.api_base:
        parts = urlsplit(deployment.api_base)
        keys += [deployment.api_base, parts.netloc, parts.hostname or ""]
    held = (*deployment.extra_headers.values(), *deployment.credentials.values())
    others = [value.get_secret_value() for value in held if isinstance(value, SecretStr)]
    others += [
        value for name, value in deployment.credentials.items() if name in _NAMING and isinstance(value, str)
    ]
    secrets = [key for key in keys if len(key) >= _SHORTEST and key.lower() not in _PLACEHOLDERS]
    return (*secrets, *(other for other in others if len(other) >= _SHORTEST_OTHER))


def mask(text: str, secrets: Iterable[str]) -> str:
    """Return *text* without *secrets*, in whichever case they stand there, as they are or as in an address."""
    held = {form for secret in secrets for form in (secret, quote(secret), quote(secret, safe="")) if secret}
    if not held:
        return text
    # The longest first, since one may begin as another does.
    patterns = map(_pattern, sorted(held, key=len, reverse=True))
    return re.sub("|".join(patterns), "********", text, flags=re.IGNORECASE)


def _pattern(secret: str) -> str:
    pattern = re.escape(secret)
    return pattern if len(secret) >= _SHORTEST_WITHIN else rf"(?<!\w){pattern}(?!\w)"
