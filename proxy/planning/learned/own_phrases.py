"""The phrases of the repair table that are a provider's own words, and not a quotation of the request."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from proxy.planning.repairs.repair_row import Row
from proxy.planning.repairs.repair_table import TABLE
from proxy.resilience.read_error import ProviderError
from proxy.resilience.request_words import RequestWords

_LONG_ENOUGH = 9
"""Letters and digits of a phrase that hardly stands in a request by chance. Schemas often hold ``enum``."""

_FIELDS = frozenset(
    {"].tool_calls[", "function_call", "functioncall", "tool_call_id", "tool_calls", "tools["}
)
"""Phrases for places that are named like fields of requests, so that most requests hold them."""

_BESIDE = 5
"""Characters beside a phrase that tell a quotation from words that the request holds by chance."""

_MOST_PLACES = 8
"""The most occurrences of a phrase that are compared with the request, which may be large."""

_ESCAPE = re.compile(r"\\+(?:u[0-9a-f]{4}|x[0-9a-f]{2}|[nrtbf])?|%[0-9a-f]{2}")
"""An escape, whose letters the request does not hold where a provider has written it into a quotation."""


def own_phrases(
    fault: str, error: ProviderError, request: RequestWords, table: Sequence[Row] = TABLE
) -> tuple[str, ...]:
    """Return the phrases of *fault* in *error* that are the provider's own, in the table's order.

    A phrase that the request does not hold is the provider's own. A request may hold a short phrase by chance, or has a
    field of that name. Then the words beside the phrase decide. Phrases that only change what a repair does always
    count.
    """
    found: dict[str, None] = {}
    for row in table:
        if row.fault != fault:
            continue
        for phrase in (*row.says, *row.beside, *row.reads):
            if error.says(phrase) and (
                phrase in error.codes
                or phrase in row.reads
                or not request.contains(phrase)
                or _is_said_beside_own_words(phrase, error, request)
            ):
                found[phrase] = None
    return tuple(found)


def _is_said_beside_own_words(phrase: str, error: ProviderError, request: RequestWords) -> bool:
    """Return True where the request holds *phrase*, but nowhere with the same words beside it.

    For a short phrase only the words after it count. Those before it may be the path to a part of the request, such as
    ``properties[a].enum``.
    """
    is_field = phrase in _FIELDS
    if not is_field and sum(map(str.isalnum, phrase)) >= _LONG_ENOUGH:
        return False
    words = _ESCAPE.sub(" ", error.words)
    return any(
        not request.contains(words[start : end + _BESIDE])
        and not (is_field and request.contains(words[max(0, start - _BESIDE) : end]))
        for start, end in islice(_places(phrase, words), _MOST_PLACES)
    )


def _places(phrase: str, words: str) -> Iterator[tuple[int, int]]:
    """Yield the start and the end of each occurrence of *phrase* in *words*."""
    end = 0
    while (start := words.find(phrase, end)) >= 0:
        end = start + len(phrase)
        yield start, end
