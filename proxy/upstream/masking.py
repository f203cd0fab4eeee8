"""Masks a deployment's secrets in a provider's message."""

from __future__ import annotations

import re
import string
from collections.abc import Iterable, Iterator
from urllib.parse import urlsplit

from pydantic import SecretStr

from proxy.core.deployment import Deployment
from proxy.core.hidden_text import hidden_in
from proxy.upstream.secret_forms import base64_forms, plain_forms
from proxy.upstream.shown_parts import ShownParts

_SHORTEST = 4
"""The length of the shortest key or host that is masked. Shorter texts ("x", "api") occur in too many words."""

_SHORTEST_OTHER = 8
"""The length of the shortest header value or credential that is masked.

Many shorter values are settings ("true", "prod", "v1beta").
"""

_SHORTEST_WITHIN = 8
"""The length of the shortest secret that is masked within a word. Shorter secrets are masked as whole words only.

An example is "vllm", which is not masked in "vllms".
"""

MASK = "********"
_WORD = re.compile(r"\w")
_BASE64 = frozenset(string.ascii_letters + string.digits + "+/-_")
_TO_LOWER = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)

_PLACEHOLDERS = frozenset({"dummy", "empty", "fake", "key", "none", "null", "test", "token"})
"""Values that stand for no key. Errors use these words (``EMPTY`` is from vLLM's documentation)."""

_OPERATOR_NAMES = frozenset({"organization", "vertex_project"})
"""Credentials that are not secret but name the operator. A region does not name the operator."""


def secrets_of(deployment: Deployment) -> tuple[str, ...]:
    """Return the texts of a deployment that no client may see: keys, credentials, secret headers and the address.

    Texts too short to differ from ordinary words are left out.
    """
    if not deployment.api_base:
        return keys_of(deployment)
    parts = urlsplit(deployment.api_base)
    return (*keys_of(deployment), *_long_enough([deployment.api_base, parts.netloc, parts.hostname or ""]))


def keys_of(deployment: Deployment) -> tuple[str, ...]:
    """Return a deployment's key, credentials, secret headers and secret texts of its extra body.

    Ordinary words are left out.
    """
    keys = [] if deployment.api_key is None else [deployment.api_key.get_secret_value()]
    held = (*deployment.extra_headers.values(), *deployment.credentials.values())
    others = [value.get_secret_value() for value in held if isinstance(value, SecretStr)]
    others += [
        value
        for name, value in deployment.credentials.items()
        if name in _OPERATOR_NAMES and isinstance(value, str)
    ]
    others += hidden_in(deployment.extra_body)
    return (*_long_enough(keys), *(other for other in others if len(other) >= _SHORTEST_OTHER))


def _long_enough(keys: Iterable[str]) -> Iterator[str]:
    return (key for key in keys if len(key) >= _SHORTEST and key.lower() not in _PLACEHOLDERS)


def mask(text: str, secrets: Iterable[str]) -> str:
    """Return *text* with *secrets* masked: in their encoded forms, and in parts that stand next to a mask.

    The time is linear in the length of *text*.
    """
    held = [secret for secret in secrets if secret]
    if not held:
        return text
    covered = mask_spans(text, _whole_spans(text, held))
    return mask_spans(covered, ShownParts(held).spans(lower(covered)))


def _whole_spans(text: str, secrets: Iterable[str]) -> Iterator[tuple[int, int]]:
    in_lower = lower(text)
    for secret in secrets:
        for form in plain_forms(lower(secret)) | plain_forms(secret):
            for start, end in _occurrences(in_lower, lower(form)):
                if len(secret) >= _SHORTEST_WITHIN or _is_word(text, start, end):
                    yield start, end
        for form in base64_forms(secret):
            for start, end in _occurrences(text, form):
                # The base64 letters next to the secret hold a few bits of it.
                yield start - (text[start - 1 : start] in _BASE64), end + (text[end : end + 1] in _BASE64)


def _occurrences(text: str, form: str) -> Iterator[tuple[int, int]]:
    at = text.find(form)
    while at >= 0:
        yield at, at + len(form)
        at = text.find(form, at + len(form))


def _is_word(text: str, start: int, end: int) -> bool:
    """Tell whether the characters before *start* and after *end* are neither letters nor digits."""
    return not any(_WORD.match(beside) for beside in (text[start - 1 : start], text[end : end + 1]))


def mask_spans(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """Return *text* with a mask in place of each span. Spans that meet or overlap get one mask."""
    written: list[str] = []
    at = 0
    for start, end in sorted(spans):
        if start > at or not written:
            written += [text[at:start], MASK]
        at = max(at, end)
    return "".join((*written, text[at:]))


def lower(text: str) -> str:
    """Return *text* with ASCII letters in lower case.

    Other letters stay as they are, since some would change the text's length.
    """
    return text.translate(_TO_LOWER)
