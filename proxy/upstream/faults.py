"""A provider's refusal as the client's error, the same for every transport."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from urllib.parse import urlsplit

from pydantic import SecretStr

from proxy.config import Deployment
from proxy.errors import UpstreamFault
from proxy.failures import Evidence

_LONGEST_MESSAGE = 2_000
_PASSED_HEADERS = ("retry-after", "retry-after-ms", "x-should-retry")

_SHORTEST_SECRET = 8
"""Shorter values are placeholders ("x", "none"); masking them would garble the provider's words."""

_NAMING = frozenset({"organization", "vertex_project"})
"""Credentials that are no secrets and name the operator all the same; a region says nothing of whose it is."""

_GEMINI_BAD_KEY = "API key not valid"


def fault_of_answer(
    status: int, headers: Mapping[str, str], words: str | None, secrets: Iterable[str], body: bytes = b""
) -> UpstreamFault:
    """Return the error for an answer with *status* and *body* whose own text is *words* (None: it had none).

    The status is kept; a 401 or 403 says that it is the proxy's key that was refused, and so does Gemini's 400 for
    a bad key, which would read as the client's fault. Of *headers* only those that tell a client when to try
    again are passed on. Status, headers and body as they came are kept as evidence.
    """
    evidence = Evidence(status, {name.lower(): value for name, value in headers.items()}, body)
    passed = {name: headers[name] for name in _PASSED_HEADERS if name in headers}
    if status == 400 and words is not None and words.startswith(_GEMINI_BAD_KEY):
        status = 401
    words = words or f"The provider answered with status {status}."
    return UpstreamFault(
        for_clients(words, status, secrets), upstream_status=status, headers=passed, evidence=evidence
    )


def for_clients(words: str, status: int | None, secrets: Iterable[str]) -> str:
    """Return the provider's *words* as a client may read them: whose key was refused, no secret, not a book."""
    if status in (401, 403):
        return f"The provider refused the proxy's key (status {status}); it is not your key that was refused."
    return mask(words, secrets)[:_LONGEST_MESSAGE]


def secrets_of(deployment: Deployment) -> tuple[str, ...]:
    """Return the texts of a deployment that no client may see: its keys, credentials, secret headers and address."""
    held = (deployment.api_key, *deployment.extra_headers.values(), *deployment.credentials.values())
    secrets = [value.get_secret_value() for value in held if isinstance(value, SecretStr)]
    secrets += [
        value for name, value in deployment.credentials.items() if name in _NAMING and isinstance(value, str)
    ]
    if deployment.api_base:
        parts = urlsplit(deployment.api_base)
        secrets += [deployment.api_base, parts.netloc, parts.hostname or ""]
    return tuple(secrets)


def mask(text: str, secrets: Iterable[str]) -> str:
    """Return *text* without the deployment's key, address and other secrets, in whichever case they stand there."""
    held = sorted({secret for secret in secrets if len(secret) >= _SHORTEST_SECRET}, key=len, reverse=True)
    if not held:
        return text
    # The longest first, since one may begin as another does.
    return re.sub("|".join(map(re.escape, held)), "********", text, flags=re.IGNORECASE)
