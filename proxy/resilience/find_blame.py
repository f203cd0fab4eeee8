"""Decides a failed attempt's consequence for its deployment: the blame, the delay and the tenants.

All words of an error decide on retries. Words that the request holds may be a quotation. So such words do not decide on
circuits.
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from typing import NamedTuple

from proxy.core.failures import Cause
from proxy.resilience.failure_table import Blame, Kind, Reach, Row, find_row, reach_of
from proxy.resilience.read_error import ProviderError


class Blamed(NamedTuple):
    """A failed attempt's consequence for its deployment."""

    blame: Blame
    reach: Reach
    delay_s: float | None
    """The delay in seconds that the provider asks for. A delay that may be quoted from the request does not count."""


def find_blame(row: Row, error: ProviderError, not_blamed: AbstractSet[Kind] = frozenset()) -> Blamed:
    """Return the consequence of a failure of *row*'s kind. Kinds in *not_blamed* have no consequence.

    If only words that the request holds report a used-up quota, the row is chosen again without these words.
    """
    unquoted = error.without_quotations()
    if row.kind is Kind.QUOTA_EXHAUSTED and error.quota is not unquoted.quota:
        row = find_row(Cause.REFUSED, unquoted)
    blame = Blame.NONE if row.kind in not_blamed else row.blame
    return Blamed(blame, reach_of(row, unquoted), unquoted.retry_after_s)
