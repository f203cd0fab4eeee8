"""Tells whether an error is a conversation that is too long, and finds the numbers that the client's words need.

Clients act on their own provider's words alone. So a format writes an overflow in these words, whoever reported it.
"""

from __future__ import annotations

import re
from http import HTTPStatus

from proxy.core.errors import ContextTooLong, ProxyError, UpstreamFault
from proxy.ingress.token_numbers import TokenNumbers
from proxy.resilience.read_overflow import read_overflow

OVERFLOW = "context_length_exceeded"
"""The code of an overflow."""

_OWN_REQUESTED = re.compile(r"comes to about ([0-9]{1,12}) ")
_OWN_LIMIT = re.compile(r"([0-9]{1,12}) (?:of them for the prompt|tokens\.$)")
"""The numbers in the proxy's own words (:mod:`proxy.planning.budgets`)."""


def is_overflow(error: ProxyError) -> bool:
    """Tell whether *error* says that the conversation exceeds the model's context.

    A 413 without such words is a limit on a body's bytes, for which SDKs have a class of their own.
    """
    return error.code == OVERFLOW and not is_of_bytes(error)


def is_of_bytes(error: ProxyError) -> bool:
    """Tell whether the provider has refused the body of an overflow for its bytes."""
    if not isinstance(error, UpstreamFault) or error.evidence.status != HTTPStatus.REQUEST_ENTITY_TOO_LARGE:
        return False
    return read_overflow([error.message], ()) is None


def count_overflow(error: ProxyError, numbers: TokenNumbers) -> TokenNumbers:
    """Return the numbers of an overflow, with more tokens than its limit.

    They are those of the *error*. *numbers* take the place of the missing ones.
    """
    limit = requested = 0
    if isinstance(error, ContextTooLong):
        requested, limit = (_number(found, error.message) for found in (_OWN_REQUESTED, _OWN_LIMIT))
    elif (said := read_overflow([error.message], ())) is not None and not said.of_bytes:
        limit, requested = said.limit or 0, said.requested or 0
    limit = limit or numbers.limit
    requested = max(requested, numbers.requested)
    if not limit:
        limit = max(requested - 1, 1)
    return TokenNumbers(max(requested, limit + 1), limit)


def _number(pattern: re.Pattern[str], text: str) -> int:
    found = pattern.search(text)
    return 0 if found is None else int(found[1])
