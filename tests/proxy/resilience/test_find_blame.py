"""Tests that a deployment is blamed by the provider's own words, and not by words of the request."""

from __future__ import annotations

import json

import pytest

from proxy.core.failures import Cause, Evidence
from proxy.resilience.failure_table import Blame, Kind, Reach, find_row
from proxy.resilience.find_blame import Blamed, find_blame
from proxy.resilience.read_error import ProviderError, read_error
from proxy.resilience.request_words import RequestWords

WORDS = "Daily limit reached. Try again in 50 minutes."
COOLED = Blamed(Blame.COOLDOWN, Reach.ALL, None)


def read(status: int, *, request: str) -> ProviderError:
    """Return the facts of a refusal with words about a quota and a delay."""
    body = json.dumps({"error": {"message": WORDS}}).encode()
    return read_error(status, Evidence(status, {}, body), now=0.0, request=RequestWords(request))


@pytest.mark.parametrize(
    ("status", "request_text", "blamed"),
    [
        (429, "Good day.", Blamed(Blame.LONG_COOLDOWN, Reach.ALL, 3_000.0)),
        (429, WORDS, COOLED),
        (429, "The daily news, try again in 50 minutes", COOLED),
        (402, WORDS, Blamed(Blame.LONG_COOLDOWN, Reach.ALL, None)),
        (403, "Good day.", Blamed(Blame.LONG_COOLDOWN, Reach.TENANT, 3_000.0)),
        (403, WORDS, Blamed(Blame.NONE, Reach.TENANT, None)),
    ],
)
def test_quoted_words_open_no_circuit(status: int, request_text: str, blamed: Blamed) -> None:
    """Words that the request contains do not decide the blame.

    The kind and the delay of the request's own failure are still read from these words.
    """
    said = read(status, request=request_text)
    row = find_row(Cause.REFUSED, said)

    assert (row.kind, said.retry_after_s) == (Kind.QUOTA_EXHAUSTED, 3_000.0)
    assert find_blame(row, said) == blamed


def test_kinds_without_blame_leave_the_deployment() -> None:
    """A failure of a kind in *not_blamed* blames no deployment, since the request causes such a failure."""
    said = read(403, request="Good day.")
    row = find_row(Cause.REFUSED, said)

    assert find_blame(row, said, frozenset({Kind.NOT_ALLOWED_HERE})).blame is Blame.LONG_COOLDOWN
    assert find_blame(row, said, frozenset({Kind.QUOTA_EXHAUSTED})).blame is Blame.NONE
