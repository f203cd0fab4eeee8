"""What of a deployment no client may see, and a provider's words without it."""

from __future__ import annotations

import re
import string
from collections.abc import Iterable, Iterator
from urllib.parse import urlsplit

from pydantic import SecretStr

from proxy.core.deployment import Deployment
from proxy.upstream.secret_forms import base64_forms, plain_forms
from proxy.upstream.shown_parts import ShownParts

_SHORTEST = 4
"""Shorter keys and hosts say nothing ("x", "api"), and stand in too many words."""

_SHORTEST_OTHER = 8
"""Headers and credentials hold settings as well ("true", "prod", "v1beta"): masking those would garble."""

_SHORTEST_WITHIN = 8
"""Shorter ones are masked where they stand as words, not within others ("vllm" in "vllms")."""

MASK = "********"
_WORD = re.compile(r"\w")
_BASE64 = frozenset(string.ascii_letters + string.digits + "+/-_")
_TO_LOWER = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)

_PLACEHOLDERS = frozenset({"dummy", "empty", "fake", "key", "none", "null", "test", "token"})
"""What is written where a server asks for no key: words that errors use (``EMPTY`` is vLLM's documentation's)."""

_NAMING = frozenset({"organization", "vertex_project"})
"""Credentials that are no secrets and name the operator all the same; a region says nothing of whose it is."""


def secrets_of(deployment: Deployment) -> tuple[str, ...]:
    """Return the texts of a deployment that no client may see: its keys, credentials, secret headers and address.

    What is too short to be told from ordinary words is left out.
    """
    if not deployment.api_base:
        return keys_of(deployment)
    parts = urlsplit(deployment.api_base)
    return (*keys_of(deployment), *_long_enough([deployment.api_base, parts.netloc, parts.hostname or ""]))


def keys_of(deployment: Deployment) -> tuple[str, ...]:
    """Return the key, credentials and secret headers of a deployment that are told from ordinary words."""
    keys = [] if deployment.api_key is None else [deployment.api_key.get_secret_value()]
    held = (*deployment.extra_headers.values(), *deployment.credentials.values())
    others = [value.get_secret_value() for value in held if isinstance(value, SecretStr)]
    others += [
        value for name, value in deployment.credentials.items() if name in _NAMING and isinstance(value, str)
    ]
    return (*_long_enough(keys), *(other for other in others if len(other) >= _SHORTEST_OTHER))


def _long_enough(keys: Iterable[str]) -> Iterator[str]:
    return (key for key in keys if len(key) >= _SHORTEST and key.lower() not in _PLACEHOLDERS)


def mask(text: str, secrets: Iterable[str]) -> str:
    """Return *text* without *secrets*, in whichever spelling and case they stand there, whole or shown in part.

    The time is linear in the length of *text*.
    """
    held = [secret for secret in secrets if secret]
    if not held:
        return text
    covered = cover(text, _whole_spans(text, held))
    return cover(covered, ShownParts(held).spans(_lower(covered)))


def _whole_spans(text: str, secrets: Iterable[str]) -> Iterator[tuple[int, int]]:
    lower = _lower(text)
    for secret in secrets:
        for form in plain_forms(_lower(secret)) | plain_forms(secret):
            for start, end in _places(lower, _lower(form)):
                if len(secret) >= _SHORTEST_WITHIN or _is_word(text, start, end):
                    yield start, end
        for form in base64_forms(secret):
            for start, end in _places(text, form):
                # The letters beside it hold a few bits of it.
                yield start - (text[start - 1 : start] in _BASE64), end + (text[end : end + 1] in _BASE64)


def _places(text: str, form: str) -> Iterator[tuple[int, int]]:
    at = text.find(form)
    while at >= 0:
        yield at, at + len(form)
        at = text.find(form, at + len(form))


def _is_word(text: str, start: int, end: int) -> bool:
    """Tell whether no letter or digit stands beside what is between *start* and *end*."""
    return not any(_WORD.match(beside) for beside in (text[start - 1 : start], text[end : end + 1]))


def cover(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """Return *text* with one mask in place of each of *spans*, or of those that meet."""
    written: list[str] = []
    at = 0
    for start, end in sorted(spans):
        if start > at or not written:
            written += [text[at:start], MASK]
        at = max(at, end)
    return "".join((*written, text[at:]))


def _lower(text: str) -> str:
    """Return *text* in lower case, as long as it was: some letters have a longer one."""
    return text.translate(_TO_LOWER)
