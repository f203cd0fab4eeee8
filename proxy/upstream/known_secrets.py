"""Masks all keys of the configuration, except short ones, in a provider's message.

A gateway that serves several deployments may name a key that this call did not use. A provider that repeats its input
may show any key in that input.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from proxy.config import Settings
from proxy.upstream.masking import keys_of, lower, mask_spans
from proxy.upstream.secret_forms import base64_forms, plain_forms

_SHORTEST = 12
"""The length of the shortest key that is masked in all errors.

Shorter keys are often placeholder names (``lm-studio``), which also occur in the text of errors.
"""

_INDEX_LENGTH = 8
"""The number of characters at the end of an encoded form that serve as its index.

The keys of one provider begin alike, so their first characters would be a poor index.
"""


class KnownSecrets:
    """The keys of all deployments and clients in *settings*.

    The encoded forms of these keys are computed when the first error is masked.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._forms: _FormIndex | None = None

    def mask(self, text: str) -> str:
        """Return *text* without any of the keys. The time does not grow with the number of keys."""
        if self._forms is None:
            self._forms = _FormIndex(set(_secrets_in(self._settings)))
        return mask_spans(text, self._forms.spans(text))


class _FormIndex:
    """The encoded forms of *secrets*, indexed by their last characters."""

    def __init__(self, secrets: Iterable[str]) -> None:
        self._any_case: dict[str, set[str]] = {}
        self._as_is: dict[str, set[str]] = {}
        for secret in secrets:
            for form in plain_forms(secret) | plain_forms(lower(secret)):
                self._any_case.setdefault(lower(form)[-_INDEX_LENGTH:], set()).add(lower(form))
            for form in base64_forms(secret):
                self._as_is.setdefault(form[-_INDEX_LENGTH:], set()).add(form)

    def spans(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield the start and end of each form in *text*."""
        for forms_by_end, shown in ((self._any_case, lower(text)), (self._as_is, text)):
            for end in range(_INDEX_LENGTH, len(shown) + 1):
                for form in forms_by_end.get(shown[end - _INDEX_LENGTH : end], ()):
                    if shown.endswith(form, 0, end):
                        yield end - len(form), end


def _secrets_in(settings: Settings) -> Iterator[str]:
    """Yield the keys of all deployments and of all clients that are long enough to be masked."""
    routes, general = settings.routes, settings.general_settings
    for pool in (*routes.exact.values(), *routes.wildcards.values()):
        for deployment in pool:
            yield from (key for key in keys_of(deployment) if len(key) >= _SHORTEST)
    held = (*(key.key for key in general.keys), general.master_key)
    given = (secret.get_secret_value() for secret in held if secret is not None)
    yield from (key for key in given if len(key) >= _SHORTEST)
